import path from 'node:path';
import { AgentToolsError, type ErrorCode } from '../base/errors.js';
import { statFile } from '../base/files/disk.js';
import { type DataDocument, DocumentError, readDocument } from '../base/files/document.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { isInside, pathFault } from '../base/files/path-containment.js';
import { isRecord } from '../base/value-checks.js';
import { visibleLine, visibleMessage } from '../base/visible-text.js';
import type { Location } from './diagnostics.js';
import { type Kind, kinds } from './item-kinds.js';
import { type Translation, translate } from './key-spellings.js';
import { isItemName } from './names.js';
import { findSkillFolders, readSkillsFolder, type SkillOwner } from './skill-folders.js';

/** Field of package.json that makes a package an extension. */
export const manifestField = 'agenttools';

/** Default folder of the definition files. */
const defaultRoot = 'agenttools';

/** An item's entry in the manifest. */
export interface Declaration {
  readonly kind: Kind;
  readonly name: string;
  readonly description?: string;
  /** Further keys of the entry, for discovery. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Path in the manifest's document. */
  readonly path: DocumentPath;
  /** The toolkit that contains it, if a toolkit entry lists it. */
  readonly toolkit?: string;
}

/** An entry of `tools` that declares all tools of one file: `{ "toolkit": "files" }`. */
export interface ToolkitDeclaration {
  /** File name without extension. */
  readonly name: string;
  readonly description?: string;
  /** Tools that the entry lists, for readers that do not open the file. Undefined if it lists none. */
  readonly tools?: readonly Declaration[];
  /**
   * The module with functions marked `@mcp`, which are its tools. Undefined if a file defines the toolkit.
   */
  readonly module?: string;
  readonly path: DocumentPath;
}

/** Content of package.json and its manifest, local or remote. Reading it never runs code of the package. */
export interface ManifestContent {
  /** Safe to print. Valid package names are unchanged. */
  readonly packageName: string;
  readonly packageVersion: string;
  readonly packageJson: DataDocument;
  /** The document that contains the manifest: package.json or the file it names. */
  readonly document: DataDocument;
  /** Path of the manifest in that document. */
  readonly base: DocumentPath;
  /** The manifest in AgentTools' spelling. */
  readonly translation: Translation;
  /** The folder of the definition files, relative to the package, with `/`. */
  readonly root: string;
  /** The folder of the skills, relative to the package, with `/`. */
  readonly skillsFolder: string;
  /** Well-formed entries, in their order. */
  readonly declarations: Readonly<Record<Kind, readonly Declaration[]>>;
  /** Toolkit entries. The tools that they list are among the declarations. */
  readonly toolkits: readonly ToolkitDeclaration[];
  /** True if the manifest declares nothing and the package has skills. */
  readonly hasOnlySkills: boolean;
}

/** The manifest of a package folder. */
export interface Manifest extends ManifestContent {
  /** Absolute path with symbolic links resolved. */
  readonly directory: string;
}

/** A package that is not an extension, or with an unreadable manifest. */
export class ManifestError extends AgentToolsError {
  /** Code of the corresponding diagnostic. */
  readonly diagnostic: string;
  /** Message without the location, for output that shows it separately. `message` includes the location. */
  readonly text: string;
  readonly location: Location;

  constructor(code: ErrorCode, diagnostic: string, text: string, location: Location, directory?: string) {
    const line = visibleMessage(text);
    super(
      code,
      directory === undefined ? line : `${visibleLine(formatManifestPlace(directory, location))}: ${line}`,
    );
    this.diagnostic = diagnostic;
    this.text = line;
    this.location = location;
  }

  /** Returns the same error with its folder in the message. */
  in(directory: string): ManifestError {
    return new ManifestError(this.code, this.diagnostic, this.text, this.location, directory);
  }
}

function formatManifestPlace(directory: string, { file, position }: Location): string {
  const place = path.join(directory, file);
  return position ? `${place}:${position.line}:${position.column}` : place;
}

/**
 * Reads the manifest of a package folder.
 * @throws AgentToolsError `not-found` without package.json; ManifestError if it contains no readable
 * manifest.
 */
export async function readManifest(directory: string): Promise<Manifest> {
  try {
    return await readManifestIn(directory);
  } catch (error) {
    throw error instanceof ManifestError ? error.in(directory) : error;
  }
}

async function readManifestIn(directory: string): Promise<Manifest> {
  const packageJson = await readPart(directory, 'package.json');
  const content = await interpretManifest(packageJson, {
    unnamed: path.basename(directory),
    read: (field, location) => readManifestFile(directory, field, location),
    hasSkills: async (skillsFolder) => (await findSkillFolders({ directory, skillsFolder })).length > 0,
  });
  return { directory, ...content };
}

/** Source of a package.json. */
export interface ManifestOrigin {
  /** Name of a package without a `name`. */
  readonly unnamed: string;
  /** Reads the manifest file that package.json names. The path, as written, stays inside the package. */
  readonly read: (field: string, location: Location) => Promise<DataDocument>;
  /** Returns true if the package has skills in a folder. Called only if the manifest declares nothing. */
  readonly hasSkills: (skillsFolder: SkillOwner['skillsFolder']) => Promise<boolean>;
}

/** Reads the manifest of a package.json. @throws ManifestError if it contains no readable manifest. */
export async function interpretManifest(
  packageJson: DataDocument,
  { unnamed, read, hasSkills }: ManifestOrigin,
): Promise<ManifestContent> {
  if (!isRecord(packageJson.value)) {
    throw new ManifestError(
      'malformed-manifest',
      'malformed-manifest',
      'package.json does not hold an object.',
      {
        file: 'package.json',
      },
    );
  }
  const { name, version } = packageJson.value;
  const packageName = visibleLine(typeof name === 'string' && name !== '' ? name : unnamed);
  const { document, base, value } = await findManifest(packageJson, packageName, read);
  const translation = translate(value, 'manifest');
  const skillsFolder = readSkillsFolder(translation.value.skills);
  return {
    packageName,
    packageVersion: typeof version === 'string' ? visibleLine(version) : '0.0.0',
    packageJson,
    document,
    base,
    translation,
    root: typeof translation.value.root === 'string' ? translation.value.root : defaultRoot,
    skillsFolder,
    ...readDeclarations(translation, base),
    hasOnlySkills: declaresNothing(translation) && (await hasSkills(skillsFolder)),
  };
}

async function findManifest(
  packageJson: DataDocument,
  packageName: string,
  read: ManifestOrigin['read'],
): Promise<{ document: DataDocument; base: DocumentPath; value: Record<string, unknown> }> {
  const field = (packageJson.value as Record<string, unknown>)[manifestField];
  const location: Location = { file: 'package.json', path: [manifestField] };
  if (field === undefined) {
    throw new ManifestError(
      'no-extension',
      'no-extension',
      `${packageName} is not an extension: its package.json has no "${manifestField}" field.`,
      { file: 'package.json' },
    );
  }
  if (isRecord(field)) return { document: packageJson, base: [manifestField], value: field };
  if (typeof field !== 'string') {
    throw new ManifestError(
      'malformed-manifest',
      'malformed-manifest',
      `"${manifestField}" in package.json must be an object or the path of a manifest file.`,
      location,
    );
  }
  if (pathFault(field)) {
    const outside = `The manifest path "${visibleLine(field)}" leaves the package. It must be relative to the package folder and stay in it.`;
    throw new ManifestError('malformed-manifest', 'path-outside-package', outside, location);
  }
  const document = await read(field, location);
  if (!isRecord(document.value)) {
    throw new ManifestError(
      'malformed-manifest',
      'malformed-manifest',
      `${document.file} does not hold an object.`,
      {
        file: document.file,
      },
    );
  }
  return { document, base: [], value: document.value };
}

/** Reads the manifest file in a folder. Follows links inside the package only. */
async function readManifestFile(directory: string, field: string, location: Location): Promise<DataDocument> {
  const target = path.join(directory, field);
  if (statFile(target) && !(await isInside(directory, target))) {
    const outside = `The manifest "${visibleLine(field)}" is a link that leads out of the package.`;
    throw new ManifestError('malformed-manifest', 'path-outside-package', outside, location);
  }
  return await readPart(directory, path.relative(directory, target).replaceAll('\\', '/'), location);
}

/** Reads one file of the package. Throws its problems as faults of the manifest. */
async function readPart(directory: string, file: string, reference?: Location): Promise<DataDocument> {
  try {
    return await readDocument(path.join(directory, file), file);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    if (error.offset === undefined && file === 'package.json') {
      throw new AgentToolsError('not-found', `There is no package.json in ${directory}.`);
    }
    if (error.offset === undefined) {
      const message = `The manifest file "${visibleLine(file)}" does not exist or cannot be used: ${error.message}`;
      throw new ManifestError('malformed-manifest', 'malformed-manifest', message, reference ?? { file });
    }
    const { positionAt } = await import('../base/files/json-text.js');
    const { readFile } = await import('node:fs/promises');
    const text = await readFile(path.join(directory, file), 'utf8');
    throw new ManifestError('malformed-manifest', 'malformed-manifest', error.message, {
      file,
      position: positionAt(text, error.offset),
    });
  }
}

function readDeclarations(
  translation: Translation,
  base: DocumentPath,
): Pick<ManifestContent, 'declarations' | 'toolkits'> {
  const declarations: Record<Kind, Declaration[]> = {
    servers: [],
    tools: [],
    prompts: [],
    resources: [],
    apps: [],
  };
  const toolkits: ToolkitDeclaration[] = [];
  for (const kind of kinds) {
    const list = translation.value[kind];
    if (!Array.isArray(list)) continue;
    const at = [...base, ...(translation.origins.get(kind) ?? [kind])];
    const seen = new Set<string>();
    for (const [index, entry] of list.entries()) {
      const toolkit = kind === 'tools' ? readToolkit(entry, [...at, index]) : undefined;
      if (toolkit && !toolkits.some(({ name }) => name === toolkit.name)) toolkits.push(toolkit);
      const declared = toolkit ? (toolkit.tools ?? []) : [readDeclaration(kind, entry, [...at, index])];
      for (const declaration of declared) {
        if (!declaration || seen.has(declaration.name)) continue;
        seen.add(declaration.name);
        declarations[kind].push(declaration);
      }
    }
  }
  return { declarations, toolkits };
}

/**
 * Reads `{ "toolkit": name, "tools"?: […] }`; undefined for any other entry. Skips invalid declarations in
 * `tools`.
 */
export function readToolkit(entry: unknown, at: DocumentPath): ToolkitDeclaration | undefined {
  if (!isRecord(entry)) return undefined;
  const { value, origins } = translate(entry, 'declaration');
  const { toolkit: name, description, tools, module } = value;
  if (!isItemName(name) || (module !== undefined && typeof module !== 'string')) return undefined;
  const listed = Array.isArray(tools)
    ? tools.flatMap((tool, index) => {
        const path = [...at, ...(origins.get('tools') ?? ['tools']), index];
        const declaration = readDeclaration('tools', tool, path);
        return declaration ? [{ ...declaration, toolkit: name }] : [];
      })
    : undefined;
  return {
    name,
    ...(typeof description === 'string' && { description }),
    ...(listed && { tools: listed }),
    ...(module !== undefined && { module }),
    path: at,
  };
}

/** Returns all declarations of a kind as entries of a server's list. A toolkit entry represents its tools. */
export function allDeclared(
  { declarations, toolkits }: Pick<ManifestContent, 'declarations' | 'toolkits'>,
  kind: Kind,
): readonly (string | { readonly toolkit: string })[] {
  const items = declarations[kind].filter(({ toolkit }) => toolkit === undefined);
  if (kind !== 'tools' || toolkits.length === 0) return items.map(({ name }) => name);
  const entries = [
    ...items.map(({ name, path: at }) => ({ entry: name, index: Number(at.at(-1)) })),
    ...toolkits.map(({ name, path: at }) => ({ entry: { toolkit: name }, index: Number(at.at(-1)) })),
  ];
  return entries.sort((a, b) => a.index - b.index).map(({ entry }) => entry);
}

/** True if all lists are empty. A value that is not a list is a separate fault. */
function declaresNothing({ value }: Translation): boolean {
  const lists = kinds.map((kind) => value[kind]).filter((list) => list !== undefined);
  return lists.every((list) => Array.isArray(list) && list.length === 0);
}

/** True if a package has anything to serve. */
export function hasItems({
  declarations,
  toolkits,
  hasOnlySkills,
}: Pick<ManifestContent, 'declarations' | 'toolkits' | 'hasOnlySkills'>): boolean {
  if (hasOnlySkills) return true;
  const { tools, prompts, resources, apps } = declarations;
  return tools.length + prompts.length + resources.length + apps.length + toolkits.length > 0;
}

/** Returns a sentence for each kind with a value that is not a list, and thus declares nothing. */
export function listFaults({
  translation: { value },
}: Pick<ManifestContent, 'translation'>): readonly string[] {
  const faulty = kinds.filter((kind) => value[kind] !== undefined && !Array.isArray(value[kind]));
  return faulty.map(listFault);
}

export function listFault(kind: Kind): string {
  return `"${kind}" of the manifest is not a list. Expected a list of names, such as "${kind}": ["forecast"].`;
}

/**
 * Reads one entry: `"name"`, `["name", "description"]` or `{ "name": …, … }`; undefined for any other value.
 */
export function readDeclaration(kind: Kind, entry: unknown, at: DocumentPath): Declaration | undefined {
  if (typeof entry === 'string')
    return isItemName(entry) ? { kind, name: entry, metadata: {}, path: at } : undefined;
  if (Array.isArray(entry)) {
    const [name, description] = entry;
    if (entry.length !== 2 || !isItemName(name) || typeof description !== 'string') return undefined;
    return { kind, name, description, metadata: {}, path: at };
  }
  if (!isRecord(entry)) return undefined;
  const { name, description, ...metadata } = translate(entry, 'declaration').value;
  if (!isItemName(name)) return undefined;
  return { kind, name, ...(typeof description === 'string' && { description }), metadata, path: at };
}

/** Returns the location of a manifest key, in any spelling. */
export function locateInManifest({ document, base, translation }: Manifest, path: DocumentPath): Location {
  const [first, ...rest] = path;
  const origin = typeof first === 'string' ? translation.origins.get(first) : undefined;
  return { file: document.file, path: [...base, ...(origin ? [...origin, ...rest] : path)] };
}
