import path from 'node:path';
import { packageEntryModule } from '../../derive/targets.js';
import { derivedFile } from '../../extension/definition-files.js';
import { type ChangedSource, changedSources } from '../../extension/derived-sources.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import { DefinitionError, type Extension, handlerWithoutInput } from '../../extension/extension.js';
import { parseModuleReference } from '../../extension/modules.js';
import { locate } from '../../runtime/read-definition.js';
import type { FileSnapshot } from './file-snapshot.js';
import type { ItemSnapshot } from './items.js';

/** The derived file, and the changes of its sources. */
export interface DerivationSnapshot {
  readonly file: string;
  /** The reason why the file cannot be read. */
  readonly fault?: string;
  readonly changed: readonly ChangedSource[];
  /** Tools that need an input schema from their function, without a derived one. */
  readonly lacking: readonly UnderivedTool[];
  /**
   * True if there is no derived file. `lacking` then has only tools with functions that clearly take
   * arguments one by one.
   */
  readonly isMissing?: true;
  /**
   * Tools without a definition that are functions marked `@mcp`, with their modules. Set if there is no
   * derived file.
   */
  readonly marked?: ReadonlyMap<string, string>;
}

interface UnderivedTool {
  readonly item: ItemRef;
  readonly handler: string;
  readonly location: Location;
  /** Parameter names in the function's source, if it was read. */
  readonly parameters?: readonly string[];
}

/** Compares the derived file with its sources. Derives nothing. */
export async function gatherDerivation(
  extension: Extension,
  items: readonly ItemSnapshot[],
): Promise<{ readonly derivation?: DerivationSnapshot }> {
  const { derived: file } = await extension.files();
  if (file === undefined) return { derivation: await gatherForgotten(extension, items) };
  const found = await extension.derived().catch((error: unknown) => {
    if (error instanceof DefinitionError) return error;
    throw error;
  });
  if (found instanceof DefinitionError) {
    return { derivation: { file, fault: found.message, changed: [], lacking: [] } };
  }
  const { directory } = extension.manifest;
  const changed = found ? await changedSources(directory, found.derived) : [];
  // Types need not be shipped, so an installed package may lack them.
  const isInstalled = directory.split(path.sep).includes('node_modules');
  return {
    derivation: {
      file,
      changed: isInstalled ? changed.filter(({ problem }) => problem === 'changed') : changed,
      lacking: items.flatMap(findUnderived),
    },
  };
}

/** Finds tools that need a derivation, by the sources of their functions, if there is no derived file. */
async function gatherForgotten(
  extension: Extension,
  items: readonly ItemSnapshot[],
): Promise<DerivationSnapshot> {
  const { directory, root } = extension.manifest;
  const { markedTool, shownParameter, signaturesIn, takesOneByOne } = await import('./signatures.js');
  const lacking: UnderivedTool[] = [];
  for (const item of items) {
    const [lack] = findUnderived(item);
    const file = item.callables.find(({ label }) => label === 'handler')?.file;
    if (!lack || file === undefined) continue;
    const { exportName } = parseModuleReference(lack.handler, extension.paths);
    const signature = (await signaturesIn(directory, file)).find(({ name }) => name === exportName);
    if (!signature || !takesOneByOne(signature)) continue;
    lacking.push({ ...lack, parameters: signature.parameters.map(shownParameter) });
  }
  const marked = new Map<string, string>();
  const unwritten = items.filter(
    ({ kind, error }) => kind === 'tools' && error?.code === 'missing-definition',
  );
  if (unwritten.length > 0) {
    const entry = await packageEntryModule(extension);
    const named = items.flatMap(({ callables }) => callables.flatMap(({ file }) => file ?? []));
    for (const module of new Set([...(entry === undefined ? [] : [entry.slice('./'.length)]), ...named])) {
      for (const signature of await signaturesIn(directory, module)) {
        const tool = markedTool(signature);
        if (tool !== undefined) marked.set(tool, module);
      }
    }
  }
  const file = path.posix.join(root.replaceAll('\\', '/'), derivedFile);
  return { file, changed: [], lacking, isMissing: true, marked };
}

function findUnderived({ ref, definition }: ItemSnapshot): DerivationSnapshot['lacking'] {
  const handler = definition && handlerWithoutInput(definition);
  if (handler === undefined || definition!.derived || definition!.file.language !== 'data') return [];
  return [{ item: ref, handler, location: locate(definition!, ['handler']) }];
}

/** Functions marked `@mcp` that no declared tool or toolkit of the manifest reaches. */
export async function unreachableMarks(extension: Extension): Promise<FileSnapshot['undeclared']> {
  const found = await extension.derived().catch(() => undefined);
  if (!found) return [];
  const { derived, file } = found;
  const { canonicalReference, parseReferenceModule } = await import('../../extension/derived.js');
  const modules = extension.manifest.toolkits.map(({ module }) => module && canonicalReference(module));
  const lost = Object.entries(derived.tools).filter(
    ([item, reference]) =>
      !modules.includes(parseReferenceModule(reference)) && !extension.isDeclared('tools', item),
  );
  return lost.map(([item]) => ({
    kind: 'tools',
    item,
    location: { file, path: ['tools', item], key: true },
  }));
}
