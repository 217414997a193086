import path from 'node:path';
import { features } from 'node:process';
import { isInside, type PathScope, pathFault } from '../files/contain.js';
import { type DataDocument, DocumentError, type DocumentPath, readDocument } from '../files/document.js';
import { visibleMessage } from '../visible-text.js';
import { type DefinitionFile, type DefinitionFiles, listDefinitionFiles } from './definition-files.js';
import type { Location } from './diagnostics.js';
import { type Kind, singular } from './kinds.js';
import { type Manifest, readManifest } from './manifest.js';
import { exportOf, importModule, messageOf } from './modules.js';
import { qualify } from './names.js';
import { isFunctionLike, isRecord } from './shapes.js';
import { type Translation, translate } from './spellings.js';

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

/** Gives the default export of a code definition: live, described by another process, or not at all. */
export type LoadCode = (file: string, relative: string) => Promise<unknown>;

/** Loads it into this process. */
export const importDefault: LoadCode = async (file) => exportOf(await importModule(file), 'default');

/** Whose an extension is: somebody's package, bundled with this program, or what the user put together. */
export type Origin = 'package' | 'builtin' | 'user';

/** How an extension is opened. */
export interface ExtensionOptions {
  readonly loadCode?: LoadCode;
  /** `package` when absent. */
  readonly origin?: Origin;
}

/** An extension whose manifest has been read. Definitions are read when asked for, and kept if they could be. */
export class Extension {
  readonly origin: Origin;
  readonly #loadCode: LoadCode;
  readonly #definitions = new Map<string, Promise<Definition>>();
  readonly #documents = new Map<string, Promise<DataDocument>>();
  readonly #modules = new Map<string, Promise<unknown>>();
  #files: Promise<DefinitionFiles> | undefined;

  /** Of a manifest that was read otherwise. */
  constructor(
    readonly manifest: Manifest,
    { loadCode = importDefault, origin = 'package' }: ExtensionOptions = {},
  ) {
    this.#loadCode = loadCode;
    this.origin = origin;
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
    const candidates = files.find(kind, item);
    const file = candidates[0];
    if (!file) {
      const ending = kind === 'apps' ? 'html' : 'json';
      const expected = path.posix.join(this.manifest.root, kind, `${item}.${ending}`);
      throw new DefinitionError(
        'missing-definition',
        `${what} has no definition. Expected ${expected}.`,
        declaredAt,
      );
    }
    const location: Location = { file: file.file };
    if (!(await isInside(this.manifest.directory, path.join(this.manifest.directory, file.file)))) {
      const message = `${file.file} is a link that leads out of the package.`;
      throw new DefinitionError('path-outside-package', message, location);
    }
    const whole = await this.#wholeOf(file, what);
    const held = file.combined ? entryOf(whole, item) : whole;
    if (held === undefined && file.combined) {
      const message = `${what} has no definition. ${file.file} has no entry "${item}", and there is no file of its own.`;
      throw new DefinitionError('missing-definition', message, declaredAt);
    }
    if (!isRecord(held) || isFunctionLike(held)) {
      const message = `${what} is not an object in ${file.file}. A definition is an object.`;
      throw new DefinitionError('invalid-definition', message, {
        ...location,
        path: file.combined ? [item] : [],
      });
    }
    const translation = translate(held, kind);
    return {
      kind,
      item,
      extension: this,
      file,
      at: file.combined ? [item] : [],
      value: translation.value,
      translation,
    };
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
    const loading = known ?? this.#loadCode(target, file.file);
    this.#modules.set(target, loading);
    try {
      return await loading;
    } catch (error) {
      this.#modules.delete(target);
      if (error instanceof DefinitionError) throw error;
      const message = `${what} could not be loaded from ${file.file}: ${messageOf(error)}`;
      throw new DefinitionError('definition-failed', message, location, { cause: error });
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
      throw new DefinitionError('invalid-definition', message, await placeOf(this, error));
    });
    this.#documents.set(file, reading);
    return reading;
  }

  /** How an item of this package is called everywhere else: by its bare name, where it is no package of somebody's. */
  qualify(item: string): string {
    return this.origin === 'package' ? qualify(this.name, item) : item;
  }
}

async function placeOf({ manifest }: Extension, { file, offset }: DocumentError): Promise<Location> {
  if (offset === undefined) return { file };
  const { readFile } = await import('node:fs/promises');
  const { positionAt } = await import('../files/json-text.js');
  const text = await readFile(path.join(manifest.directory, file), 'utf8');
  return { file, position: positionAt(text, offset) };
}

/** One entry of a combined file: by key, or, in a list of definitions, by name. */
function entryOf(whole: unknown, item: string): unknown {
  if (Array.isArray(whole)) return whole.find((entry) => isRecord(entry) && nameOf(entry) === item);
  return isRecord(whole) && Object.hasOwn(whole, item) ? whole[item] : undefined;
}

function nameOf(definition: Record<string, unknown>): unknown {
  if (definition.name !== undefined) return definition.name;
  const { handler } = definition;
  return typeof handler === 'function' || isRecord(handler)
    ? (handler as { name?: unknown }).name
    : undefined;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
