import { findHarmedTools } from '../../adaptation/harmed-tools.js';
import { clientLimits } from '../../compatibility/client-limits.js';
import { measureServer } from '../../compatibility/token-cost.js';
import { isThroughAgentTools } from '../../installation/entry-inputs.js';
import type { SurfaceDifference } from '../../surface/model-surface.js';
import { describeDifference } from '../../surface/surface-gate.js';
import { againCommand, installCommand, removeCommand } from '../commands.js';
import type { Check } from '../finding.js';
import type { EntryPicture, Picture, Probe } from '../picture.js';

/** Servers that did not answer. */
export const failedStarts: Check = function* ({ probes }) {
  for (const [entry, probe] of probes) {
    const { key } = entry;
    if (probe.state === 'failed')
      yield {
        code: 'doctor/start-failed',
        entry,
        message: `"${key}" does not answer. ${probe.reason}`,
        fix: `Repair the server, or remove the entry: ${removeCommand(entry)}`,
      };
    if (probe.state === 'answers' && probe.absences.length > 0)
      yield {
        code: 'doctor/upstream-unavailable',
        entry,
        message: `"${key}": ${probe.absences.join(' ')}`,
        fix: 'Follow the message, then run doctor again.',
      };
  }
};

/** Most differences in a message. */
const maxChanges = 5;

/** Frozen servers with other items than the recorded ones. */
export const frozenChanges: Check = function* ({ probes }) {
  for (const [entry, probe] of probes) {
    const { key, installed } = entry;
    if (probe.state !== 'answers' || !('changes' in probe) || probe.changes?.length === 0) continue;
    const { changes } = probe;
    const more = (changes?.length ?? 0) - maxChanges;
    const told = changes?.slice(0, maxChanges).map((one) => `${describeDifference(one)}${valuesOf(one)}`);
    const found = told
      ? `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
      : 'no items are recorded.';
    yield {
      code: 'doctor/frozen-changed',
      entry,
      message: `"${key}" is frozen, and ${found}`,
      fix: installed
        ? againCommand(entry, installed, '--frozen')
        : 'Install the server again with --frozen, if you accept the change.',
    };
  }
};

/** Changed values, shortened. */
function valuesOf({ values }: SurfaceDifference): string {
  const short = (value: unknown) => {
    const text = JSON.stringify(value) ?? 'nothing';
    return text.length > 120 ? `${text.slice(0, 120)}…` : text;
  };
  const told = values.slice(0, 3).map(({ before, after }) => `${short(before)} → ${short(after)}`);
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}

interface Answered {
  readonly entry: EntryPicture;
  readonly tools: Extract<Probe, { state: 'answers' }>['tools'];
}

/** Servers that answered, by client. Servers of projects count only in the present one. */
export function answeredByClient({
  probes,
  cwd,
}: Pick<Picture, 'probes' | 'cwd'>): ReadonlyMap<string, readonly Answered[]> {
  const groups = new Map<string, Answered[]>();
  for (const [entry, probe] of probes) {
    const { client, project } = entry.config;
    if (probe.state !== 'answers' || (project !== undefined && project !== cwd)) continue;
    const group = groups.get(client.id) ?? [];
    groups.set(client.id, group);
    group.push({ entry, tools: probe.tools });
  }
  return groups;
}

export const toolCounts: Check = function* (picture) {
  for (const [client, servers] of answeredByClient(picture)) {
    const row = clientLimits.find(({ code, subject }) => code === 'compat/tool-count' && subject === client);
    const count = servers.reduce((sum, { tools }) => sum + tools.length, 0);
    if (row?.limit === undefined || count <= row.limit) continue;
    const largest = mostTools(servers);
    yield {
      code: 'doctor/tool-count',
      client,
      file: largest.config.file,
      message: `${largest.config.client.name} gets ${count} tools of ${servers.length} servers, and ${row.does}: its limit is ${row.limit}.`,
      fix: chooseCommand(largest),
    };
  }
};

/** Most tokens of all tools of a client together. The limit of `validate` for one server. */
const maxTokens = 20_000;

export const tokenBudgets: Check = function* (picture) {
  for (const [client, servers] of answeredByClient(picture)) {
    const tokens = tokensOf(client, servers);
    if (tokens <= maxTokens) continue;
    const largest = mostTools(servers);
    yield {
      code: 'doctor/token-budget',
      client,
      file: largest.config.file,
      message: `The tools of ${largest.config.client.name} need ≈ ${tokens.toLocaleString('en-US')} tokens of each request, more than ${maxTokens.toLocaleString('en-US')}. Most tools are of "${largest.key}".`,
      fix: chooseCommand(largest),
    };
  }
};

/** Tokens of all tools of a client. */
export function tokensOf(client: string, servers: readonly Answered[]): number {
  return servers.reduce((sum, { entry: { key }, tools }) => {
    const cost = measureServer({ key, tools });
    return sum + (cost.clients[client] ?? cost.tokens);
  }, 0);
}

function mostTools(servers: readonly Answered[]): EntryPicture {
  return servers.reduce((one, other) => (other.tools.length > one.tools.length ? other : one)).entry;
}

/** The command that puts the tools of a server behind the catalog. */
function chooseCommand(entry: EntryPicture): string {
  const { installed, launch } = entry;
  if (installed) return againCommand(entry, installed, '--catalog');
  return launch
    ? `Choose fewer tools in ${entry.config.client.name}, or remove a server.`
    : `Remove a server, or serve it through the catalog: ${installCommand(entry, entry.remote?.url ?? '<server>', '--catalog', '--force')}`;
}

/** Most names in a message. */
const maxNames = 5;

export const lostTools: Check = function* ({ probes }) {
  for (const [entry, probe] of probes) {
    if (probe.state !== 'answers') continue;
    const { config, key, launch, installed } = entry;
    const adapt = launch && isThroughAgentTools(launch.args) ? 'auto' : 'off';
    for (const { limit, tools } of findHarmedTools(probe.tools, config.client.id, {
      serverKey: key,
      adapt,
    })) {
      const rest = tools.length > maxNames ? ` and ${tools.length - maxNames} more` : '';
      yield {
        code: 'doctor/lost-tools',
        entry,
        message: `Of "${key}", ${config.client.name} ${limit.does}: ${tools.slice(0, maxNames).join(', ')}${rest} (${limit.code}).`,
        fix: installed
          ? againCommand(entry, installed, '--adapt')
          : 'Install the server with --adapt, or report it to its author.',
      };
    }
  }
};
