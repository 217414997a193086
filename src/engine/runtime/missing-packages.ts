import { definitionLoading } from '../extension/extension.js';
import { singular } from '../extension/item-kinds.js';
import type { ServerSpec } from './compose-server.js';
import type { ServedKind } from './served-kind.js';
import type { SkippedItem } from './skipped-items.js';

/** Kinds of items that may become available while a server runs. */
export type PendingKind = ServedKind | 'skills';

/** A missing package that a server needs. */
export interface MissingPackage {
  readonly packageName: string;
  /** Kinds of the items that it provides, if known. */
  readonly kinds: readonly PendingKind[];
  /** The dependents and their items, in words. */
  readonly neededBy: string;
}

/** Lists that show the items of a kind, if this is not just the list of that kind. */
const affectedLists: Readonly<Partial<Record<SkippedItem['kind'], readonly PendingKind[]>>> = {
  apps: ['tools', 'resources'],
  skills: ['skills', 'resources'],
};

/** Kinds of items with definitions that are still loading. */
export function loadingKindsOf({ leftOut }: Pick<ServerSpec, 'leftOut'>): readonly PendingKind[] {
  const loading = leftOut.filter(({ code }) => code === definitionLoading);
  return [...new Set(loading.flatMap(({ kind }) => affectedLists[kind] ?? [kind as ServedKind]))];
}

/** The missing packages of a composed server. */
export function findMissingPackages({ leftOut, qualifiedName }: ServerSpec): readonly MissingPackage[] {
  return leftOut.flatMap(({ missingPackage, kind, item }) => {
    if (missingPackage === undefined) return [];
    const what = kind === 'skills' ? 'skill' : singular[kind];
    const neededBy = `the server ${qualifiedName} for the ${what} ${item}`;
    const kinds = affectedLists[kind] ?? [kind as ServedKind];
    return [{ packageName: missingPackage, kinds, neededBy }];
  });
}

/** Names of missing packages, without duplicates. */
export function packagesIn(lacks: readonly MissingPackage[]): readonly string[] {
  return [...new Set(lacks.map(({ packageName }) => packageName))];
}

/** The dependents of a package and their items, in words. */
export function describeDependents(name: string, lacks: readonly MissingPackage[]): string {
  const needed = lacks.filter(({ packageName }) => packageName === name);
  return needed.map(({ neededBy }) => neededBy).join(', ');
}
