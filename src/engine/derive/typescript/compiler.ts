import { createRequire } from 'node:module';
import path from 'node:path';
import type ts from '@typescript/typescript6';
import { AgentToolsError } from '../../base/errors.js';

/** The compiler's API, as its package exports it. */
export type TypeScript = typeof ts;

/**
 * Package names of the compiler, in order of preference. @see
 * https://www.npmjs.com/package/@typescript/typescript6
 */
const packages = ['typescript', '@typescript/typescript6'];

/**
 * Finds the project's TypeScript, if it has an API. Runs its code, and no other code of the project.
 * @throws AgentToolsError with the package to install
 */
export function findCompiler(directory: string): TypeScript {
  const require = createRequire(path.join(directory, 'package.json'));
  const silent: string[] = [];
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
  const why =
    silent.length === 0
      ? `There is no TypeScript in ${directory} or above it.`
      : `${silent.join(' and ')} has no API for types.`;
  throw new AgentToolsError(
    'failed',
    `${why} AgentTools reads types with the TypeScript of the project. Install one: npm install --save-dev @typescript/typescript6`,
  );
}
