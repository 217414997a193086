import path from 'node:path';
import { type ChangedSource, changedSources } from '../../extension/derived-sources.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import { DefinitionError, type Extension, handlerWithoutInput } from '../../extension/extension.js';
import { locate } from '../../items/read.js';
import type { FileFacts } from './files.js';
import type { ItemFacts } from './items.js';

/** What was derived from types, and whether it still holds as far as files tell. */
export interface DerivationFacts {
  readonly file: string;
  /** Why it cannot be read. */
  readonly fault?: string;
  readonly changed: readonly ChangedSource[];
  /** Tools that leave their arguments to a function of which nothing was derived. */
  readonly lacking: readonly {
    readonly item: ItemRef;
    readonly handler: string;
    readonly location: Location;
  }[];
}

/** Looks at what was derived, without deriving anything. */
export async function gatherDerivation(
  extension: Extension,
  items: readonly ItemFacts[],
): Promise<{ readonly derivation?: DerivationFacts }> {
  const { derived: file } = await extension.files();
  if (file === undefined) return {};
  const found = await extension.derived().catch((error: unknown) => {
    if (error instanceof DefinitionError) return error;
    throw error;
  });
  if (found instanceof DefinitionError) {
    return { derivation: { file, fault: found.message, changed: [], lacking: [] } };
  }
  const { directory } = extension.manifest;
  const changed = found ? await changedSources(directory, found.derived) : [];
  // Types need not be shipped: an installed package is as its author left it.
  const isInstalled = directory.split(path.sep).includes('node_modules');
  return {
    derivation: {
      file,
      changed: isInstalled ? changed.filter(({ problem }) => problem === 'changed') : changed,
      lacking: items.flatMap(lackOf),
    },
  };
}

function lackOf({ ref, definition }: ItemFacts): DerivationFacts['lacking'] {
  const handler = definition && handlerWithoutInput(definition);
  if (handler === undefined || definition!.derived || definition!.file.language !== 'data') return [];
  return [{ item: ref, handler, location: locate(definition!, ['handler']) }];
}

/** Functions marked as tools that neither a name nor a toolkit of the manifest reaches. */
export async function unreachableMarks(extension: Extension): Promise<FileFacts['undeclared']> {
  const found = await extension.derived().catch(() => undefined);
  if (!found) return [];
  const { derived, file } = found;
  const { canonicalReference, moduleIn } = await import('../../extension/derived.js');
  const modules = extension.manifest.toolkits.map(({ module }) => module && canonicalReference(module));
  const lost = Object.entries(derived.tools).filter(
    ([item, reference]) => !modules.includes(moduleIn(reference)) && !extension.isDeclared('tools', item),
  );
  return lost.map(([item]) => ({
    kind: 'tools',
    item,
    location: { file, path: ['tools', item], key: true },
  }));
}
