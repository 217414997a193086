import { singular } from '../extension/kinds.js';
import type { ServedKind } from './registry.js';
import type { ServerSpec } from './server.js';

/** Something that a server goes without because a package is not here. */
export interface Lack {
  readonly packageName: string;
  /** The kinds of item that come with it, as far as that is known. */
  readonly kinds: readonly ServedKind[];
  /** Who needs it and for what, in words. */
  readonly neededBy: string;
}

/** The lists that tell of apps. */
const shownBy: readonly ServedKind[] = ['tools', 'resources'];

/** What a composed server goes without because packages are not here. */
export function lacksOf({ leftOut, qualifiedName }: ServerSpec): readonly Lack[] {
  return leftOut.flatMap(({ missingPackage, kind, item }) => {
    if (missingPackage === undefined) return [];
    const neededBy = `the server ${qualifiedName} for the ${singular[kind]} ${item}`;
    return [{ packageName: missingPackage, kinds: kind === 'apps' ? shownBy : [kind], neededBy }];
  });
}

/** The packages that are lacking, each once. */
export function packagesIn(lacks: readonly Lack[]): readonly string[] {
  return [...new Set(lacks.map(({ packageName }) => packageName))];
}

/** Who needs a package and for what, in words. */
export function whoNeeds(name: string, lacks: readonly Lack[]): string {
  const needed = lacks.filter(({ packageName }) => packageName === name);
  return needed.map(({ neededBy }) => neededBy).join(', ');
}
