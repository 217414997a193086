import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';
import { canonicalReference, parseReferenceModule } from '../extension/derived.js';
import type { Location } from '../extension/diagnostics.js';
import {
  createRawToolkit,
  type Definition,
  DefinitionError,
  Extension,
  handlerWithoutInput,
} from '../extension/extension.js';
import { translate } from '../extension/key-spellings.js';
import { locateModule, ModuleReferenceError, parseModuleReference } from '../extension/modules.js';
import { findToolkit } from '../extension/toolkits.js';

/** A tool that takes its input schema from its function. */
export interface DerivationTarget {
  readonly tool: string;
  /** Canonical module reference. */
  readonly reference: string;
  /** True if the definition declares the output. */
  readonly skipsOutput: boolean;
}

/** Targets of the derivation, from the manifest and the data definitions. Runs none of the package's code. */
export interface Targets {
  readonly handlers: readonly DerivationTarget[];
  /** Declared tools without a definition: functions marked `@mcp`, or missing. */
  readonly unwritten: readonly string[];
  /** Modules that are toolkits of marked functions, as canonical references. */
  readonly toolkits: readonly string[];
  /**
   * The main module of the package. Undefined if no tool is in `unwritten`, or the package has no main
   * module.
   */
  readonly entry: string | undefined;
  /** Modules with definitions, as files of the package. `item`: the tool, if a file has one definition. */
  readonly code: readonly { readonly file: string; readonly item?: string }[];
  /** Names of tools with a definition. */
  readonly written: readonly string[];
  readonly faults: readonly TargetFault[];
}

/** The reason why a tool has no derivation. */
export interface TargetFault {
  readonly message: string;
  readonly location: Location;
}

/** Thrown instead of running a definition in code. */
class CodeDefinitionError extends Error {}

/** Opens a package without running its code and without merging derived facts. */
export async function openUnderived(directory: string): Promise<Extension> {
  return await Extension.open(directory, {
    isUnderived: true,
    loadCode: () => Promise.reject(new CodeDefinitionError('definitions in code are not looked into')),
  });
}

/** Finds the targets of a package. */
export async function findTargets(extension: Extension): Promise<Targets> {
  const { declarations, toolkits } = extension.manifest;
  const faults: TargetFault[] = [];
  const unwritten: string[] = [];
  const definitions: Definition[] = [];
  const code: { file: string; item?: string }[] = [];
  for (const { name, toolkit } of declarations.tools) {
    if (toolkit !== undefined) continue;
    const found = await unlessCode(extension.definition('tools', name));
    if (found instanceof DefinitionError) {
      if (found.code === 'missing-definition') unwritten.push(name);
      else faults.push(found);
    } else if (found) definitions.push(found);
    else code.push(...(await codeFile(extension, name)));
  }
  const modules: string[] = [];
  for (const { name, module, path } of toolkits) {
    if (module !== undefined) {
      const reference = canonicalReference(module);
      const location = { file: extension.manifest.document.file, path };
      const fault =
        reference === undefined
          ? `"${module}" is not a file of the package. Expected one such as "./dist/files.js".`
          : await explainMissingModule(extension, module);
      if (fault !== undefined) faults.push({ message: `Toolkit "${name}": ${fault}`, location });
      else modules.push(reference!);
      continue;
    }
    const found = await unlessCode(extension.toolkit(name));
    if (found instanceof DefinitionError) faults.push(found);
    else if (found) definitions.push(...found.tools);
    else code.push(...(await codeFile(extension, name)).map(({ file }) => ({ file })));
  }
  definitions.push(...(await inlineTools(extension, faults)));
  const handlers: DerivationTarget[] = [];
  for (const definition of definitions) {
    const target = await findTarget(definition);
    if (target && 'message' in target) faults.push(target);
    else if (target) handlers.push(target);
  }
  return {
    handlers,
    unwritten,
    toolkits: modules,
    code: uniqueFiles(code),
    entry: unwritten.length > 0 ? await packageEntryModule(extension) : undefined,
    written: definitions.map(({ item }) => item),
    faults,
  };
}

/** The module that defines a tool or a toolkit of this name. */
async function codeFile(extension: Extension, name: string): Promise<Targets['code']> {
  const [found] = (await extension.files()).find('tools', name);
  if (!found || !/\.[cm]?js$/.test(found.file)) return [];
  return [found.combined ? { file: found.file } : { file: found.file, item: name }];
}

function uniqueFiles(code: Targets['code']): Targets['code'] {
  return [...new Map(code.map((one) => [one.file, one])).values()];
}

/** Returns the definition, or the reason why it is unavailable; undefined if the definition is code. */
async function unlessCode<T>(asked: Promise<T>): Promise<T | DefinitionError | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return error.cause instanceof CodeDefinitionError || error.code === 'typescript-only' ? undefined : error;
  }
}

/** Tools that are defined inline in a server's list. */
async function inlineTools(extension: Extension, faults: TargetFault[]): Promise<readonly Definition[]> {
  const found: Definition[] = [];
  for (const { name } of extension.manifest.declarations.servers) {
    const server = await unlessCode(extension.definition('servers', name));
    if (server instanceof DefinitionError) faults.push(server);
    if (!server || server instanceof DefinitionError || !Array.isArray(server.value.tools)) continue;
    found.push(
      ...server.value.tools.flatMap((entry, index) => inlineDefinitions(entry, server, ['tools', index])),
    );
  }
  return found;
}

/** The tools that an entry of a server's list defines inline, with or without overrides. */
function inlineDefinitions(entry: unknown, server: Definition, path: DocumentPath): readonly Definition[] {
  if (isRecord(entry) && entry.use !== undefined)
    return inlineDefinitions(entry.use, server, [...path, 'use']);
  const at = [...server.at, ...path];
  const kit = findToolkit(entry);
  if (kit)
    return createRawToolkit(kit, { ...server, what: `A toolkit of server "${server.item}"`, at }).tools;
  if (!isRecord(entry) || entry.toolkit !== undefined) return [];
  const translation = translate(entry, 'tools');
  const { value } = translation;
  const item = typeof value.name === 'string' ? value.name : `${server.item}#${path.join('/')}`;
  return [{ ...server, kind: 'tools', item, at, value, translation }];
}

async function findTarget(definition: Definition): Promise<DerivationTarget | TargetFault | undefined> {
  const handler = handlerWithoutInput(definition);
  if (handler === undefined) return undefined;
  const { item: tool, value, extension, file, at } = definition;
  const location = { file: file.file, path: [...at, 'handler'] };
  const reference = canonicalReference(handler);
  const fault = await explainMissingModule(extension, handler);
  if (fault !== undefined || reference === undefined) {
    return { message: `Tool "${tool}": ${fault ?? `"${handler}" is not a module reference.`}`, location };
  }
  return { tool, reference, skipsOutput: value.output !== undefined || value.outputSchema !== undefined };
}

/** The reason why a module cannot be read; undefined if it can. */
async function explainMissingModule({ paths }: Extension, text: string): Promise<string | undefined> {
  try {
    const reference = parseModuleReference(text);
    await locateModule(paths, reference);
    if (/\.[cm]?[jt]sx?$/.test(reference.file)) return undefined;
    return `${reference.file} is not a JavaScript or TypeScript module.`;
  } catch (error) {
    if (!(error instanceof ModuleReferenceError)) throw error;
    const hint = error.fault === 'missing' ? ' If it is compiled, build the package first.' : '';
    return `${error.message}${hint}`;
  }
}

/**
 * The module of `exports` or `main`, else `index.js`, as Node resolves them.
 * @see https://nodejs.org/api/packages.html#package-entry-points
 */
export async function packageEntryModule(extension: Extension): Promise<string | undefined> {
  const { exports, main } = extension.manifest.packageJson.value as Readonly<Record<string, unknown>>;
  const root = isRecord(exports) && Object.hasOwn(exports, '.') ? exports['.'] : exports;
  const named = [targetIn(root), typeof main === 'string' ? main : undefined, './index.js'];
  for (const one of named) {
    if (one === undefined) continue;
    const reference = canonicalReference(one.startsWith('./') ? one : `./${one}`);
    if (reference === undefined) continue;
    if ((await explainMissingModule(extension, reference)) === undefined)
      return parseReferenceModule(reference);
  }
  return undefined;
}

function targetIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return undefined;
  for (const condition of ['node', 'import', 'module-sync', 'require', 'default']) {
    const found = Object.hasOwn(value, condition) ? targetIn(value[condition]) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
