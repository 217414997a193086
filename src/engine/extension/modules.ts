import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { isInScope, type PathScope, pathFault } from '../files/contain.js';
import { messageOf } from '../thrown.js';

/** `./file.js#export`: a module of the package and one of its exports, the default one when none is named. */
export interface ModuleReference {
  /** As written: relative to the package folder, or absolute where that is allowed. */
  readonly file: string;
  readonly exportName: string;
}

/** A module reference that cannot be used, and why. */
export class ModuleReferenceError extends Error {
  override readonly name = 'ModuleReferenceError';
  readonly fault: 'form' | 'outside' | 'missing' | 'export' | 'failed';

  constructor(fault: ModuleReferenceError['fault'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Reads a module reference's text. @throws ModuleReferenceError for bare specifiers, and for paths that lead out of the scope. */
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

/** Makes sure that there is a file where a module reference leads. @throws ModuleReferenceError */
export async function requireModule(scope: PathScope, text: string): Promise<void> {
  const { file } = parseModuleReference(text, scope);
  const info = await stat(path.resolve(scope.directory, file)).catch(() => undefined);
  if (!info?.isFile()) throw missingModule(file);
}

function missingModule(file: string): ModuleReferenceError {
  const where = path.isAbsolute(file) ? '' : ' in the package';
  return new ModuleReferenceError('missing', `There is no file ${file}${where}.`);
}

/** Where a module reference leads. @throws ModuleReferenceError if there is no such file or it lies outside the package. */
export async function locateModule(scope: PathScope, reference: ModuleReference): Promise<string> {
  const target = path.resolve(scope.directory, reference.file);
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile()) throw missingModule(reference.file);
  if (!(await isInScope(scope, reference.file))) {
    throw new ModuleReferenceError('outside', `${reference.file} is a link that leads out of the package.`);
  }
  return target;
}

/** Longest time a module of an extension may take to load. Code that blocks the thread is not interrupted by it. */
const importTimeoutMs = 10_000;

/**
 * How often modules are to be evaluated anew, and when their files were last written. The count is part of a module's
 * address, since Node keeps a module even if it failed; all that refer to the module share it.
 */
const imports = new Map<string, { attempt: number; modified: number }>();

/** Waits for work of an extension's module, within the time that a module may take to load. */
async function withinImportTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = importTimeoutMs / 1000;
    timer = setTimeout(() => reject(new Error(`it did not load within ${seconds} s`)), importTimeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

let afterImport = (): void => {};

/** Has a function run after every import of an extension's module, whatever came of it. */
export function onImported(listener: () => void): void {
  afterImport = listener;
}

/** Imports a module of an extension. Node evaluates it once, and again after it has failed. */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  const known = imports.get(file) ?? { attempt: 0, modified: await modifiedAt(file) };
  imports.set(file, known);
  const url = pathToFileURL(file);
  if (known.attempt > 0) url.searchParams.set('attempt', String(known.attempt));
  try {
    return await withinImportTime(evaluate(url.href));
  } catch (error) {
    imports.set(file, { attempt: known.attempt + 1, modified: await modifiedAt(file) });
    throw error;
  }
}

async function evaluate(href: string): Promise<Record<string, unknown>> {
  try {
    return (await import(href)) as Record<string, unknown>;
  } finally {
    afterImport();
  }
}

/** Lets the next import evaluate a module anew if its file was written since; tells whether it was. */
async function forgetIfWritten(file: string): Promise<boolean> {
  const known = imports.get(file);
  const modified = await modifiedAt(file);
  if (!known || known.modified === modified) return false;
  imports.set(file, { attempt: known.attempt + 1, modified });
  return true;
}

async function modifiedAt(file: string): Promise<number> {
  const info = await stat(file).catch(() => undefined);
  return info?.mtimeMs ?? 0;
}

/** One export of a module; the default one of a transpiled CommonJS module is unwrapped. */
export function exportOf(module: Record<string, unknown>, name: string): unknown {
  const fallback = module.default;
  const inner = isTranspiled(fallback) ? fallback : undefined;
  if (name === 'default') return inner && 'default' in inner ? inner.default : fallback;
  if (name in module) return module[name];
  return isObject(fallback) && Object.hasOwn(fallback, name) ? fallback[name] : undefined;
}

/** A value that an author wrote, in an object that is no thenable itself. */
export interface LiveExport {
  readonly live: unknown;
}

/** The default export of a module. A promise is waited for; any other thenable is taken as it is. */
export async function defaultExportOf(module: Record<string, unknown>): Promise<LiveExport> {
  const live = exportOf(module, 'default');
  return types.isPromise(live) ? await withinImportTime(outcomeOf(live)) : { live };
}

function outcomeOf(promise: Promise<unknown>): Promise<LiveExport> {
  return new Promise((resolve, reject) => {
    Reflect.apply(Promise.prototype.then, promise, [(live: unknown) => resolve({ live }), reject]);
  });
}

function isTranspiled(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value.__esModule === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Imports what a module reference names, once; a failed attempt is made anew the next time. */
export function lazyReference(
  scope: PathScope,
  text: string,
  wanted: 'anything' | 'function' = 'anything',
): () => Promise<unknown> {
  let loaded: Promise<unknown> | undefined;
  return () => {
    loaded ??= loadReference(scope, text, wanted).catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

async function loadReference(
  scope: PathScope,
  text: string,
  wanted: 'anything' | 'function',
): Promise<unknown> {
  const reference = parseModuleReference(text, scope);
  const file = await locateModule(scope, reference);
  const module = await importReferenced(file, reference);
  const value = exportOf(module, reference.exportName);
  if (wanted === 'function' ? typeof value === 'function' : value !== undefined) return value;
  if (await forgetIfWritten(file)) return await loadReference(scope, text, wanted);
  if (value !== undefined) throw new ModuleReferenceError('export', `${text} is not a function.`);
  const known = Object.keys(module).join(', ') || 'none';
  throw new ModuleReferenceError(
    'export',
    `${reference.file} has no export "${reference.exportName}". It exports: ${known}.`,
  );
}

async function importReferenced(file: string, reference: ModuleReference): Promise<Record<string, unknown>> {
  try {
    return await importModule(file);
  } catch (error) {
    throw new ModuleReferenceError('failed', `${reference.file} could not be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
