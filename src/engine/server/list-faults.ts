import { listedKinds, type ServedKind } from '../items/registry.js';

/** How a line on stderr begins that tells of a list which does not show what it is meant to. */
export const hookFailed = (server: string, kind: ServedKind): string =>
  `${server}: the list of ${kind} is the usual one, since its hook failed: `;

export const foreignPicked = (server: string, kind: ServedKind): string =>
  `${server}: the hook of its list of ${kind} gave what the server does not have; left out: `;

export const instancesFailed = (resource: string): string => `${resource}: its list failed: `;

export const instanceLeftOut = (resource: string): string => `${resource}: its list goes without `;

const ofHooks = listedKinds.flatMap((kind) => [hookFailed('', kind), foreignPicked('', kind)]);
const beginnings = [...ofHooks, instancesFailed(''), instanceLeftOut('')];

/** The lines of stderr that tell of such lists, without stacks. */
export function listFaultsIn(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => beginnings.some((beginning) => line.includes(beginning)));
}
