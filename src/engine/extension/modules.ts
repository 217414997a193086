import path from 'node:path';
import { statFile } from '../base/files/disk.js';
import { isInScope, type PathScope, pathFault } from '../base/files/path-containment.js';

/** `./file.js#export`: a module of the package and one of its exports. Default: the default export. */
export interface ModuleReference {
  /** As written: relative to the package folder, or absolute if the scope allows it. */
  readonly file: string;
  readonly exportName: string;
}

/** The reason that a module reference cannot be used. */
export class ModuleReferenceError extends Error {
  override readonly name = 'ModuleReferenceError';
  readonly fault: 'form' | 'outside' | 'missing' | 'export' | 'failed';

  constructor(fault: ModuleReferenceError['fault'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/**
 * Parses a module reference.
 * @throws ModuleReferenceError for bare specifiers and for paths outside the scope.
 */
export function parseModuleReference(
  text: string,
  scope: Pick<PathScope, 'allowsAbsolute'> = {},
): ModuleReference {
  const hash = text.lastIndexOf('#');
  const file = hash === -1 ? text : text.slice(0, hash);
  const exportName = hash === -1 ? 'default' : text.slice(hash + 1);
  const fault = pathFault(file, scope);
  if (fault === 'absolute') {
    throw new ModuleReferenceError(
      'outside',
      `"${text}" is an absolute path. Module references begin with "./".`,
    );
  }
  if (fault === 'outside') throw new ModuleReferenceError('outside', `"${text}" leaves the package.`);
  if (!file.startsWith('./') && !path.isAbsolute(file)) {
    throw new ModuleReferenceError(
      'form',
      `"${text}" is not a module reference. Expected "./file.js#export".`,
    );
  }
  if (exportName === '') throw new ModuleReferenceError('form', `"${text}" names no export after "#".`);
  return { file, exportName };
}

/** Checks that the file of a module reference exists. @throws ModuleReferenceError */
export async function requireModule(scope: PathScope, text: string): Promise<void> {
  const { file } = parseModuleReference(text, scope);
  const info = statFile(path.resolve(scope.directory, file));
  if (!info?.isFile()) throw missingModule(file);
}

function missingModule(file: string): ModuleReferenceError {
  const where = path.isAbsolute(file) ? '' : ' in the package';
  return new ModuleReferenceError('missing', `There is no file ${file}${where}.`);
}

/**
 * Returns the file of a module reference.
 * @throws ModuleReferenceError if the file is missing or outside the package.
 */
export async function locateModule(scope: PathScope, reference: ModuleReference): Promise<string> {
  const target = path.resolve(scope.directory, reference.file);
  const info = statFile(target);
  if (!info?.isFile()) throw missingModule(reference.file);
  if (!(await isInScope(scope, reference.file))) {
    throw new ModuleReferenceError('outside', `${reference.file} is a link that leads out of the package.`);
  }
  return target;
}

/** An author's value, wrapped in an object that is not a thenable. */
export interface LiveExport {
  readonly live: unknown;
}
