import path from 'node:path';
import process from 'node:process';
import { type DataDocument, DocumentError, readDocument } from '../base/files/document.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { isInside, type PathScope, pathFault } from '../base/files/path-containment.js';
import { describePlainFault, findCopyFaults, type PlainData } from '../base/plain-data.js';
import { errorMessage, safelyThrown } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { visibleMessage } from '../base/visible-text.js';
import { isFunctionLike } from './check-shape.js';
import {
  type DefinitionFile,
  type DefinitionFiles,
  derivedFile,
  listDefinitionFiles,
} from './definition-files.js';
import type { Derived, DerivedFunction } from './derived.js';
import type { Location } from './diagnostics.js';
import { type Kind, singular } from './item-kinds.js';
import { type Translation, translate } from './key-spellings.js';
import { copyOfExport } from './live-definition.js';
import { type Declaration, type Manifest, readManifest } from './manifest.js';
import type { LiveExport } from './modules.js';
import { qualify } from './names.js';
import {
  findKeyedTools,
  findToolkit,
  readTools,
  type ToolkitContent,
  withToolkitDefaults,
} from './toolkits.js';

/** The definition of one item, read but not validated. */
export interface Definition {
  readonly kind: Kind;
  readonly item: string;
  readonly extension: Extension;
  readonly file: DefinitionFile;
  /** Path of the definition in the file: `[item]` in a combined one. */
  readonly at: DocumentPath;
  /** With AgentTools' key spellings. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly translation: Translation;
  /** The author's value, if it can occur again: in a toolkit, or directly in a server's list. */
  readonly written?: unknown;
  /** Keys that `value` takes from its function. */
  readonly derived?: DerivedPart;
}

/** A function that provides the arguments of a definition. */
export interface DerivedPart {
  readonly function: DerivedFunction;
  /** The file with the derived data. */
  readonly file: string;
  readonly reference: string;
  /** Keys that the definition does not contain itself. */
  readonly keys: readonly string[];
}

/** The tools of one file or list, read but not validated. */
export interface RawToolkit {
  /** Name in messages: `Toolkit "files"`. */
  readonly what: string;
  readonly extension: Extension;
  /** Keys that apply to all its tools. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly file: DefinitionFile;
  /** Path of the toolkit in the file. */
  readonly at: DocumentPath;
  /** In the order of the file. */
  readonly tools: readonly Definition[];
  /** Errors of entries that are not usable tools. */
  readonly faults: readonly DefinitionError[];
}

/** The reason an item is unavailable, as one diagnostic. The message is always one line. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  /** Code of the corresponding diagnostic. */
  readonly code: string;
  readonly location: Location;

  constructor(code: string, message: string, location: Location, options?: ErrorOptions) {
    super(visibleMessage(message), options);
    this.code = code;
    this.location = location;
  }
}

/** A code definition takes longer to load than callers wait. It may become available later. */
export class DefinitionLoadingError extends Error {
  override readonly name = 'DefinitionLoadingError';
}

/** Code of a {@link DefinitionError} that a {@link DefinitionLoadingError} has caused. */
export const definitionLoading = 'definition-loading';

// Deno runs TypeScript; its older versions have no list of features. Read before extension code loads.
const { features, versions } = process as Partial<NodeJS.Process>;

const runsTypeScript =
  versions?.deno !== undefined ||
  (features !== undefined && 'typescript' in features && Boolean(features.typescript));

/** Default export of a code definition: the live value of the module, or plain data from another process. */
type DefaultExport = LiveExport | PlainData;

/** Loads a code definition. Rejects if it fails. */
export type LoadCode = (file: string, relative: string) => Promise<DefaultExport>;

/** Loads a code definition in this process. */
export const importDefault: LoadCode = async (file) => {
  const { readDefaultExport, importModule } = await import('./import-module.js');
  return await readDefaultExport(await importModule(file), file);
};

/** Source of an extension: an npm package, bundled with AgentTools, or assembled by the user. */
export type Origin = 'package' | 'builtin' | 'user';

/** Options for opening an extension. */
export interface ExtensionOptions {
  readonly loadCode?: LoadCode;
  /** True to ignore derived data. Default: false. */
  readonly isUnderived?: boolean;
  /** Default: `package`. */
  readonly origin?: Origin;
  /** True if another process describes its code, which never runs in this process. Default: false. */
  readonly isSurface?: boolean;
}

/** An extension with its manifest. Definitions are read on demand and cached unless reading fails. */
export class Extension {
  readonly origin: Origin;
  /** True if its code runs in another process. */
  readonly isSurface: boolean;
  readonly #loadCode: LoadCode;
  readonly #definitions = new Map<string, Promise<Definition>>();
  readonly #documents = new Map<string, Promise<DataDocument>>();
  readonly #modules = new Map<string, Promise<PlainData>>();
  readonly #toolkits = new Map<string, Promise<RawToolkit>>();
  #files: Promise<DefinitionFiles> | undefined;
  readonly #isUnderived: boolean;

  /** Creates an extension from a manifest that was already read. */
  constructor(
    readonly manifest: Manifest,
    {
      loadCode = importDefault,
      origin = 'package',
      isUnderived = false,
      isSurface = false,
    }: ExtensionOptions = {},
  ) {
    this.#loadCode = loadCode;
    this.#isUnderived = isUnderived;
    this.origin = origin;
    this.isSurface = isSurface;
  }

  /** Opens a package folder and reads its manifest. @throws as {@link readManifest} does. */
  static async open(directory: string, options: ExtensionOptions = {}): Promise<Extension> {
    return new Extension(await readManifest(directory), options);
  }

  get name(): string {
    return this.manifest.packageName;
  }

  /** Scope of paths in its definitions. An extension of the user may refer to any file. */
  get paths(): PathScope {
    return { directory: this.manifest.directory, allowsAbsolute: this.origin === 'user' };
  }

  /** Lists the definition files. A root outside the package has none. */
  files(): Promise<DefinitionFiles> {
    this.#files ??= this.#listFiles();
    return this.#files;
  }

  async #listFiles(): Promise<DefinitionFiles> {
    const { directory, root } = this.manifest;
    const inside = !pathFault(root) && (await isInside(directory, path.join(directory, root)));
    return await listDefinitionFiles(directory, inside ? root : `${root}/\0`);
  }

  isDeclared(kind: Kind, item: string): boolean {
    return this.manifest.declarations[kind].some(({ name }) => name === item);
  }

  /**
   * True if the manifest declares the item, or a toolkit has the tool. Reads the toolkits only for undeclared
   * names.
   * @throws DefinitionError if no toolkit has the name, and a toolkit that might have it cannot be read.
   */
  async has(kind: Kind, item: string): Promise<boolean> {
    return this.isDeclared(kind, item) || (kind === 'tools' && (await this.#inToolkits(item)) !== undefined);
  }

  /**
   * Returns all declared items and the tools of its toolkits. For an unreadable toolkit: the tools that the
   * manifest lists.
   */
  async declared(kind: Kind): Promise<readonly Declaration[]> {
    const known = this.manifest.declarations[kind];
    if (kind !== 'tools') return known;
    const found = this.manifest.toolkits.map(async ({ name: toolkit, path: at }) => {
      const { tools } = await this.toolkit(toolkit).catch(() => ({ tools: [] }));
      return tools.map(
        ({ item, value: { description } }): Declaration => ({
          kind,
          name: item,
          ...(typeof description === 'string' && { description }),
          metadata: {},
          path: at,
          toolkit,
        }),
      );
    });
    const all = new Map(known.map((one) => [one.name, one]));
    for (const one of (await Promise.all(found)).flat()) if (!all.has(one.name)) all.set(one.name, one);
    return [...all.values()];
  }

  async #inToolkits(item: string): Promise<Definition | undefined> {
    const failures: unknown[] = [];
    for (const { name, tools: told } of this.manifest.toolkits) {
      const toolkit = await this.toolkit(name).catch((error) => {
        // If the manifest lists a toolkit's tools, they are declared and there are no others.
        if (!told) failures.push(error);
      });
      const found = toolkit?.tools.find((tool) => tool.item === item);
      if (found) return found;
    }
    if (failures.length > 0) throw failures[0];
    return undefined;
  }

  /**
   * Returns a toolkit that the manifest declares.
   * @throws DefinitionError with the reason if it is unavailable.
   */
  toolkit(name: string): Promise<RawToolkit> {
    const known = this.#toolkits.get(name);
    if (known) return known;
    const reading = this.#readToolkit(name).catch((error) => {
      this.#toolkits.delete(name);
      throw error;
    });
    this.#toolkits.set(name, reading);
    return reading;
  }

  /** Returns the file that contains a toolkit; undefined if it is missing. */
  async toolkitFile(name: string): Promise<DefinitionFile | undefined> {
    const { find, derived: file } = await this.files();
    const { module } = this.manifest.toolkits.find((one) => one.name === name) ?? {};
    if (module === undefined) return find('tools', name).find(({ combined }) => !combined);
    return file === undefined ? undefined : { file, language: 'data', combined: false };
  }

  async #readToolkit(name: string): Promise<RawToolkit> {
    const what = `Toolkit "${name}"`;
    const { document, base, toolkits, root } = this.manifest;
    const declaration = toolkits.find((one) => one.name === name);
    if (declaration?.module !== undefined)
      return await this.#derivedToolkit(what, declaration.module, declaration.path);
    const file = await this.toolkitFile(name);
    if (!file) {
      const expected = path.posix.join(root, 'tools', `${name}.js`);
      const declaredAt = { file: document.file, path: declaration?.path ?? base };
      const hint = await this.#misplacedHint('tools', name);
      const message = `${what} has no definition. Expected ${expected}.${hint}`;
      throw new DefinitionError('missing-definition', message, declaredAt);
    }
    const whole = await this.content(file, what);
    const content = findToolkit(whole) ?? findKeyedTools(whole);
    const [shared] = findCopyFaults(whole).filter(({ path }) => !isInTools(path, content));
    if (content && shared) {
      const message = `${what}: ${describePlainFault(shared)}.`;
      throw new DefinitionError('invalid-definition', message, { file: file.file, path: shared.path });
    }
    if (content) {
      const { options } = content;
      const toolkit = createRawToolkit({ ...content, options: {} }, { what, extension: this, file, at: [] });
      const tools = await Promise.all(
        toolkit.tools.map(async (tool) => {
          const whole = await this.completed(tool);
          // Derived keys of a function win over the shared keys of its toolkit.
          return { ...whole, value: withToolkitDefaults(whole.value, options) };
        }),
      );
      return { ...toolkit, options, tools };
    }
    const message = `${what} is not a toolkit in ${file.file}. Expected a list of tools, an object of tools by name, or an object with "tools".`;
    throw new DefinitionError('invalid-definition', message, { file: file.file });
  }

  /**
   * Returns the definition of a declared item.
   * @throws DefinitionError with the reason if it is unavailable.
   */
  definition(kind: Kind, item: string): Promise<Definition> {
    const key = `${kind}/${item}`;
    const known = this.#definitions.get(key);
    if (known) return known;
    const reading = this.#readDefinition(kind, item).catch((error) => {
      this.#definitions.delete(key);
      throw error;
    });
    this.#definitions.set(key, reading);
    return reading;
  }

  async #readDefinition(kind: Kind, item: string): Promise<Definition> {
    const declaration = this.manifest.declarations[kind].find(({ name }) => name === item);
    const files = await this.files();
    const what = `${upperFirst(singular[kind])} "${item}"`;
    const declaredAt: Location = {
      file: this.manifest.document.file,
      path: declaration?.path ?? this.manifest.base,
    };
    if (declaration?.toolkit !== undefined) {
      const { tools, file } = await this.toolkit(declaration.toolkit);
      const found = tools.find((tool) => tool.item === item);
      if (found) return found;
      const message = `${what} has no definition. ${file.file}, the toolkit "${declaration.toolkit}", has no tool of that name.`;
      throw new DefinitionError('missing-definition', message, declaredAt);
    }
    const inToolkit = kind === 'tools' && !declaration ? await this.#inToolkits(item) : undefined;
    if (inToolkit) return inToolkit;
    const file = files.find(kind, item)[0];
    const unwritten = file || kind !== 'tools' ? undefined : await this.#derivedTool(item);
    if (unwritten) return unwritten;
    if (!file) {
      const ending = kind === 'apps' ? 'html' : 'json';
      const expected = path.posix.join(this.manifest.root, kind, `${item}.${ending}`);
      throw new DefinitionError(
        'missing-definition',
        `${what} has no definition. Expected ${expected}.${await this.#misplacedHint(kind, item)}`,
        declaredAt,
      );
    }
    const whole = await this.content(file, what);
    const { held, at } = file.combined ? combinedEntry(whole, item) : { held: whole, at: [] };
    const unreadable =
      held === undefined && findCopyFaults(whole).find(({ path }) => path.join() === at.join());
    if (unreadable) {
      const message = `${what}: ${describePlainFault(unreadable)}.`;
      throw new DefinitionError('invalid-definition', message, { file: file.file, path: at });
    }
    if (held === undefined && file.combined) {
      const message = `${what} has no definition. ${file.file} has no entry "${item}", and the item has no separate file.`;
      throw new DefinitionError('missing-definition', message, declaredAt);
    }
    if (!isRecord(held) || isFunctionLike(held)) {
      const message = `${what} is not an object in ${file.file}. A definition is an object.`;
      throw new DefinitionError('invalid-definition', message, { file: file.file, path: at });
    }
    const translation = translate(held, kind);
    return await this.completed({
      kind,
      item,
      extension: this,
      file,
      at,
      value: translation.value,
      translation,
    });
  }

  /** A sentence about a source or a folder that probably has the definition of an item; else empty. */
  async #misplacedHint(kind: Kind, item: string): Promise<string> {
    const [{ describeMisplaced, findMisplacedFolder }, { describeUncompiled }] = await Promise.all([
      import('./misplaced-folder.js'),
      import('./typescript-sources.js'),
    ]);
    const { directory, root } = this.manifest;
    const uncompiled = await describeUncompiled(directory, root, path.posix.join(kind, item));
    return uncompiled || describeMisplaced(findMisplacedFolder(this.manifest, kind, item));
  }

  /**
   * Returns the data that `derive` wrote; undefined if missing.
   * @throws DefinitionError if it cannot be read
   */
  async derived(): Promise<{ readonly derived: Derived; readonly file: string } | undefined> {
    const { derived: file } = this.#isUnderived ? {} : await this.files();
    if (file === undefined) return undefined;
    const { readDerived } = await import('./derived.js');
    const held = await this.content({ file, language: 'data', combined: false }, file);
    const derived = readDerived(held);
    if (derived) return { derived, file };
    const message = `${file} is not what this version of "agenttools derive" writes. Run it again.`;
    throw new DefinitionError('invalid-definition', message, { file });
  }

  /** Adds the derived keys to a definition without its own input. */
  async completed(definition: Definition): Promise<Definition> {
    const { value } = definition;
    const handler = handlerWithoutInput(definition);
    const isCode = handler === undefined && isUntypedCode(definition);
    const found = handler !== undefined || isCode ? await this.derived() : undefined;
    if (!found) return definition;
    const { canonicalReference, codeReference, withDerivedKeys } = await import('./derived.js');
    const reference = isCode
      ? codeReference(definition.file.file, definition.item)
      : (canonicalReference(handler!) ?? '');
    const { functions } = found.derived;
    if (!Object.hasOwn(functions, reference)) return definition;
    const known = functions[reference]!;
    const whole = withDerivedKeys(value, known);
    const keys = Object.keys(whole).filter((key) => value[key] === undefined);
    return { ...definition, value: whole, derived: { function: known, file: found.file, reference, keys } };
  }

  /** Returns the definition of a tool that is only a function marked `@mcp`. */
  async #derivedTool(item: string): Promise<Definition | undefined> {
    const found = await this.derived();
    if (!found || !Object.hasOwn(found.derived.tools, item)) return undefined;
    return await this.#derivedDefinition(item, found.derived.tools[item]!, found.file);
  }

  async #derivedDefinition(item: string, handler: string, file: string): Promise<Definition> {
    const translation = translate({ handler }, 'tools');
    const { value } = translation;
    const source: DefinitionFile = { file, language: 'data', combined: false };
    return await this.completed({
      kind: 'tools',
      item,
      extension: this,
      file: source,
      at: ['functions', handler],
      value,
      translation,
    });
  }

  async #derivedToolkit(what: string, module: string, declaredAt: DocumentPath): Promise<RawToolkit> {
    const found = await this.derived();
    const location = { file: this.manifest.document.file, path: declaredAt };
    if (!found) {
      const message = `${what} has no ${path.posix.join(this.manifest.root, derivedFile)}. Run "agenttools derive".`;
      throw new DefinitionError('missing-definition', message, location);
    }
    const { canonicalReference, parseReferenceModule } = await import('./derived.js');
    const meant = canonicalReference(module);
    if (meant === undefined) {
      const message = `${what} names the module "${module}". Expected a file of the package, such as "./dist/files.js".`;
      throw new DefinitionError('invalid-toolkit', message, location);
    }
    const { derived, file } = found;
    const own = Object.entries(derived.tools).filter(
      ([, reference]) => parseReferenceModule(reference) === meant,
    );
    const tools = await Promise.all(
      own.map(([item, reference]) => this.#derivedDefinition(item, reference, file)),
    );
    const source: DefinitionFile = { file, language: 'data', combined: false };
    return { what, extension: this, options: {}, file: source, at: ['tools'], tools, faults: [] };
  }

  /**
   * Returns the content of a definition file.
   * @throws DefinitionError if it is outside the package or cannot be read.
   */
  async content(file: DefinitionFile, what: string): Promise<unknown> {
    const { directory } = this.manifest;
    if (await isInside(directory, path.join(directory, file.file)))
      return await this.#readContent(file, what);
    const message = `${file.file} is a link that leads out of the package.`;
    throw new DefinitionError('path-outside-package', message, { file: file.file });
  }

  async #readContent(file: DefinitionFile, what: string): Promise<unknown> {
    const location: Location = { file: file.file };
    if (file.language === 'html') return {};
    if (file.language === 'data') {
      const { value } = await this.document(file.file);
      return value;
    }
    if (file.language === 'typescript') this.#refuseTypeScript(file, what);
    const target = path.join(this.manifest.directory, file.file);
    const known = this.#modules.get(target);
    const loading = known ?? this.#loadCode(target, file.file).then(plainDefault);
    this.#modules.set(target, loading);
    try {
      return requirePlainExport(await loading, file, what);
    } catch (thrown) {
      this.#modules.delete(target);
      const error = safelyThrown(thrown);
      const isLoading = error instanceof DefinitionLoadingError;
      const code = isLoading ? definitionLoading : 'definition-failed';
      const message = `${what} could not be loaded from ${file.file}: ${errorMessage(error)}`;
      const fault =
        error instanceof DefinitionError
          ? error
          : new DefinitionError(code, message, location, { cause: error });
      throw isLoading ? fault : await withServerHint(fault, target);
    }
  }

  #refuseTypeScript(file: DefinitionFile, what: string): void {
    const installed = this.manifest.directory.split(path.sep).includes('node_modules');
    if (!installed && runsTypeScript) return;
    const why = installed
      ? 'Node does not run TypeScript from node_modules; the package should ship compiled JavaScript'
      : 'this Node does not strip types; compile it, or use Node 22.18 or newer';
    throw new DefinitionError('typescript-only', `${what} has only ${file.file}: ${why}.`, {
      file: file.file,
    });
  }

  /** Returns a data file of the package, parsed once. @throws DefinitionError if it is not well formed. */
  document(file: string): Promise<DataDocument> {
    const known = this.#documents.get(file);
    if (known) return known;
    const reading = readDocument(path.join(this.manifest.directory, file), file).catch(async (error) => {
      this.#documents.delete(file);
      if (!(error instanceof DocumentError)) throw error;
      const message = error.message.startsWith(file) ? error.message : `${file}: ${error.message}`;
      throw new DefinitionError('invalid-definition', message, await errorLocation(this, error));
    });
    this.#documents.set(file, reading);
    return reading;
  }

  /** Returns the qualified name of an item; the bare name if the extension is not a package. */
  qualify(item: string): string {
    return this.origin === 'package' ? qualify(this.name, item) : item;
  }
}

/** Adds advice to the fault of a module that is an MCP server. `file` is absolute. */
async function withServerHint(fault: DefinitionError, file: string): Promise<DefinitionError> {
  const { code, message, location } = fault;
  const { describeServerSource } = await import('./foreign/server-source.js');
  const hint = await describeServerSource(file, location.file);
  const cause = fault.cause === undefined ? {} : { cause: fault.cause };
  return hint === ''
    ? fault
    : new DefinitionError(code, `${message.replace(/\.?$/, '.')} ${hint}`, location, cause);
}

function plainDefault(loaded: DefaultExport): PlainData {
  return 'live' in loaded ? copyOfExport(loaded.live) : loaded;
}

/** Returns the default export of a module. @throws DefinitionError if it has no plain form as a whole */
function requirePlainExport({ value, faults }: PlainData, { file }: DefinitionFile, what: string): unknown {
  const fault = faults.find(({ path }) => path.length === 0);
  if (!fault) return value;
  throw new DefinitionError('invalid-definition', `${what}: ${describePlainFault(fault, file)}.`, { file });
}

/** Returns the handler reference of a tool without its own input; undefined for other items. */
export function handlerWithoutInput({ kind, value }: Pick<Definition, 'kind' | 'value'>): string | undefined {
  const { handler, input, inputSchema } = value;
  const isLeft = kind === 'tools' && input === undefined && inputSchema === undefined;
  return isLeft && typeof handler === 'string' ? handler : undefined;
}

/** True for a tool in code without a schema of its arguments. */
function isUntypedCode({ kind, value, file }: Definition): boolean {
  const { handler, input, inputSchema } = value;
  const isUntyped = kind === 'tools' && input === undefined && inputSchema === undefined;
  return isUntyped && file.language !== 'data' && isFunctionLike(handler);
}

async function errorLocation({ manifest }: Extension, { file, offset }: DocumentError): Promise<Location> {
  if (offset === undefined) return { file };
  const { readFile } = await import('node:fs/promises');
  const { positionAt } = await import('../base/files/json-text.js');
  const text = await readFile(path.join(manifest.directory, file), 'utf8');
  return { file, position: positionAt(text, offset) };
}

/** Finds an entry of a combined file: by key, or by name in a list of definitions or a toolkit. */
function combinedEntry(whole: unknown, item: string): { readonly held: unknown; readonly at: DocumentPath } {
  const content = findToolkit(whole);
  if (!content)
    return { held: isRecord(whole) && Object.hasOwn(whole, item) ? whole[item] : undefined, at: [item] };
  const found = readTools(content).tools.find(({ name }) => name === item);
  return { held: found?.value, at: [...content.path, ...(found ? [found.index] : [])] };
}

/** True if a path points into one of the tools of a toolkit. */
function isInTools(path: DocumentPath, content: ToolkitContent | undefined): boolean {
  const { path: at = [], keys } = content ?? {};
  if (keys) return keys.includes(String(path[0]));
  return path.length > at.length && at.every((key, index) => path[index] === key);
}

/** Position and owner of a toolkit. */
interface ToolkitLocation extends Pick<Definition, 'extension' | 'file' | 'at'> {
  readonly what: string;
}

/** Creates a toolkit from content at any position. */
export function createRawToolkit(content: ToolkitContent, place: ToolkitLocation): RawToolkit {
  const { what, extension, file, at } = place;
  const translations = content.tools.map((tool) =>
    isRecord(tool) && !isFunctionLike(tool) ? translate(tool, 'tools') : undefined,
  );
  const values = content.tools.map((tool, index) => translations[index]?.value ?? tool);
  const { tools, faults } = readTools({ ...content, tools: values });
  const placeOf = (index: number): DocumentPath => [...at, ...content.path, content.keys?.[index] ?? index];
  return {
    what,
    extension,
    options: content.options,
    file,
    at,
    tools: tools.map(({ index, name, value }) => {
      const translation = { ...translations[index]!, value };
      const written = content.tools[index];
      return { kind: 'tools', item: name, extension, file, at: placeOf(index), value, translation, written };
    }),
    faults: faults.map(({ index, reason }) => {
      const location = { file: file.file, path: placeOf(index) };
      return new DefinitionError('invalid-toolkit', `${what} ${reason}`, location);
    }),
  };
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
