import { visibleLine } from '../base/visible-text.js';
import { listedKinds, type ServedKind } from '../runtime/served-kind.js';

/** How a line on stderr begins that tells of a list which does not show what it is meant to. */
export const hookFailed = (server: string, kind: ServedKind): string =>
  `${server}: the list of ${kind} is the usual one, since its hook failed: `;

export const foreignPicked = (server: string, kind: ServedKind): string =>
  `${server}: the hook of its list of ${kind} gave what the server does not have; left out: `;

export const instancesFailed = (resource: string): string => `${resource}: its list failed: `;

export const instanceLeftOut = (resource: string): string => `${resource}: its list goes without `;

const absences = ['is not there', 'is not there yet', 'cannot be started'] as const;

/** Why lists go without the tools of an upstream server. */
export type MissingToolsReason = (typeof absences)[number];

/** How a line begins that tells of such an upstream server. */
export const upstreamAbsent = (name: string, absence: MissingToolsReason): string =>
  `The upstream server "${name}" ${absence}: `;

const ofUpstreams = new RegExp(`The upstream server ".*" (?:${absences.join('|')}): .*`, 'g');

const ofHooks = listedKinds.flatMap((kind) => [hookFailed('', kind), foreignPicked('', kind)]);
const beginnings = [...ofHooks, instancesFailed(''), instanceLeftOut('')];

/** The lines of stderr that tell of such lists, without stacks. */
export function listFaultsIn(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => beginnings.some((beginning) => line.includes(beginning)));
}

/** What stderr tells of upstream servers whose tools lists go without, each once. */
export function parseAbsences(stderr: string): readonly string[] {
  const told = stderr.match(ofUpstreams) ?? [];
  return [...new Set(told.map(visibleLine))];
}
