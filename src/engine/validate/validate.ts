import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import type { Diagnostic, ItemRef, Location, Severity } from '../extension/diagnostics.js';
import type { Extension, LoadCode } from '../extension/extension.js';
import { type Kind, kinds } from '../extension/item-kinds.js';
import { type Manifest, ManifestError } from '../extension/manifest.js';
import type { Workspace } from '../extension/workspace.js';
import { ModuleReader } from './facts/modules.js';
import { Inspector, type InspectorOptions } from './inspector.js';
import { rules, ruleTable } from './rules/index.js';
import { type Snapshot, snapshotWithoutManifest, takeSnapshot, type UnreadableManifest } from './snapshot.js';

export interface ValidateOptions {
  /** Whether code of the extension may be run, in processes of its own. */
  readonly load: boolean;
  /** Items of other packages that cannot be found are errors. */
  readonly resolve: boolean;
  /** Severities by code; they win over those of the manifest. */
  readonly rules?: Readonly<Record<string, Severity | 'off'>>;
  /** Longest time one module may take to load; 10 s when absent. */
  readonly timeoutMs?: number;
  /** Where names are looked up. The workspace has to load code definitions by the given function. */
  readonly workspace: (loadCode: LoadCode) => Workspace;
  /** Starts the servers and tells what went wrong; nothing is started when absent. */
  readonly boot?: (manifest: Manifest) => Promise<readonly Diagnostic[]>;
  /** Makes the inspector of this one extension, which is closed in the end; one with its own parser when absent. */
  readonly openInspector?: (options: InspectorOptions) => Inspector;
}

/** A diagnostic as it is shown. */
export interface LocatedDiagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  /** Relative to the package folder, with `/`. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
  readonly item?: ItemRef;
  /** What to run to learn more. */
  readonly help: string;
}

/** What there is to say about one extension. */
export interface ExtensionReport extends Readonly<Record<Kind, readonly string[]>> {
  /** As it was given. */
  readonly path: string;
  readonly name: string;
  /** Nothing in it is an error. */
  readonly valid: boolean;
  readonly diagnostics: readonly LocatedDiagnostic[];
}

/** The diagnostics of an extension before they are located. */
export interface Diagnosis {
  readonly snapshot: Snapshot;
  readonly diagnostics: readonly Diagnostic[];
}

const defaultModuleTimeoutMs = 10_000;

/**
 * Checks an extension package, and goes on after each fault.
 * @throws AgentToolsError `usage` if there is no package at the path.
 */
export async function validateExtension(
  directory: string,
  options: ValidateOptions,
): Promise<ExtensionReport> {
  const real = await requirePackage(directory);
  const { snapshot, diagnostics } = await diagnose(real, options);
  const { manifest } = snapshot;
  const declared = kinds.map((kind) => {
    const known = manifest?.declarations[kind].map(({ name }) => name) ?? [];
    const found = snapshot.items.filter(
      (item) => item.kind === kind && item.declaration?.toolkit !== undefined,
    );
    return [kind, [...new Set([...known, ...found.map(({ name }) => name)])]];
  });
  return {
    path: directory,
    name: manifest?.packageName ?? (await packageNameAt(real)),
    valid: diagnostics.every(({ severity }) => severity !== 'error'),
    ...(Object.fromEntries(declared) as Record<Kind, string[]>),
    diagnostics: await locateDiagnostics(diagnostics, real),
  };
}

/** Everything that the rules find in a package, with severities as its author and the caller want them. */
export async function diagnose(directory: string, options: ValidateOptions): Promise<Diagnosis> {
  const { timeoutMs = defaultModuleTimeoutMs, openInspector = (limits) => new Inspector(limits) } = options;
  const inspector = openInspector({ timeoutMs });
  // Nearly every extension has modules, and a process takes as long to start as the rest of the check.
  inspector.start({ load: options.load });
  try {
    const snapshot = await snapshotExtension(directory, options, inspector);
    const found = rules.flatMap((rule) => [...rule.check(snapshot)]);
    if (snapshot.manifest && options.boot) found.push(...(await options.boot(snapshot.manifest)));
    return { snapshot, diagnostics: grade(found, severitiesFor(snapshot, options)) };
  } finally {
    inspector.close();
  }
}

/** The severities that differ from those of the rules: the manifest's, then `--resolve`, then `--rule`. */
function severitiesFor(
  { manifest }: Snapshot,
  { resolve, rules }: ValidateOptions,
): Record<string, Severity | 'off'> {
  return { ...manifest?.rules, ...(resolve && { 'unresolved-reference': 'error' }), ...rules };
}

/** Gives diagnostics other severities, by code, and drops those that are off. */
function grade(
  diagnostics: readonly Diagnostic[],
  severities: Readonly<Record<string, Severity | 'off'>>,
): readonly Diagnostic[] {
  return diagnostics.flatMap((diagnostic) => {
    const severity = Object.hasOwn(severities, diagnostic.code)
      ? severities[diagnostic.code]!
      : diagnostic.severity;
    return severity === 'off' ? [] : [{ ...diagnostic, severity }];
  });
}

async function snapshotExtension(
  directory: string,
  options: ValidateOptions,
  inspector: Inspector,
): Promise<Snapshot> {
  const codes = ruleTable.map(({ code }) => code);
  const loader = new CodeLoader(inspector, options.load);
  const workspace = options.workspace(loader.loadCode);
  const extension = await openForValidation(workspace, directory);
  if ('code' in extension) return snapshotWithoutManifest(codes, extension);
  const modules = loader.readerOf(extension.manifest.directory);
  return await takeSnapshot({ codes, extension, workspace, modules });
}

async function openForValidation(
  workspace: Workspace,
  directory: string,
): Promise<Extension | UnreadableManifest> {
  try {
    return await workspace.open(directory);
  } catch (error) {
    if (error instanceof ManifestError) {
      return { code: error.diagnostic, message: error.text, location: error.location };
    }
    if (!(error instanceof AgentToolsError)) throw error;
    // There is a package.json, or we would not be here, but it cannot be read.
    const message = 'package.json cannot be read. It must be a file of at most 5 MB.';
    return { code: 'malformed-manifest', message, location: { file: 'package.json' } };
  }
}

/** Loads code definitions for a workspace, each through the reader of the package it is in. */
class CodeLoader {
  readonly #readers = new Map<string, ModuleReader>();

  constructor(
    readonly inspector: Inspector,
    readonly mayLoad: boolean,
  ) {}

  readerOf(directory: string): ModuleReader {
    const known = this.#readers.get(directory);
    if (known) return known;
    const reader = new ModuleReader(directory, this.inspector, this.mayLoad);
    this.#readers.set(directory, reader);
    return reader;
  }

  readonly loadCode: LoadCode = async (file, relative) => {
    const directory = file.slice(0, file.length - path.normalize(relative).length - 1);
    return (await this.readerOf(directory).load(relative)).value;
  };
}

async function requirePackage(directory: string): Promise<string> {
  const info = await stat(directory).catch(() => undefined);
  if (!info) throw new AgentToolsError('usage', `There is no folder ${directory}.`);
  if (!info.isDirectory()) {
    throw new AgentToolsError('usage', `${directory} is not a folder. Give the folder of a package.`);
  }
  const packageJson = await stat(path.join(directory, 'package.json')).catch(() => undefined);
  if (!packageJson) throw new AgentToolsError('usage', `There is no package.json in ${directory}.`);
  return await realpath(directory);
}

async function packageNameAt(directory: string): Promise<string> {
  try {
    const { name } = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as {
      name?: unknown;
    };
    if (typeof name === 'string' && name !== '') return name;
  } catch {
    // The diagnostic says so.
  }
  return path.basename(directory);
}

/** Works out lines and columns, and sorts by them. */
async function locateDiagnostics(
  diagnostics: readonly Diagnostic[],
  directory: string,
): Promise<readonly LocatedDiagnostic[]> {
  const files = new Map<string, Promise<Locate>>();
  const located = diagnostics.map(async ({ code, severity, message, location, item }) => {
    const { file } = location;
    if (!files.has(file)) files.set(file, createLocator(directory, file));
    const { line, column } = (await files.get(file)!)(location);
    const help = `agenttools explain ${code}`;
    return { code, severity, message, file, line, column, ...(item && { item }), help };
  });
  return (await Promise.all(located)).sort(
    (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column || compare(a.code, b.code),
  );
}

type Locate = (location: Location) => { readonly line: number; readonly column: number };

const start = { line: 1, column: 1 };

async function createLocator(directory: string, file: string): Promise<Locate> {
  const isData = /\.jsonc?$/.test(file);
  const isModule = /\.[cm]?js$/.test(file);
  const text =
    isData || isModule
      ? await readFile(path.join(directory, file), 'utf8').catch(() => undefined)
      : undefined;
  if (text === undefined) return ({ position = start }) => position;
  if (isModule) return await locatorOfModule(text);
  const { positionsIn } = await import('../base/files/json-text.js');
  let find: ReturnType<typeof positionsIn> | undefined;
  return ({ position, path: at, key = false }) => {
    if (position) return position;
    if (!at) return start;
    find ??= positionsIn(text);
    return find(at, { key });
  };
}

async function locatorOfModule(source: string): Promise<Locate> {
  const { positionsInModule } = await import('./module-positions.js');
  let find: ReturnType<typeof positionsInModule> | undefined;
  return ({ position, path: at = [] }) => {
    if (position || at.length === 0) return position ?? start;
    find ??= positionsInModule(source);
    return find(at) ?? start;
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
