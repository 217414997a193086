import os from 'node:os';
import path from 'node:path';
import type { Diagnostic } from '../../../../src/engine/extension/diagnostics.js';
import { Workspace } from '../../../../src/engine/extension/workspace.js';
import type { ValidateOptions } from '../../../../src/engine/validate/validate.js';

export const fixtures = new URL('../../../../fixtures/extensions/', import.meta.url).pathname;

const builtinFolder = new URL('../../../../src/builtin/', import.meta.url).pathname;

/** Options that look for packages nowhere but around the extension. */
export function optionsFor(inspectorEntry: string, options: Partial<ValidateOptions> = {}): ValidateOptions {
  const nowhere = path.join(os.tmpdir(), 'agenttools-nowhere');
  return {
    load: true,
    resolve: false,
    inspectorEntry,
    workspace: (loadCode) =>
      new Workspace({
        cwd: nowhere,
        homeDirectory: nowhere,
        builtinFolder,
        packagesFolder: nowhere,
        globalFolder: nowhere,
        loadCode,
      }),
    ...options,
  };
}

/** `code file#/pointer` or `code file:line:column`. */
export function told({ code, location }: Diagnostic): string {
  const { file, path: at, position } = location;
  if (position) return `${code} ${file}:${position.line}:${position.column}`;
  return `${code} ${file}${at?.length ? `#${at.map((key) => `/${key}`).join('')}` : ''}`;
}
