/** Means that can enforce a sandbox, the strongest first. */
export const sandboxLevels = ['bubblewrap', 'node'] as const;

export type SandboxLevel = (typeof sandboxLevels)[number];

/** The level without a choice. */
export const strongestLevel: SandboxLevel = 'bubblewrap';

/** True for the name of a level. */
export function isSandboxLevel(word: unknown): word is SandboxLevel {
  return sandboxLevels.some((level) => level === word);
}

/** The permission for every host, and for every program. */
export const everything = '*';
