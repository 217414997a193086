import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AgentToolsError } from '../base/errors.js';
import { guardWrite } from '../base/file-fault.js';
import { DocumentError, readDocument } from '../base/files/document.js';
import { derivedFile } from '../extension/definition-files.js';
import {
  canonicalReference,
  codeReference,
  type Derived,
  type DerivedFunction,
  parseReferenceModule,
  readDerived,
} from '../extension/derived.js';
import { hashSource } from '../extension/derived-sources.js';
import type { Location } from '../extension/diagnostics.js';
import type { Extension } from '../extension/extension.js';
import { locateModule, parseModuleReference } from '../extension/modules.js';
import { isItemName } from '../extension/names.js';
import { deriveFunction } from './function-schema.js';
import { readToolTags } from './mcp-tag.js';
import {
  type DerivationTarget,
  findTargets,
  openUnderived,
  type TargetFault,
  type Targets,
} from './targets.js';
import type { FunctionFacts, MisplacedTag, TypeSource } from './type-source.js';

export interface DeriveOptions {
  /** Longest time for reading types, in milliseconds. Default: 60 000. */
  readonly timeoutMs?: number;
  /** Most files that the types may lead to. Default: 10 000. */
  readonly maxFiles?: number;
  /** Folder with a compiler for projects without one. Default: none. */
  readonly helper?: string | undefined;
}

/** A problem for the author. An `error` prevents the derivation. */
export interface DeriveRemark {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Relative to the package folder, with `/`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** The derivation for a package, with its problems. */
export interface Derivation {
  /** The package folder. */
  readonly directory: string;
  /** Path of the derived file, relative to the package, with `/`. */
  readonly file: string;
  /** Undefined if there is nothing to derive, or if there are errors. */
  readonly derived: Derived | undefined;
  readonly remarks: readonly DeriveRemark[];
  /** True if a remark is an `error`. */
  readonly hasErrors: boolean;
  /**
   * State of the derived file. `current`: it holds this derivation, or there is nothing to derive and no
   * file.
   */
  readonly state: 'current' | 'stale' | 'absent';
  /**
   * Differences if the file is stale: functions, as `"pay" (./src/pay.js#pay)`, else tools, else source
   * files.
   */
  readonly differences: readonly string[];
}

const defaults = { timeoutMs: 60_000, maxFiles: 10_000 };

/**
 * Derives schemas, titles, descriptions, hints and the order of parameters from types and doc comments of
 * tool functions. Runs a TypeScript compiler, and no code of the extension.
 * @throws AgentToolsError `usage` if there is no package.json; MissingCompilerError; ManifestError
 */
export async function derive(
  given: string,
  { timeoutMs = defaults.timeoutMs, maxFiles = defaults.maxFiles, helper }: DeriveOptions = {},
): Promise<Derivation> {
  const directory = await requirePackage(given);
  const extension = await openUnderived(directory);
  const file = path.posix.join(extension.manifest.root.replaceAll('\\', '/'), derivedFile);
  const targets = await findTargets(extension);
  const remarks: DeriveRemark[] = [];
  const modules = listModules(targets);
  const found = new DerivationResults(targets, extension);
  const definitions = targets.code.map(({ file }) => file);
  for (const module of await referredModules(extension, definitions))
    if (!modules.includes(module)) modules.push(module);
  if (modules.length + definitions.length > 0) {
    const { openTypeScript } = await import('./typescript/source.js');
    found.read(
      await openTypeScript(directory, modules, { timeoutMs, maxFiles, helper, definitions }),
      modules,
    );
  }
  for (const { message, location } of [...targets.faults, ...found.undefinedTools()]) {
    remarks.push({ severity: 'error', message, ...(await handlerPosition(extension, location)) });
  }
  remarks.push(...found.remarks);
  const isEmpty = found.functions.size === 0;
  const hasErrors = remarks.some(({ severity }) => severity === 'error');
  const derived = hasErrors || isEmpty ? undefined : await completeDerivation(directory, found);
  const state = await sourceState(directory, file, derived);
  const differences =
    state === 'stale' && derived ? await findDerivationDrift(directory, file, derived, found) : [];
  return { directory, file, derived, remarks, hasErrors, state, differences };
}

/**
 * Writes the derived file, or deletes it if there is nothing to derive.
 * @throws AgentToolsError if the file system refuses
 */
export async function writeDerivation({ directory, file, derived, state }: Derivation): Promise<void> {
  if (state === 'current') return;
  const target = path.join(directory, file);
  await guardWrite(target, async () => {
    if (!derived) return await rm(target, { force: true });
    await mkdir(path.dirname(target), { recursive: true });
    // The file ships with the package, so it gets the same default permissions. Files kept for a user do not.
    const temporary = `${target}.${crypto.randomUUID()}.tmp`;
    try {
      await writeFile(temporary, `${JSON.stringify(derived, undefined, 2)}\n`, { flag: 'wx' });
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

async function requirePackage(directory: string): Promise<string> {
  const info = await stat(path.join(directory, 'package.json')).catch(() => undefined);
  if (!info?.isFile()) throw new AgentToolsError('usage', `There is no package.json in ${directory}.`);
  return await realpath(directory);
}

/** Modules that definitions in code may name as handlers. */
async function referredModules(
  { manifest, paths }: Extension,
  files: readonly string[],
): Promise<readonly string[]> {
  const texts = await Promise.all(
    files.map((file) => readFile(path.join(manifest.directory, file), 'utf8').catch(() => '')),
  );
  const named = texts.flatMap((text) => [
    ...text.matchAll(/\bhandler\b['"]?\s*:\s*(['"`])(\.\.?\/[^'"`\n]+)\1/g),
  ]);
  const found: string[] = [];
  for (const [, , text] of named) {
    const reference = canonicalReference(text!);
    if (reference === undefined) continue;
    const isThere = await locateModule(paths, parseModuleReference(reference)).then(
      () => true,
      () => false,
    );
    if (isThere) found.push(parseReferenceModule(reference));
  }
  return [...new Set(found)];
}

function listModules({ handlers, toolkits, entry }: Targets): string[] {
  const referred = handlers.map(({ reference }) => parseReferenceModule(reference));
  return [...new Set([...toolkits, ...referred, ...(entry === undefined ? [] : [entry])])];
}

async function completeDerivation(
  directory: string,
  { files, functions, tools }: DerivationResults,
): Promise<Derived> {
  const prints = await Promise.all(
    files.map(async (file) => [file, (await hashSource(directory, file)) ?? ''] as const),
  );
  const derived: Derived = {
    version: 1,
    files: Object.fromEntries(prints),
    functions: Object.fromEntries(functions),
    tools: Object.fromEntries(tools),
  };
  // JSON form, for the comparison with the file: JSON has no undefined.
  return JSON.parse(JSON.stringify(derived)) as Derived;
}

async function sourceState(
  directory: string,
  file: string,
  derived: Derived | undefined,
): Promise<Derivation['state']> {
  try {
    const { value } = await readDocument(path.join(directory, file), file);
    return isDeepStrictEqual(value, derived) && readDerived(value) ? 'current' : 'stale';
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    if (error.offset !== undefined) return 'stale';
    if (await stat(path.join(directory, file)).catch(() => undefined)) return 'stale';
    return derived ? 'absent' : 'current';
  }
}

/**
 * Differences from the written file: functions, else tools, else source files. Empty if the file is
 * unreadable.
 */
async function findDerivationDrift(
  directory: string,
  file: string,
  derived: Derived,
  { targets }: DerivationResults,
): Promise<readonly string[]> {
  const held = await readDocument(path.join(directory, file), file).catch(() => undefined);
  const written = readDerived(held?.value);
  if (!written) return [];
  const functions = keysThatDiffer(written.functions, derived.functions).map((reference) => {
    const marked = [derived, written].flatMap(({ tools }) => Object.entries(tools));
    const [tool] = marked.find(([, meant]) => meant === reference) ?? [];
    const name = targets.handlers.find((one) => one.reference === reference)?.tool ?? tool;
    return name === undefined ? reference : `"${name}" (${reference})`;
  });
  const tools = keysThatDiffer(written.tools, derived.tools).map((name) => `"${name}"`);
  const told = [...functions, ...(functions.length > 0 ? [] : tools)];
  return told.length > 0 ? told : keysThatDiffer(written.files, derived.files);
}

function keysThatDiffer(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): readonly string[] {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.filter((key) => !isDeepStrictEqual(one[key], other[key]));
}

async function handlerPosition(
  { manifest }: Extension,
  { file, path: at, position }: Location,
): Promise<{ file: string; line: number; column: number }> {
  if (position || !at) return { file, line: 1, column: 1, ...position };
  const { text } = await readDocument(path.join(manifest.directory, file), file).catch(() => ({ text: '' }));
  const { positionsIn } = await import('../base/files/json-text.js');
  return { file, ...(text === '' ? { line: 1, column: 1 } : positionsIn(text)(at, { key: false })) };
}

/** Collects the derived functions, tool by tool. */
class DerivationResults {
  readonly functions = new Map<string, DerivedFunction>();
  /** References by tool. */
  readonly tools = new Map<string, string>();
  readonly remarks: DeriveRemark[] = [];
  files: readonly string[] = [];
  /** Identity of the function of each marked tool. */
  readonly #marked = new Map<string, unknown>();
  readonly #handled = new Set<unknown>();

  constructor(
    readonly targets: Targets,
    readonly extension: Extension,
  ) {}

  read(types: TypeSource, modules: readonly string[]): void {
    for (const target of onePerFunction(this.targets.handlers)) this.#readHandler(target, types);
    for (const code of this.targets.code) this.#readCode(code, types, modules);
    for (const module of modules) this.#readMarked(module, types);
    this.files = types.files();
  }

  #readHandler({ tool, reference, skipsOutput }: DerivationTarget, types: TypeSource): void {
    const module = parseReferenceModule(reference);
    const { exportName: name } = parseModuleReference(reference);
    const { exports, functionOf } = types.moduleOf(module);
    const facts = functionOf(name);
    if (facts) {
      this.#handled.add(facts.identity);
      this.#derive(tool, reference, facts, skipsOutput);
      return;
    }
    const why = exports.includes(name)
      ? `"${name}" of ${module} is not a function.`
      : `${module} has no export "${name}". It exports: ${exports.join(', ') || 'nothing'}.`;
    this.#remark('error', `Tool "${tool}": ${why}`, { file: module.slice('./'.length), line: 1, column: 1 });
  }

  /** Derives the tools that a module defines without a schema. */
  #readCode({ file, item }: Targets['code'][number], types: TypeSource, modules: readonly string[]): void {
    for (const { name, handler, hasOutput } of types.definitionsIn(file)) {
      const tool = item ?? name ?? (typeof handler === 'string' ? undefined : handler.name) ?? '';
      if (typeof handler !== 'string') {
        this.#handled.add(handler.identity);
        if (tool !== '') this.#derive(tool, codeReference(file, tool), handler, hasOutput);
        continue;
      }
      const reference = canonicalReference(handler);
      // Serving the tool reports a wrong reference.
      if (reference === undefined || !modules.includes(parseReferenceModule(reference))) continue;
      if (this.functions.has(reference)) continue;
      this.#readHandler({ tool, reference, skipsOutput: hasOutput }, types);
    }
  }

  #derive(tool: string, reference: string, facts: FunctionFacts, skipsOutput: boolean): void {
    const derived = deriveFunction(facts, {
      tags: readToolTags(facts.doc),
      skipsOutput,
      remark: ({ severity, message, position }) =>
        this.#remark(severity, `Tool "${tool}": ${message}`, position),
    });
    this.functions.set(reference, derived);
  }

  /** Derives the functions of a module that are tools by their `@mcp` tag alone. */
  #readMarked(module: string, types: TypeSource): void {
    const { exports, functionOf, misplaced } = types.moduleOf(module);
    for (const one of misplaced) this.#remark('error', misplacedMessage(one), one.position);
    for (const name of exports) {
      const facts = functionOf(name);
      if (!facts || this.#handled.has(facts.identity)) continue;
      const tags = readToolTags(facts.doc);
      if (tags.isMarked) this.#addMarked(tags.name ?? facts.name, module, name, facts);
    }
  }

  #addMarked(tool: string, module: string, exportName: string, facts: FunctionFacts): void {
    const { position, identity } = facts;
    if (this.#marked.get(tool) === identity) return;
    const fault = this.#nameFault(tool);
    if (fault !== undefined) {
      this.#remark('error', fault, position);
      return;
    }
    const reference = exportName === 'default' ? module : `${module}#${exportName}`;
    this.#marked.set(tool, identity);
    this.#derive(tool, reference, facts, false);
    this.tools.set(tool, reference);
    const { declarations } = this.extension.manifest;
    const isReachable =
      this.targets.toolkits.includes(module) || declarations.tools.some(({ name }) => name === tool);
    if (isReachable) return;
    const message = `Tool "${tool}": its function is marked "@mcp", and nothing declares it. Add "${tool}" to "tools" in the manifest, or { "toolkit": "<name>", "module": "${module}" } for all of its module.`;
    this.#remark('warning', message, position);
  }

  #nameFault(tool: string): string | undefined {
    if (tool === '') return 'A function marked "@mcp" has no name. Write @mcp name=…';
    if (!isItemName(tool)) return `"@mcp" names the tool "${tool}". Expected 1 to 128 of A-Z a-z 0-9 _ . -`;
    if (this.#marked.has(tool))
      return `Several functions marked "@mcp" are the tool "${tool}". Give each a different name.`;
    if (!this.targets.written.includes(tool)) return undefined;
    return `A function marked "@mcp" is the tool "${tool}", which also has a definition. Remove one of the two.`;
  }

  /** Declared tools without a definition and without a function. */
  undefinedTools(): readonly TargetFault[] {
    const { document, declarations } = this.extension.manifest;
    const names = this.targets.unwritten.filter((name) => !this.tools.has(name));
    return names.map((name) => {
      const where = this.targets.entry
        ? ` of ${this.targets.entry}, or of a module that a handler names,`
        : '';
      const message = `Tool "${name}" has no definition, and no exported function${where} is marked "@mcp" and has that name.`;
      const { path: at = [] } = declarations.tools.find((one) => one.name === name) ?? {};
      return { message, location: { file: document.file, path: at } };
    });
  }

  #remark(
    severity: DeriveRemark['severity'],
    message: string,
    place: Omit<DeriveRemark, 'severity' | 'message'>,
  ): void {
    const { file, line, column } = place;
    this.remarks.push({ severity, message, file, line, column });
  }
}

/**
 * One target per function. Several tools may share one; its output is skipped only if all of them skip it.
 */
function onePerFunction(targets: readonly DerivationTarget[]): readonly DerivationTarget[] {
  const byReference = new Map<string, DerivationTarget>();
  for (const target of targets) {
    const known = byReference.get(target.reference);
    const skipsOutput = target.skipsOutput && (known?.skipsOutput ?? true);
    byReference.set(target.reference, { ...(known ?? target), skipsOutput });
  }
  return [...byReference.values()];
}

function misplacedMessage({ name, reason }: MisplacedTag): string {
  if (reason === 'no-function') return `"@mcp" is only for functions, and "${name}" is not a function.`;
  return `"@mcp" is only for exported functions, and "${name}" is not exported.`;
}
