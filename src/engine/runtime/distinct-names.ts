import { isDeepStrictEqual } from 'node:util';

/**
 * Makes all names of a list distinct: unique names stay, the others get numbers in list order, skipping numbers that
 * would give a taken name. `[Search, Search, Search1]` becomes `[Search2, Search3, Search1]`.
 */
export function distinctNames(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set(names);
  return names.map((name) => {
    if (counts.get(name) === 1) return name;
    let number = 1;
    while (taken.has(appendNumber(name, number))) number++;
    const own = appendNumber(name, number);
    taken.add(own);
    return own;
  });
}

/** Longest wire name. @see MCP 2025-11-25, server/tools, "Tool Names" */
const maxWireNameLength = 128;

function appendNumber(name: string, number: number): string {
  const suffix = String(number);
  return name.slice(0, maxWireNameLength - suffix.length) + suffix;
}

/** An item of a list: its name and its source. */
export interface CollisionCandidate {
  readonly name: string;
  /** Equal for the same item, wherever it is listed. */
  readonly written: unknown;
  /** True if the item was listed with its whole toolkit. */
  readonly inToolkit: boolean;
  /** Overrides of the item where it is listed, from the inside out. */
  readonly changes: readonly unknown[];
}

/**
 * Merges a tool that the list has twice under one name: with its toolkit, and by itself. The merged tool keeps the
 * position of its separate entry. The overrides of that entry follow the overrides of the toolkit.
 */
export function withoutRepeats<T extends CollisionCandidate>(listed: readonly T[]): readonly T[] {
  const isSame = (one: T, other: T) =>
    one.name === other.name && isDeepStrictEqual(one.written, other.written);
  const inToolkits = listed.filter(({ inToolkit }) => inToolkit);
  const alone = listed.filter(({ inToolkit }) => !inToolkit);
  if (inToolkits.length === 0 || alone.length === 0) return listed;
  return listed.flatMap((one) => {
    if (one.inToolkit) return alone.some((other) => isSame(one, other)) ? [] : [one];
    const said = inToolkits.filter((other) => isSame(one, other)).flatMap(({ changes }) => changes);
    return [{ ...one, changes: [...said, ...one.changes] }];
  });
}
