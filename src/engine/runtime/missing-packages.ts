import { definitionLoading } from '../extension/extension.js';
import { singular } from '../extension/item-kinds.js';
import type { ServerSpec } from './compose-server.js';
import type { ServedKind } from './served-kind.js';
import type { SkippedItem } from './skipped-items.js';

/** What of a server may still come. */
export type PendingKind = ServedKind | 'skills';

/** Something that a server goes without because a package is not here. */
export interface MissingPackage {
  readonly packageName: string;
  /** The kinds of item that come with it, as far as that is known. */
  readonly kinds: readonly PendingKind[];
  /** Who needs it and for what, in words. */
  readonly neededBy: string;
}

/** The lists that tell of what has none of its own, or not alone. */
const affectedLists: Readonly<Partial<Record<SkippedItem['kind'], readonly PendingKind[]>>> = {
  apps: ['tools', 'resources'],
  skills: ['skills', 'resources'],
};

/** The kinds with items whose definitions are still loading. */
export function loadingKindsOf({ leftOut }: Pick<ServerSpec, 'leftOut'>): readonly PendingKind[] {
  const loading = leftOut.filter(({ code }) => code === definitionLoading);
  return [...new Set(loading.flatMap(({ kind }) => affectedLists[kind] ?? [kind as ServedKind]))];
}

/** What a composed server goes without because packages are not here. */
export function findMissingPackages({ leftOut, qualifiedName }: ServerSpec): readonly MissingPackage[] {
  return leftOut.flatMap(({ missingPackage, kind, item }) => {
    if (missingPackage === undefined) return [];
    const what = kind === 'skills' ? 'skill' : singular[kind];
    const neededBy = `the server ${qualifiedName} for the ${what} ${item}`;
    const kinds = affectedLists[kind] ?? [kind as ServedKind];
    return [{ packageName: missingPackage, kinds, neededBy }];
  });
}

/** The packages that are lacking, each once. */
export function packagesIn(lacks: readonly MissingPackage[]): readonly string[] {
  return [...new Set(lacks.map(({ packageName }) => packageName))];
}

/** Who needs a package and for what, in words. */
export function describeDependents(name: string, lacks: readonly MissingPackage[]): string {
  const needed = lacks.filter(({ packageName }) => packageName === name);
  return needed.map(({ neededBy }) => neededBy).join(', ');
}
