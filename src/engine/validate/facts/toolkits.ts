import { checkShape, type ShapeFault } from '../../extension/check-shape.js';
import type { DefinitionFile } from '../../extension/definition-files.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import {
  createRawToolkit,
  DefinitionError,
  type Extension,
  type RawToolkit,
} from '../../extension/extension.js';
import { toolkitShape } from '../../extension/keys/entry-keys.js';
import type { ToolkitDeclaration } from '../../extension/manifest.js';
import { findToolkit } from '../../extension/toolkits.js';
import { type ItemSnapshot, missingItem } from './items.js';

/** A toolkit of the extension: declared, or a combined file. */
export interface ToolkitSnapshot {
  readonly what: string;
  readonly ref?: ItemRef;
  readonly toolkit: RawToolkit;
  /** Faults in its shared keys. */
  readonly faults: readonly ShapeFault[];
  /** Tools that are missing from its declaration, if the declaration lists tools. */
  readonly undeclared: readonly { readonly item: string; readonly location: Location }[];
  /** Tools with the name of another declared item, unless its declaration lists them. */
  readonly taken: readonly { readonly item: string; readonly location: Location }[];
}

/** Every toolkit of an extension. `lost`: the unavailable ones, as items with an error. */
export async function gatherToolkits(
  extension: Extension,
): Promise<{ readonly toolkits: readonly ToolkitSnapshot[]; readonly lost: readonly ItemSnapshot[] }> {
  const { manifest } = extension;
  const read = await Promise.all(manifest.toolkits.map((one) => readDeclared(one, extension)));
  const combined = await combinedToolkit(extension);
  return {
    toolkits: [...read.flatMap((one) => ('toolkit' in one ? one : [])), ...(combined ? [combined] : [])],
    lost: read.flatMap((one) => ('toolkit' in one ? [] : one)),
  };
}

async function readDeclared(
  declaration: ToolkitDeclaration,
  extension: Extension,
): Promise<ToolkitSnapshot | ItemSnapshot> {
  const { name, tools: told } = declaration;
  const ref: ItemRef = { kind: 'toolkit', name };
  try {
    const toolkit = await extension.toolkit(name);
    const located = toolkit.tools.map(({ item, file, at }) => ({
      item,
      location: { file: file.file, ...(file.language === 'data' && { path: at }) },
    }));
    const declared = await extension.declared('tools');
    const holder = new Map(declared.map((one) => [one.name, one.toolkit]));
    const isTold = (item: string) => told?.some((one) => one.name === item) ?? false;
    return {
      ...snapshotToolkit(toolkit),
      ref,
      undeclared: told ? located.filter(({ item }) => !isTold(item)) : [],
      taken: located.filter(({ item }) => holder.get(item) !== name && !isTold(item)),
    };
  } catch (error) {
    const source = await extension.toolkitFile(name);
    return { kind: 'tools', name, ref, ...(source && { source }), ...missingItem(error, source) };
  }
}

async function combinedToolkit(extension: Extension): Promise<ToolkitSnapshot | undefined> {
  const [file] = (await extension.files()).combined('tools');
  const content = file && findToolkit(await readToolkitFile(file, extension));
  if (!file || !content) return undefined;
  const toolkit = createRawToolkit(content, { what: file.file, extension, file, at: [] });
  return { ...snapshotToolkit(toolkit), undeclared: [], taken: [] };
}

/** The content of a file; undefined if it is unreadable, which is reported with the items that need it. */
async function readToolkitFile(file: DefinitionFile, extension: Extension): Promise<unknown> {
  return await extension.content(file, file.file).catch((error) => {
    if (error instanceof DefinitionError) return undefined;
    throw error;
  });
}

function snapshotToolkit(toolkit: RawToolkit): Pick<ToolkitSnapshot, 'what' | 'toolkit' | 'faults'> {
  const faults = [...checkShape({ ...toolkit.options, tools: [] }, toolkitShape)];
  return { what: toolkit.what, toolkit, faults };
}
