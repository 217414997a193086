import { createRequire } from 'node:module';
import path from 'node:path';
import type ts from '@typescript/typescript6';
import { AgentToolsError } from '../../base/errors.js';

/** The compiler's API, as its package exports it. */
export type TypeScript = typeof ts;

/** A compiler with an API, for projects that lack one. @see https://www.npmjs.com/package/@typescript/typescript6 */
export const helperCompiler = '@typescript/typescript6';

/** Package names of the compiler, in order of preference. */
const packages = ['typescript', helperCompiler];

/** No compiler with an API is available. */
export class MissingCompilerError extends AgentToolsError {
  /** The reason, as a sentence. */
  readonly reason: string;

  constructor(reason: string) {
    const wayOut = `Install one: npm install --save-dev ${helperCompiler}. Or let AgentTools fetch it for its own use: agenttools derive --fetch-compiler`;
    super('failed', `${reason} ${wayOut}`);
    this.reason = reason;
  }
}

/**
 * Finds the project's TypeScript, if it has an API; else the one in the folder `helper`. Runs its code, and no code of the
 * project.
 * @throws MissingCompilerError
 */
export function findCompiler(directory: string, helper?: string): TypeScript {
  const silent: string[] = [];
  for (const folder of [directory, ...(helper === undefined ? [] : [helper])]) {
    const require = createRequire(path.join(folder, 'package.json'));
    for (const name of packages) {
      let file: string;
      try {
        file = require.resolve(name);
      } catch {
        continue;
      }
      const found = require(file) as Partial<TypeScript>;
      if (typeof found.createProgram === 'function') return found as TypeScript;
      silent.push(`${name} ${String(found.version ?? '')}`.trim());
    }
  }
  throw new MissingCompilerError(
    silent.length === 0
      ? `There is no TypeScript in ${directory} or above it.`
      : `${[...new Set(silent)].join(' and ')} has no API for types.`,
  );
}
