import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isInside, pathFault } from '../files/contain.js';

/** `./file.js#export`: a module of the package and one of its exports, the default one when none is named. */
export interface ModuleReference {
  /** As written, relative to the package folder. */
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

/** Reads a module reference's text. @throws ModuleReferenceError for bare specifiers, absolute paths and paths that leave the package. */
export function parseModuleReference(text: string): ModuleReference {
  const hash = text.lastIndexOf('#');
  const file = hash === -1 ? text : text.slice(0, hash);
  const exportName = hash === -1 ? 'default' : text.slice(hash + 1);
  const fault = pathFault(file);
  if (fault === 'absolute') {
    throw new ModuleReferenceError('outside', `"${text}" is an absolute path. Module references begin with "./".`);
  }
  if (fault === 'outside') throw new ModuleReferenceError('outside', `"${text}" leaves the package.`);
  if (!file.startsWith('./')) {
    throw new ModuleReferenceError('form', `"${text}" is not a module reference. Expected "./file.js#export".`);
  }
  if (exportName === '') throw new ModuleReferenceError('form', `"${text}" names no export after "#".`);
  return { file, exportName };
}

/** Where a module reference leads. @throws ModuleReferenceError if there is no such file or it lies outside the package. */
export async function locateModule(directory: string, reference: ModuleReference): Promise<string> {
  const target = path.join(directory, reference.file);
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile()) throw new ModuleReferenceError('missing', `There is no file ${reference.file} in the package.`);
  if (!(await isInside(directory, target))) {
    throw new ModuleReferenceError('outside', `${reference.file} is a link that leads out of the package.`);
  }
  return target;
}

/** Longest time a module of an extension may take to load. Code that blocks the thread is not interrupted by it. */
export const importTimeoutMs = 10_000;

/** Imports a module of an extension. `attempt` above 0 makes Node evaluate a module again that failed before. */
export async function importModule(file: string, attempt = 0): Promise<Record<string, unknown>> {
  const url = pathToFileURL(file);
  if (attempt > 0) url.searchParams.set('attempt', String(attempt));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = importTimeoutMs / 1000;
    timer = setTimeout(() => reject(new Error(`it did not load within ${seconds} s`)), importTimeoutMs);
  });
  try {
    return (await Promise.race([import(url.href), late])) as Record<string, unknown>;
  } finally {
    clearTimeout(timer);
  }
}

/** One export of a module; the default one of a transpiled CommonJS module is unwrapped. */
export function exportOf(module: Record<string, unknown>, name: string): unknown {
  const fallback = module.default;
  const inner = isTranspiled(fallback) ? fallback : undefined;
  if (name === 'default') return inner && 'default' in inner ? inner.default : fallback;
  if (name in module) return module[name];
  return inner?.[name] ?? (isObject(fallback) ? fallback[name] : undefined);
}

function isTranspiled(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value.__esModule === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Imports what a module reference names, once; a failed attempt is made anew the next time. */
export function lazyReference(directory: string, text: string): () => Promise<unknown> {
  let loaded: Promise<unknown> | undefined;
  let attempt = 0;
  return () => {
    loaded ??= loadReference(directory, text, attempt++).catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

async function loadReference(directory: string, text: string, attempt: number): Promise<unknown> {
  const reference = parseModuleReference(text);
  const file = await locateModule(directory, reference);
  let module: Record<string, unknown>;
  try {
    module = await importModule(file, attempt);
  } catch (error) {
    throw new ModuleReferenceError('failed', `${reference.file} could not be loaded: ${messageOf(error)}`, { cause: error });
  }
  const value = exportOf(module, reference.exportName);
  if (value === undefined) {
    const known = Object.keys(module).join(', ') || 'none';
    throw new ModuleReferenceError('export', `${reference.file} has no export "${reference.exportName}". It exports: ${known}.`);
  }
  return value;
}

/** What an unknown thrown value says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
