import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import type { ServerCost } from '../compatibility/token-cost.js';
import type { Diagnostic, Fix, ItemRef, Location, Severity } from '../extension/diagnostics.js';
import type { Extension, LoadCode } from '../extension/extension.js';
import { type Kind, kinds } from '../extension/item-kinds.js';
import { locateInManifest, type Manifest, ManifestError } from '../extension/manifest.js';
import { pluginHint } from '../extension/plugin-hint.js';
import type { Workspace } from '../extension/workspace.js';
import type { CompatibilityOptions } from './facts/compatibility.js';
import { ModuleReader } from './facts/modules.js';
import { Inspector, type InspectorOptions } from './inspector.js';
import { readRuleSettings, type Severities, type Suppression } from './rule-settings.js';
import { rules, ruleTable } from './rules/index.js';
import { unusedSuppression } from './rules/unused-suppression.js';
import { checkServedUpstreams, type ServedItems } from './served-upstreams.js';
import { type Snapshot, snapshotWithoutManifest, takeSnapshot, type UnreadableManifest } from './snapshot.js';
import { spellingFixes } from './spelling-fixes.js';
import { couldFind, placeOf, pointerOf, suppress, unusedMessage } from './suppress.js';

export interface ValidateOptions extends Partial<Pick<CompatibilityOptions, 'budget'>> {
  /** Ids of the clients that the extension is for. Default: only faults that lose tools or descriptions in some client. */
  readonly clients?: ReadonlySet<string> | undefined;
  /** True if code of the extension may be run, in separate processes. */
  readonly load: boolean;
  /** True if unresolved items of other packages are errors. */
  readonly resolve: boolean;
  /** Severities by code; they override the manifest's. */
  readonly rules?: Severities;
  /** Settings that several packages share. The manifest and `rules` override its severities. */
  readonly shared?: SharedRules | undefined;
  /** Longest time for loading one module, in milliseconds. Default: 10 000. */
  readonly timeoutMs?: number;
  /** Creates the workspace that resolves names. It has to load code definitions with `loadCode`. */
  readonly workspace: (loadCode: LoadCode) => Workspace;
  /** Compares the version with the last published one. Absent: no registry is asked. */
  readonly release?: (manifest: Manifest) => Promise<readonly Diagnostic[]>;
  /**
   * Starts the servers and returns their diagnostics. `checkServed` checks the items of upstream servers among those that a
   * server lists. Absent: no server is started.
   */
  readonly boot?: (
    manifest: Manifest,
    checkServed: (served: ServedItems) => Promise<readonly Diagnostic[]>,
  ) => Promise<readonly Diagnostic[]>;
  /**
   * Creates the inspector of this extension, which is closed at the end. Default: one with its own parser.
   */
  readonly openInspector?: (options: InspectorOptions) => Inspector;
}

/** Settings of rules from outside the package. */
export interface SharedRules {
  readonly severities: Severities;
  /** Their paths are relative to the package folder. */
  readonly suppressions: readonly Suppression[];
}

/** A diagnostic with its position, ready to print. */
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
  /** Path in a data file, as a JSON pointer. */
  readonly pointer?: string;
  readonly item?: ItemRef;
  /** A change that resolves the diagnostic, if there is one right answer. */
  readonly fix?: Fix;
  /** A command that explains the diagnostic. */
  readonly help: string;
}

/** A diagnostic that does not count, with the reason. */
export interface SuppressedDiagnostic extends LocatedDiagnostic {
  readonly suppression: {
    /** `rules`: an entry in the manifest; `config`: in the shared config; `baseline`: known when the baseline was written. */
    readonly source: 'rules' | 'config' | 'baseline';
    readonly reason: string;
  };
}

/** The result of validating one extension. */
export interface ExtensionReport extends Readonly<Record<Kind, readonly string[]>> {
  /** Path as given. */
  readonly path: string;
  readonly name: string;
  /** True if no diagnostic is an error. */
  readonly valid: boolean;
  /** Protocol versions that an existing server speaks. Absent for extensions. */
  readonly protocols?: readonly string[];
  /** Tokens of each server, if a budget was given. */
  readonly costs?: readonly ServerCost[];
  readonly diagnostics: readonly LocatedDiagnostic[];
  readonly suppressed: readonly SuppressedDiagnostic[];
  /** Changes of valid data files to AgentTools' spelling. */
  readonly spellings?: readonly Fix[];
  /** Shared suppressions that the package does not need. */
  readonly unusedShared?: readonly Suppression[];
}

/** The diagnostics of an extension before they are located. */
export interface Diagnosis {
  readonly snapshot: Snapshot;
  readonly diagnostics: readonly Diagnostic[];
  readonly suppressed: readonly { readonly diagnostic: Diagnostic; readonly by: Suppression }[];
  readonly unusedShared: readonly Suppression[];
}

const defaultModuleTimeoutMs = 10_000;

/**
 * Checks an extension package. Continues after each fault.
 * @throws AgentToolsError `usage` if there is no package at the path.
 */
export async function validateExtension(
  directory: string,
  options: ValidateOptions,
): Promise<ExtensionReport> {
  const real = await requirePackage(directory);
  const { snapshot, diagnostics, suppressed, unusedShared } = await diagnose(real, options);
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
    ...(snapshot.compatibility.costs && { costs: snapshot.compatibility.costs }),
    diagnostics: await locateDiagnostics(diagnostics, real),
    suppressed: await locateSuppressed(suppressed, real, options),
    spellings: spellingFixes(snapshot),
    unusedShared,
  };
}

async function locateSuppressed(
  suppressed: Diagnosis['suppressed'],
  directory: string,
  { shared }: ValidateOptions,
): Promise<readonly SuppressedDiagnostic[]> {
  if (suppressed.length === 0) return [];
  const groups = await Promise.all(
    [...new Set(suppressed.map(({ by }) => by))].map(async (by) => {
      const own = suppressed.filter((one) => one.by === by).map(({ diagnostic }) => diagnostic);
      const source = shared?.suppressions.includes(by) ? ('config' as const) : ('rules' as const);
      const located = await locateDiagnostics(own, directory);
      return located.map((one) => ({ ...one, suppression: { source, reason: by.reason } }));
    }),
  );
  return groups.flat();
}

/** Runs all rules on a package, with the severities of its author and of the caller. */
export async function diagnose(directory: string, options: ValidateOptions): Promise<Diagnosis> {
  const { timeoutMs = defaultModuleTimeoutMs, openInspector = (limits) => new Inspector(limits) } = options;
  const inspector = openInspector({ timeoutMs });
  // Nearly every extension has modules, and starting a process takes as long as the rest of the check.
  inspector.start({ load: options.load });
  try {
    const snapshot = await snapshotExtension(directory, options, inspector);
    const found = rules.flatMap((rule) => [...rule.check(snapshot)]);
    const checkServed = (served: ServedItems) => checkServedUpstreams(snapshot, served, options.clients);
    if (snapshot.manifest && options.release) found.push(...(await options.release(snapshot.manifest)));
    if (snapshot.manifest && options.boot)
      found.push(...(await options.boot(snapshot.manifest, checkServed)));
    return judge(snapshot, found, options);
  } finally {
    inspector.close();
  }
}

/** Applies the suppressions and severities of the author, of the shared config and of the caller. */
function judge(snapshot: Snapshot, found: readonly Diagnostic[], options: ValidateOptions): Diagnosis {
  const { manifest } = snapshot;
  const own = readRuleSettings(manifest?.translation.value.rules);
  const shared = options.shared?.suppressions ?? [];
  const { kept, suppressed, unused } = suppress(found, [...own.suppressions, ...shared], placeOf);
  const scope = {
    load: options.load,
    boots: options.boot !== undefined,
    compares: options.release !== undefined,
    hasClients: options.clients !== undefined,
    hasBudget: options.budget !== undefined,
  };
  const idle = unused.filter(({ code }) => couldFind(code, scope));
  const reported = idle.flatMap((one): Diagnostic[] => {
    if (!manifest || shared.includes(one)) return [];
    const { code, severity } = unusedSuppression;
    const location = locateInManifest(manifest, ['rules', ...one.at]);
    return [{ code, severity, message: unusedMessage(one), location }];
  });
  // Later ones win.
  const severities: Severities = {
    ...options.shared?.severities,
    ...own.severities,
    ...(options.resolve && { 'unresolved-reference': 'error' }),
    ...options.rules,
  };
  return {
    snapshot,
    diagnostics: grade([...kept, ...reported], severities),
    suppressed: suppressed.flatMap(({ diagnostic, by }) =>
      grade([diagnostic], severities).map((graded) => ({ diagnostic: graded, by })),
    ),
    unusedShared: idle.filter((one) => shared.includes(one)),
  };
}

/** Applies severities by code, and drops diagnostics that are off. */
function grade(diagnostics: readonly Diagnostic[], severities: Severities): readonly Diagnostic[] {
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
  return await takeSnapshot({
    codes,
    extension,
    workspace,
    modules,
    clients: options.clients,
    budget: options.budget,
  });
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
    // package.json exists, but cannot be read.
    const message = 'package.json cannot be read. It must be a file of at most 5 MB.';
    return { code: 'malformed-manifest', message, location: { file: 'package.json' } };
  }
}

/** Loads code definitions for a workspace, each with the module reader of its package. */
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
  if (!packageJson) {
    const message = `There is no package.json in ${directory}.${pluginHint(directory)}`;
    throw new AgentToolsError('usage', message);
  }
  return await realpath(directory);
}

async function packageNameAt(directory: string): Promise<string> {
  try {
    const { name } = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')) as {
      name?: unknown;
    };
    if (typeof name === 'string' && name !== '') return name;
  } catch {
    // A diagnostic reports this.
  }
  return path.basename(directory);
}

/** Adds lines and columns, and sorts by them. */
async function locateDiagnostics(
  diagnostics: readonly Diagnostic[],
  directory: string,
): Promise<readonly LocatedDiagnostic[]> {
  const files = new Map<string, Promise<LocateDiagnostic>>();
  const located = diagnostics.map(async ({ code, severity, message, location, item, fix }) => {
    const { file } = location;
    if (!files.has(file)) files.set(file, createLocator(directory, file));
    const { line, column } = (await files.get(file)!)(location);
    const help = `agenttools explain ${code}`;
    const pointer = pointerOf(location);
    return {
      code,
      severity,
      message,
      file,
      line,
      column,
      ...(pointer !== undefined && { pointer }),
      ...(item && { item }),
      ...(fix && { fix }),
      help,
    };
  });
  return (await Promise.all(located)).sort(
    (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column || compare(a.code, b.code),
  );
}

type LocateDiagnostic = (location: Location) => { readonly line: number; readonly column: number };

const start = { line: 1, column: 1 };

async function createLocator(directory: string, file: string): Promise<LocateDiagnostic> {
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

async function locatorOfModule(source: string): Promise<LocateDiagnostic> {
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
