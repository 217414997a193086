import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import type { PathScope } from '../base/files/path-containment.js';
import type { PlainData } from '../base/plain-data.js';
import { errorMessage } from '../base/thrown-value.js';
import { adaptExport } from './foreign/foreign-export.js';
import { whileLoading } from './module-loading.js';
import {
  type LiveExport,
  locateModule,
  type ModuleReference,
  ModuleReferenceError,
  parseModuleReference,
} from './modules.js';
import { supplyAgentTools } from './supply-agenttools.js';

/** Captured, because code of an extension can replace it. */
const readStats = stat;

/** Longest time a module of an extension may take to load. Code that blocks the thread is not interrupted by it. */
const importTimeoutMs = 10_000;

let isUnlimited = false;

/** Gives modules any time to load: a debugger may stop them. */
export function liftImportLimit(): void {
  isUnlimited = true;
}

/**
 * Retries and modification time, in milliseconds, of each module. The number of retries is part of the module
 * URL, since Node caches a module even if it failed. All references to the module share it.
 */
const imports = new Map<string, { attempt: number; modified: number }>();

/** Waits for work of an extension's module, for at most {@link importTimeoutMs}. */
async function withinImportTime<T>(work: Promise<T>): Promise<T> {
  if (isUnlimited) return await work;
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

let afterImport = (): Promise<void> | undefined => undefined;

/** Runs a function after every import of an extension's module, also a failed one. The import ends after its promise. */
export function onImported(listener: () => Promise<void> | undefined): void {
  afterImport = listener;
}

/** Imports a module of an extension. Node evaluates it once, and again after a failure. */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  const known = imports.get(file) ?? { attempt: 0, modified: await modifiedAt(file) };
  imports.set(file, known);
  const url = pathToFileURL(file);
  if (known.attempt > 0) url.searchParams.set('attempt', String(known.attempt));
  try {
    // The hooks stay, also if the module does not load.
    if (supplyAgentTools(file)) await afterImport();
    return await withinImportTime(whileLoading(() => evaluate(url.href)));
  } catch (error) {
    imports.set(file, { attempt: known.attempt + 1, modified: await modifiedAt(file) });
    throw error;
  }
}

async function evaluate(href: string): Promise<Record<string, unknown>> {
  try {
    return (await import(href)) as Record<string, unknown>;
  } finally {
    await afterImport();
  }
}

/** Makes the next import evaluate a module again if its file has changed. Returns true if it has. */
async function forgetIfWritten(file: string): Promise<boolean> {
  const known = imports.get(file);
  const modified = await modifiedAt(file);
  if (!known || known.modified === modified) return false;
  imports.set(file, { attempt: known.attempt + 1, modified });
  return true;
}

async function modifiedAt(file: string): Promise<number> {
  const info = await readStats(file).catch(() => undefined);
  return info?.mtimeMs ?? 0;
}

/** Returns one export of a module. Unwraps the default export of a transpiled CommonJS module. */
export function readExport(module: Record<string, unknown>, name: string): unknown {
  const fallback = module.default;
  const inner = isTranspiled(fallback) ? fallback : undefined;
  if (name === 'default') return inner && 'default' in inner ? inner.default : fallback;
  if (name in module) return module[name];
  return isObject(fallback) && Object.hasOwn(fallback, name) ? fallback[name] : undefined;
}

/**
 * Returns the default export of a module as a definition, or a fault if it cannot be one. Awaits a promise; returns any
 * other thenable unchanged. `file` is the absolute path of the module.
 */
export async function readDefaultExport(
  module: Record<string, unknown>,
  file: string,
): Promise<LiveExport | PlainData> {
  const value = readExport(module, 'default');
  if (value === undefined && !('default' in module)) return withoutDefault(Object.keys(module));
  const { live } = types.isPromise(value) ? await withinImportTime(settlePromise(value)) : { live: value };
  return await adaptExport(live, file);
}

function withoutDefault(names: readonly string[]): PlainData {
  const exported = names.length === 0 ? 'nothing' : names.join(', ');
  const wayOut = names.length === 1 ? `Write "export default ${names[0]}"` : `It exports ${exported}`;
  return { value: undefined, faults: [{ path: [], what: `a module without a default export. ${wayOut}` }] };
}

function settlePromise(promise: Promise<unknown>): Promise<LiveExport> {
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

/** Imports the target of a module reference. @throws ModuleReferenceError */
export async function loadReference(
  scope: PathScope,
  text: string,
  wanted: 'anything' | 'function',
): Promise<unknown> {
  const reference = parseModuleReference(text, scope);
  const file = await locateModule(scope, reference);
  const module = await importReferenced(file, reference);
  const value = readExport(module, reference.exportName);
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
    throw new ModuleReferenceError(
      'failed',
      `${reference.file} could not be loaded: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}
