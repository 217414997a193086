import { isBuiltin } from 'node:module';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';

/**
 * Returns the given package name, or one derived from the folder name.
 * @throws AgentToolsError `usage` if the name is not legal.
 */
export function choosePackageName(directory: string, given?: string): string {
  if (given !== undefined) {
    const fault = packageNameFault(given);
    if (!fault) return given;
    const legal = legalPackageName(given);
    const hint = !packageNameFault(legal) ? ` Did you mean "${legal}"?` : '';
    throw new AgentToolsError('usage', `"${given}" is no name for an npm package: ${fault}.${hint}`);
  }
  const folder = path.basename(directory);
  const made = legalName(folder);
  const fault = packageNameFault(made);
  if (!fault) return made;
  const reason = made === '' ? 'nothing in it is legal in one' : `"${made}" is not one: ${fault}`;
  throw new AgentToolsError(
    'usage',
    `The folder "${folder}" gives no package name, ${reason}. Give one with --name.`,
  );
}

/** Removes illegal characters from a package name, with or without scope. */
function legalPackageName(text: string): string {
  const [, scope, name = ''] = /^@([^/]*)\/(.*)$/.exec(text) ?? [];
  return scope === undefined ? legalName(text) : `@${legalName(scope)}/${legalName(name)}`;
}

/** Removes illegal characters from a package name without scope. */
function legalName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '');
}

/** @see https://docs.npmjs.com/cli/configuring-npm/package-json#name */
function packageNameFault(name: string): string | undefined {
  if (name.length > 214) return 'it is longer than 214 characters';
  if (!/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)) {
    return 'expected lower-case letters, digits, "-", "_" and ".", with or without a "@scope/" before it';
  }
  if (name === 'node_modules' || name === 'favicon.ico') return 'npm reserves it';
  return isBuiltin(name) ? 'a module of Node has that name' : undefined;
}
