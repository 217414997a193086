import { isRecord, type UnknownRecord } from '../base/value-checks.js';

/** Kinds of items in a surface, by the keys of their lists. */
export const surfaceKinds = {
  tools: { key: 'name', what: 'tool' },
  prompts: { key: 'name', what: 'prompt' },
  resources: { key: 'uri', what: 'resource' },
  resourceTemplates: { key: 'uriTemplate', what: 'resource template' },
} as const;

export type SurfaceKind = keyof typeof surfaceKinds;

/** Everything that a client gets of a server before its first call. */
export interface ServerSurface
  extends Readonly<Record<SurfaceKind, Readonly<Record<string, UnknownRecord>>>> {
  /** Name and other texts of the server, and its instructions; not its version. */
  readonly server: UnknownRecord;
}

/** Surfaces by the names of servers. */
export type PackageSurface = Readonly<Record<string, ServerSurface>>;

/** File of the surfaces of a package, beside its package.json. */
export const surfaceSnapshotFile = 'agenttools.surface.json';

const formatVersion = 1;

/** Items of lists by name or URI, in the order of their names. */
export function itemsByKey(
  kind: SurfaceKind,
  items: readonly UnknownRecord[],
): Readonly<Record<string, UnknownRecord>> {
  const { key } = surfaceKinds[kind];
  const entries = items.map(({ [key]: name, ...entry }) => [String(name), entry] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The text of a snapshot file. Equal surfaces have equal texts if their servers send the members in the same order. */
export function formatPackageSurface(servers: PackageSurface): string {
  return `${JSON.stringify({ formatVersion, servers }, undefined, 2)}\n`;
}

/** Reads the text of a snapshot file. Returns a sentence if it is not one of this version of AgentTools. */
export function parsePackageSurface(text: string): PackageSurface | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'It is not valid JSON.';
  }
  if (!isRecord(value) || !isRecord(value.servers)) return 'It has no "servers".';
  if (value.formatVersion !== formatVersion)
    return `Its format version is ${JSON.stringify(value.formatVersion)}, and this version of AgentTools reads ${formatVersion}. Update AgentTools.`;
  const isWhole = Object.values(value.servers).every(
    (server) =>
      isRecord(server) && ['server', ...Object.keys(surfaceKinds)].every((key) => isMap(server[key])),
  );
  return isWhole ? (value.servers as unknown as PackageSurface) : 'A server in it has missing lists.';
}

function isMap(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((held) => isRecord(held) || typeof held !== 'object');
}
