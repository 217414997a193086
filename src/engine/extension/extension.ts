import path from 'node:path';
import { features } from 'node:process';
import { type DataDocument, DocumentError, readDocument } from '../base/files/document.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { isInside, type PathScope, pathFault } from '../base/files/path-containment.js';
import { describePlainFault, findCopyFaults, type PlainData } from '../base/plain-data.js';
import { errorMessage, safelyThrown } from '../base/thrown-value.js';
import { visibleMessage } from '../base/visible-text.js';
import {
  type DefinitionFile,
  type DefinitionFiles,
  derivedFile,
  listDefinitionFiles,
} from './definition-files.js';
import { isFunctionLike, isRecord } from './definition-shapes.js';
import type { Derived, DerivedFunction } from './derived.js';
import type { Location } from './diagnostics.js';
import { type Kind, singular } from './item-kinds.js';
import { type Translation, translate } from './key-spellings.js';
import { liveDefinition } from './live-definition.js';
import { type Declaration, type Manifest, readManifest } from './manifest.js';
import type { LiveExport } from './modules.js';
import { qualify } from './names.js';
import { findToolkit, readTools, type ToolkitContent, withToolkitDefaults } from './toolkits.js';

/** The definition of one item, read but not yet judged. */
export interface Definition {
  readonly kind: Kind;
  readonly item: string;
  readonly extension: Extension;
  readonly file: DefinitionFile;
  /** Where in the file it begins: `[item]` in a combined one. */
  readonly at: DocumentPath;
  /** In our own spelling. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly translation: Translation;
  /** What its author wrote, where that may be met again: in a toolkit, or right in a server's list. */
  readonly written?: unknown;
  /** What its function says of itself, and `value` takes over. */
  readonly derived?: DerivedPart;
}

/** A function that a definition leaves its arguments to. */
export interface DerivedPart {
  readonly function: DerivedFunction;
  /** The file that tells. */
  readonly file: string;
  readonly reference: string;
  /** The keys that are not written in the definition. */
  readonly keys: readonly string[];
}

/** The tools of one file or list, read but not yet judged. */
export interface RawToolkit {
  /** As messages call it: `Toolkit "files"`. */
  readonly what: string;
  readonly extension: Extension;
  /** What it says for all its tools. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly file: DefinitionFile;
  /** Where in the file it begins. */
  readonly at: DocumentPath;
  /** In its order. */
  readonly tools: readonly Definition[];
  /** Entries that are no tools to be had. */
  readonly faults: readonly DefinitionError[];
}

/** Why an item cannot be had, as one diagnostic. Its message is one line, whatever it quotes. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  /** The code of the diagnostic it would be. */
  readonly code: string;
  readonly location: Location;

  constructor(code: string, message: string, location: Location, options?: ErrorOptions) {
    super(visibleMessage(message), options);
    this.code = code;
    this.location = location;
  }
}

/** A code definition that loads for longer than anyone waits for it. It may be there later. */
export class DefinitionLoadingError extends Error {
  override readonly name = 'DefinitionLoadingError';
}

/** Code of a {@link DefinitionError} that a {@link DefinitionLoadingError} has caused. */
export const definitionLoading = 'definition-loading';

/** The default export of a code definition: as the module has it, or as plain data that another process made of it. */
type DefaultExport = LiveExport | PlainData;

/** Loads a code definition, or rejects. */
export type LoadCode = (file: string, relative: string) => Promise<DefaultExport>;

/** Loads it into this process. */
export const importDefault: LoadCode = async (file) => {
  const { readDefaultExport, importModule } = await import('./import-module.js');
  return await readDefaultExport(await importModule(file));
};

/** Whose an extension is: somebody's package, bundled with this program, or what the user put together. */
export type Origin = 'package' | 'builtin' | 'user';

/** How an extension is opened. */
export interface ExtensionOptions {
  readonly loadCode?: LoadCode;
  /** Takes definitions as they are written, whatever was derived for them. */
  readonly isUnderived?: boolean;
  /** `package` when absent. */
  readonly origin?: Origin;
  /** Its code is described by another process and never runs in this one. */
  readonly isSurface?: boolean;
}

/** An extension whose manifest has been read. Definitions are read when asked for, and kept if they could be. */
export class Extension {
  readonly origin: Origin;
  /** Whether its code runs in another process. */
  readonly isSurface: boolean;
  readonly #loadCode: LoadCode;
  readonly #definitions = new Map<string, Promise<Definition>>();
  readonly #documents = new Map<string, Promise<DataDocument>>();
  readonly #modules = new Map<string, Promise<PlainData>>();
  readonly #toolkits = new Map<string, Promise<RawToolkit>>();
  #files: Promise<DefinitionFiles> | undefined;
  readonly #isUnderived: boolean;

  /** Of a manifest that was read otherwise. */
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

  /** Reads the manifest of a package folder. @throws as {@link readManifest} does. */
  static async open(directory: string, options: ExtensionOptions = {}): Promise<Extension> {
    return new Extension(await readManifest(directory), options);
  }

  get name(): string {
    return this.manifest.packageName;
  }

  /** Where the paths in its definitions may lead. What the user put together may name any file of theirs. */
  get paths(): PathScope {
    return { directory: this.manifest.directory, allowsAbsolute: this.origin === 'user' };
  }

  /** The definition files there are. A root that leaves the package has none. */
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
   * Whether it has an item: one that its manifest declares, or a tool of a toolkit. Those are looked into for names
   * that nothing else has.
   * @throws DefinitionError if nothing has the name, and a toolkit that might cannot be read.
   */
  async has(kind: Kind, item: string): Promise<boolean> {
    return this.isDeclared(kind, item) || (kind === 'tools' && (await this.#inToolkits(item)) !== undefined);
  }

  /** Everything that it declares, with the tools of its toolkits. One that cannot be read has those it is said to have. */
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
        // One that tells its tools has no others, and those are declared.
        if (!told) failures.push(error);
      });
      const found = toolkit?.tools.find((tool) => tool.item === item);
      if (found) return found;
    }
    if (failures.length > 0) throw failures[0];
    return undefined;
  }

  /** A toolkit that the manifest declares. @throws DefinitionError saying why there is none. */
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

  /** The file that holds a toolkit, if there is one. */
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
      const message = `${what} has no definition. Expected ${expected}.`;
      throw new DefinitionError('missing-definition', message, declaredAt);
    }
    const whole = await this.content(file, what);
    const content = findToolkit(whole);
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
          // What a function says of itself counts more than what its toolkit says of all.
          return { ...whole, value: withToolkitDefaults(whole.value, options) };
        }),
      );
      return { ...toolkit, options, tools };
    }
    const message = `${what} is no toolkit in ${file.file}. Expected a list of tools, or an object with "tools".`;
    throw new DefinitionError('invalid-definition', message, { file: file.file });
  }

  /** The definition of a declared item. @throws DefinitionError saying why there is none. */
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
        `${what} has no definition. Expected ${expected}.`,
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
      const message = `${what} has no definition. ${file.file} has no entry "${item}", and there is no file of its own.`;
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

  /** What was derived from the types of its functions, if that was done. @throws DefinitionError if it cannot be read */
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

  /** A definition with what its function says of itself, where it leaves its arguments to it. */
  async completed(definition: Definition): Promise<Definition> {
    const { value } = definition;
    const handler = handlerWithoutInput(definition);
    const found = handler === undefined ? undefined : await this.derived();
    if (!found) return definition;
    const { canonicalReference, withDerivedKeys } = await import('./derived.js');
    const reference = canonicalReference(handler!) ?? '';
    const { functions } = found.derived;
    if (!Object.hasOwn(functions, reference)) return definition;
    const known = functions[reference]!;
    const whole = withDerivedKeys(value, known);
    const keys = Object.keys(whole).filter((key) => value[key] === undefined);
    return { ...definition, value: whole, derived: { function: known, file: found.file, reference, keys } };
  }

  /** A tool that is nothing but a function marked as one. */
  async #derivedTool(item: string): Promise<Definition | undefined> {
    const found = await this.derived();
    if (!found || !Object.hasOwn(found.derived.tools, item)) return undefined;
    return await this.#unwritten(item, found.derived.tools[item]!, found.file);
  }

  async #unwritten(item: string, handler: string, file: string): Promise<Definition> {
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
    const tools = await Promise.all(own.map(([item, reference]) => this.#unwritten(item, reference, file)));
    const source: DefinitionFile = { file, language: 'data', combined: false };
    return { what, extension: this, options: {}, file: source, at: ['tools'], tools, faults: [] };
  }

  /** What a definition file holds. @throws DefinitionError if it is not the package's, or cannot be had. */
  async content(file: DefinitionFile, what: string): Promise<unknown> {
    const { directory } = this.manifest;
    if (await isInside(directory, path.join(directory, file.file))) return await this.#wholeOf(file, what);
    const message = `${file.file} is a link that leads out of the package.`;
    throw new DefinitionError('path-outside-package', message, { file: file.file });
  }

  async #wholeOf(file: DefinitionFile, what: string): Promise<unknown> {
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
      if (error instanceof DefinitionError) throw error;
      const message = `${what} could not be loaded from ${file.file}: ${errorMessage(error)}`;
      const code = error instanceof DefinitionLoadingError ? definitionLoading : 'definition-failed';
      throw new DefinitionError(code, message, location, { cause: error });
    }
  }

  #refuseTypeScript(file: DefinitionFile, what: string): void {
    const installed = this.manifest.directory.split(path.sep).includes('node_modules');
    if (!installed && 'typescript' in features && features.typescript) return;
    const why = installed
      ? 'Node does not run TypeScript from node_modules; the package should ship compiled JavaScript'
      : 'this Node does not strip types; compile it, or use Node 22.18 or newer';
    throw new DefinitionError('typescript-only', `${what} has only ${file.file}: ${why}.`, {
      file: file.file,
    });
  }

  /** A data file of the package, parsed once. @throws DefinitionError if it is not well formed. */
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

  /** How an item of this package is called everywhere else: by its bare name, where it is no package of somebody's. */
  qualify(item: string): string {
    return this.origin === 'package' ? qualify(this.name, item) : item;
  }
}

function plainDefault(loaded: DefaultExport): PlainData {
  return 'live' in loaded ? liveDefinition(loaded.live) : loaded;
}

/** The value of a module's default export. @throws DefinitionError if it has no plain form as a whole */
function requirePlainExport({ value, faults }: PlainData, { file }: DefinitionFile, what: string): unknown {
  const fault = faults.find(({ path }) => path.length === 0);
  if (!fault) return value;
  throw new DefinitionError('invalid-definition', `${what}: ${describePlainFault(fault, file)}.`, { file });
}

/** The function that a tool leaves its arguments to, if it does. */
export function handlerWithoutInput({ kind, value }: Pick<Definition, 'kind' | 'value'>): string | undefined {
  const { handler, input, inputSchema } = value;
  const isLeft = kind === 'tools' && input === undefined && inputSchema === undefined;
  return isLeft && typeof handler === 'string' ? handler : undefined;
}

async function errorLocation({ manifest }: Extension, { file, offset }: DocumentError): Promise<Location> {
  if (offset === undefined) return { file };
  const { readFile } = await import('node:fs/promises');
  const { positionAt } = await import('../base/files/json-text.js');
  const text = await readFile(path.join(manifest.directory, file), 'utf8');
  return { file, position: positionAt(text, offset) };
}

/** One entry of a combined file: by key, or, in a list of definitions or a toolkit, by name. */
function combinedEntry(whole: unknown, item: string): { readonly held: unknown; readonly at: DocumentPath } {
  const content = findToolkit(whole);
  if (!content)
    return { held: isRecord(whole) && Object.hasOwn(whole, item) ? whole[item] : undefined, at: [item] };
  const found = readTools(content).tools.find(({ name }) => name === item);
  return { held: found?.value, at: [...content.path, ...(found ? [found.index] : [])] };
}

/** Whether a path leads into one of the tools of a toolkit. */
function isInTools(path: DocumentPath, content: ToolkitContent | undefined): boolean {
  const at = content?.path ?? [];
  return path.length > at.length && at.every((key, index) => path[index] === key);
}

/** Where a toolkit stands, and whose it is. */
interface ToolkitLocation extends Pick<Definition, 'extension' | 'file' | 'at'> {
  readonly what: string;
}

/** Makes a toolkit of what was read, wherever that stands. */
export function createRawToolkit(content: ToolkitContent, place: ToolkitLocation): RawToolkit {
  const { what, extension, file, at } = place;
  const translations = content.tools.map((tool) =>
    isRecord(tool) && !isFunctionLike(tool) ? translate(tool, 'tools') : undefined,
  );
  const values = content.tools.map((tool, index) => translations[index]?.value ?? tool);
  const { tools, faults } = readTools({ ...content, tools: values });
  const placeOf = (index: number): DocumentPath => [...at, ...content.path, index];
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
