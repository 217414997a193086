import { visibleLine } from '../base/visible-text.js';
import { listedKinds, type ServedKind } from '../runtime/served-kind.js';

/** Start of the stderr line for a list with a failed hook. {@link listFaultsIn} finds such lines. */
export const hookFailed = (server: string, kind: ServedKind): string =>
  `${server}: the list of ${kind} is the usual one, since its hook failed: `;

export const unknownPicked = (server: string, kind: ServedKind): string =>
  `${server}: the hook of its list of ${kind} gave what the server does not have; left out: `;

export const instancesFailed = (resource: string): string => `${resource}: its list failed: `;

export const instanceLeftOut = (resource: string): string => `${resource}: its list omits `;

const absences = ['is unavailable', 'is not available yet', 'cannot be started'] as const;

/** Reason why lists miss the tools of an upstream server. */
export type MissingToolsReason = (typeof absences)[number];

/** Start of the stderr line for a missing upstream server. */
export const upstreamAbsent = (name: string, absence: MissingToolsReason): string =>
  `The upstream server "${name}" ${absence}: `;

const ofUpstreams = new RegExp(`The upstream server ".*" (?:${absences.join('|')}): .*`, 'g');

const ofHooks = listedKinds.flatMap((kind) => [hookFailed('', kind), unknownPicked('', kind)]);
const beginnings = [...ofHooks, instancesFailed(''), instanceLeftOut('')];

/** Kinds of items that an entry of an upstream server may name. */
export type NamedItem = 'tool' | 'prompt' | 'resource' | 'app';

/** End of a sentence about an upstream server that lacks an item which an entry names. `meant`: a similar name that it has. */
export function lacksNamed(kind: NamedItem, name: string, meant: string | undefined): string {
  const lack = `has no ${kind} ${JSON.stringify(name)}`;
  return meant === undefined ? lack : `${lack}. Did you mean ${JSON.stringify(meant)}?`;
}

const missingNames =
  /The upstream server ".*" has no (?:tool|prompt|resource|app) ".*"\.(?: Did you mean ".*"\?)?/g;

/** Returns the reports of names in `only`, `except` and `rename` that an upstream server lacks, without repetitions. */
export function parseMissingNames(stderr: string): readonly string[] {
  return [...new Set((stderr.match(missingNames) ?? []).map(visibleLine))];
}

/** Returns the stderr lines that report incomplete lists, without stacks. */
export function listFaultsIn(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => beginnings.some((beginning) => line.includes(beginning)));
}

/** Returns the reports of missing upstream servers in stderr, without repetitions. */
export function parseAbsences(stderr: string): readonly string[] {
  const told = stderr.match(ofUpstreams) ?? [];
  return [...new Set(told.map(visibleLine))];
}
