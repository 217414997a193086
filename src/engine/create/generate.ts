import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { statFile } from '../base/files/disk.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { ConfigError, type ConfigValue } from '../clients/edit/editor.js';
import { jsonEditor } from '../clients/edit/json.js';
import { type ItemKind, type Kind, kinds, singular } from '../extension/item-kinds.js';
import { hasItems, type Manifest, readManifest } from '../extension/manifest.js';
import { isItemName, shortName } from '../extension/names.js';
import { findSources } from '../extension/typescript-sources.js';
import { itemDrafts, type SourceLanguage, type SourceLayout } from './item-files.js';
import { writeFiles } from './scaffold.js';

/** Options of `generate`. */
export interface GeneratePlan {
  /** Absolute path of the package. */
  readonly directory: string;
  readonly kind: ItemKind;
  readonly name: string;
  /** Default: TypeScript if the compiler of the package writes into the folder of the definitions. */
  readonly language?: SourceLanguage;
}

/** Result of `generate`. */
export interface GeneratedItem {
  readonly kind: ItemKind;
  readonly name: string;
  readonly language: SourceLanguage;
  /** New files, relative to the package, with `/`. */
  readonly files: readonly string[];
  /** File with the manifest, which has the declaration now. */
  readonly manifest: string;
  /** Name of the server that a package without declared servers has. Present if it is gone now. */
  readonly replaces?: string;
}

/**
 * Adds an item to an extension: its definition, its declaration and a test case. Changes nothing else in the manifest.
 * @throws AgentToolsError if the package is no extension, the name is not legal or taken, or a file exists
 */
export async function generateItem({
  directory,
  kind,
  name,
  language,
}: GeneratePlan): Promise<GeneratedItem> {
  const manifest = await readManifest(directory);
  const key = kinds.find((one) => singular[one] === kind)!;
  requireFreeName(manifest, key, name);
  const layout = await findLayout(manifest, language);
  const draft = itemDrafts[kind](name, { layout, packageName: manifest.packageName });
  const taken = Object.keys(draft.files).find((file) => statFile(path.join(directory, file)));
  if (taken !== undefined) throw new AgentToolsError('refused', `${taken} exists. Choose another name.`);
  const before = await readTextFile(path.join(directory, manifest.document.file));
  const text = declare(manifest, key, draft.declaration, before.text ?? '');
  const isFirstServer = kind === 'server' && manifest.declarations.servers.length === 0 && hasItems(manifest);
  const implicit = shortName(manifest.packageName);
  await writeFiles(directory, draft.files);
  await replaceTextFile(before, text);
  return {
    kind,
    name,
    language: layout.language,
    files: Object.keys(draft.files),
    manifest: manifest.document.file,
    ...(isFirstServer && implicit !== name && { replaces: implicit }),
  };
}

function requireFreeName({ declarations }: Manifest, kind: Kind, name: string): void {
  if (!isItemName(name)) {
    const message = `"${name}" is no item name. Expected 1 to 128 of the characters A-Z a-z 0-9 _ . -`;
    throw new AgentToolsError('usage', message);
  }
  if (!declarations[kind].some((one) => one.name === name)) return;
  throw new AgentToolsError('refused', `The package has a ${singular[kind]} "${name}" already.`);
}

/** The text of the manifest with one more declaration. */
function declare(
  { document, base, translation }: Manifest,
  kind: Kind,
  declaration: ConfigValue,
  before: string,
): string {
  const written = translation.origins.get(kind) ?? [kind];
  const list = translation.value[kind];
  const at = [...base, ...written, ...(Array.isArray(list) ? [list.length] : [])];
  try {
    return jsonEditor().set(before, at, Array.isArray(list) ? declaration : [declaration]);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new AgentToolsError('refused', `${document.file} cannot be changed: ${error.message}`);
  }
}

/** @throws AgentToolsError if the sources of a TypeScript package cannot be found */
async function findLayout(
  { directory, root, packageJson }: Manifest,
  language: SourceLanguage | undefined,
): Promise<SourceLayout> {
  const sources = language === 'javascript' ? undefined : await findSources(directory, root);
  if (sources !== undefined) return { language: 'typescript', root, sources, moduleEnding: '.js' };
  if (language === 'typescript') {
    const message = `No source of TypeScript compiles to ${root}: "rootDir" and "outDir" of tsconfig.json do not lead to it. Set both, or use --js.`;
    throw new AgentToolsError('failed', message);
  }
  const { type } = packageJson.value as { readonly type?: unknown };
  return {
    language: 'javascript',
    root,
    sources: 'src',
    moduleEnding: type === 'module' ? '.js' : '.mjs',
  };
}
