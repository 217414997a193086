import { type ClientLimit, clientLimits, limitSubjects, losesTools } from '../compatibility/client-limits.js';

/** `auto`: only changes without which the client loses tools. `on`: all changes that the client needs. */
type AdaptationMode = 'auto' | 'on';

/** The client that tools are adapted to. */
export interface AdaptationTarget {
  /** Identical for all clients with these limits. */
  readonly id: string;
  /** Limits of the client and of the APIs that it uses, by the codes of their rules. */
  readonly limits: ReadonlyMap<string, readonly ClientLimit[]>;
  /** Key of the server in the config of the client, which clients add to names of tools. */
  readonly serverKey: string;
}

/** The adaptation of a server. */
export interface TargetSettings {
  readonly mode: AdaptationMode;
  readonly serverKey: string;
}

/**
 * Returns the target for a client by its name in MCP. Clients without known limits get the changes without which some client
 * loses tools if the mode is `on`, and none otherwise.
 * @param clientName `clientInfo.name` of the client
 */
export function adaptationTarget(clientName: unknown, settings: TargetSettings): AdaptationTarget {
  const subject = typeof clientName === 'string' ? findSubject(clientName) : undefined;
  if (subject) return targetOf(subject, settings);
  // A client of unknown patience gets its lists in time rather than whole.
  const isLosing = (limit: ClientLimit) =>
    losesTools(limit) && limit.code.startsWith('compat/') && limit.code !== 'compat/list-changed-needed';
  return {
    id: `any ${settings.mode} ${settings.serverKey}`,
    limits: byCode(settings.mode === 'on' ? clientLimits.filter(isLosing) : []),
    serverKey: settings.serverKey,
  };
}

/** Returns the target for a client by its id; undefined if it has no known limits. */
export function adaptationTargetOf(clientId: string, settings: TargetSettings): AdaptationTarget | undefined {
  const subject = limitSubjects.find(({ id }) => id === clientId);
  return subject && targetOf(subject, settings);
}

type Subject = (typeof limitSubjects)[number];

const known = new Map<string, AdaptationTarget>();

/** Each target is made once. */
function targetOf(subject: Subject, settings: TargetSettings): AdaptationTarget {
  const key = `${subject.id} ${settings.mode} ${settings.serverKey}`;
  const target = known.get(key) ?? createTarget(subject, settings);
  known.set(key, target);
  return target;
}

function createTarget({ id, uses = [] }: Subject, { mode, serverKey }: TargetSettings): AdaptationTarget {
  const own = clientLimits.filter(({ subject }) => subject === id);
  const ownCodes = new Set(own.map(({ code }) => code));
  // A limit of the client takes the place of the limit of its API.
  const ofApis = clientLimits.filter(({ subject, code }) => uses.includes(subject) && !ownCodes.has(code));
  const limits = [...own, ...ofApis].filter((limit) => mode === 'on' || losesTools(limit));
  return { id: `${id} ${mode} ${serverKey}`, limits: byCode(limits), serverKey };
}

function byCode(limits: readonly ClientLimit[]): ReadonlyMap<string, readonly ClientLimit[]> {
  const grouped = new Map<string, ClientLimit[]>();
  for (const limit of limits) grouped.set(limit.code, [...(grouped.get(limit.code) ?? []), limit]);
  return grouped;
}

function findSubject(clientName: string): Subject | undefined {
  return limitSubjects.find(({ clientNames = [] }) =>
    clientNames.some((name) =>
      name.endsWith('*') ? clientName.startsWith(name.slice(0, -1)) : clientName === name,
    ),
  );
}
