import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../extension/definition-shapes.js';
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

/** A tool that leaves its arguments to its function. */
export interface DerivationTarget {
  readonly tool: string;
  /** Canonical. */
  readonly reference: string;
  /** Its definition says itself what comes out. */
  readonly skipsOutput: boolean;
}

/** What there is to derive in a package, by its manifest and its data definitions. None of its code is run. */
export interface Targets {
  readonly handlers: readonly DerivationTarget[];
  /** Declared tools without a definition: functions marked `@mcp`, or nothing. */
  readonly unwritten: readonly string[];
  /** Modules whose marked functions are a toolkit, as canonical references. */
  readonly toolkits: readonly string[];
  /** The module that importing the package gives; looked for where something is unwritten. */
  readonly entry: string | undefined;
  /** Names of tools with a definition of their own. */
  readonly written: readonly string[];
  readonly faults: readonly TargetFault[];
}

/** Why nothing can be derived for a tool. */
export interface TargetFault {
  readonly message: string;
  readonly location: Location;
}

/** Thrown instead of running a definition in code. */
class CodeDefinitionError extends Error {}

/** Opens a package so that none of its code is run and nothing derived is taken over. */
export async function openUnderived(directory: string): Promise<Extension> {
  return await Extension.open(directory, {
    isUnderived: true,
    loadCode: () => Promise.reject(new CodeDefinitionError('definitions in code are not looked into')),
  });
}

/** Finds what there is to derive. */
export async function findTargets(extension: Extension): Promise<Targets> {
  const { declarations, toolkits } = extension.manifest;
  const faults: TargetFault[] = [];
  const unwritten: string[] = [];
  const definitions: Definition[] = [];
  for (const { name, toolkit } of declarations.tools) {
    if (toolkit !== undefined) continue;
    const found = await unlessCode(extension.definition('tools', name));
    if (found instanceof DefinitionError) {
      if (found.code === 'missing-definition') unwritten.push(name);
      else faults.push(found);
    } else if (found) definitions.push(found);
  }
  const modules: string[] = [];
  for (const { name, module, path } of toolkits) {
    if (module !== undefined) {
      const reference = canonicalReference(module);
      const location = { file: extension.manifest.document.file, path };
      const fault =
        reference === undefined
          ? `"${module}" is no file of the package. Expected one such as "./dist/files.js".`
          : await explainMissingModule(extension, module);
      if (fault !== undefined) faults.push({ message: `Toolkit "${name}": ${fault}`, location });
      else modules.push(reference!);
      continue;
    }
    const found = await unlessCode(extension.toolkit(name));
    if (found instanceof DefinitionError) faults.push(found);
    else if (found) definitions.push(...found.tools);
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
    entry: unwritten.length > 0 ? await packageEntryModule(extension) : undefined,
    written: definitions.map(({ item }) => item),
    faults,
  };
}

/** What was asked for, why it cannot be had, or nothing where only code could tell. */
async function unlessCode<T>(asked: Promise<T>): Promise<T | DefinitionError | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return error.cause instanceof CodeDefinitionError || error.code === 'typescript-only' ? undefined : error;
  }
}

/** Tools that are defined right in a server's list. */
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

/** The tools that an entry of a server's list defines itself, changed or not. */
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
    return { message: `Tool "${tool}": ${fault ?? `"${handler}" is no module reference.`}`, location };
  }
  return { tool, reference, skipsOutput: value.output !== undefined || value.outputSchema !== undefined };
}

/** Why a module is not there to be looked at. */
async function explainMissingModule({ paths }: Extension, text: string): Promise<string | undefined> {
  try {
    const reference = parseModuleReference(text);
    await locateModule(paths, reference);
    if (/\.[cm]?[jt]sx?$/.test(reference.file)) return undefined;
    return `${reference.file} is no module of JavaScript or TypeScript.`;
  } catch (error) {
    if (!(error instanceof ModuleReferenceError)) throw error;
    const hint = error.fault === 'missing' ? ' If it is compiled, build the package first.' : '';
    return `${error.message}${hint}`;
  }
}

/** The module of `exports`, `main` or by the name that Node takes last. @see https://nodejs.org/api/packages.html#package-entry-points */
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
