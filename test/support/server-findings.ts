import type { ServerFindings } from '../../.scripts/server-findings.mjs';
import { limitSubjects } from '../../src/engine/compatibility/client-limits.js';
import type { ClientChoice } from '../../src/engine/compatibility/judge-findings.js';
import { checkSurface, type ServedFault } from '../../src/engine/server-checks/check-surface.js';
import { type ServedSurface, servedLists } from '../../src/engine/server-checks/served-surface.js';
import { type RecordedServer, recordedServers } from './recorded-servers.js';

/** The surface of a recorded server. */
function surfaceOf({ initialize, exchanges }: RecordedServer): ServedSurface {
  const listed = Object.entries(servedLists).map(([method, { key }]) => {
    const answers = exchanges.filter((one) => one.method === method);
    const isRefused = answers.some(({ error }) => error !== undefined);
    return [method, { items: answers.flatMap(({ result }) => result?.[key] ?? []), isRefused }];
  });
  return {
    era: '2025-11-25',
    serverInfo: initialize.serverInfo,
    instructions: initialize.instructions,
    capabilities: initialize.capabilities as ServedSurface['capabilities'],
    lists: Object.fromEntries(listed),
    wrongErrors: [],
  };
}

/** Faults of texts and of compatibility in a recorded server. */
export async function faultsIn(name: string, clients: ClientChoice): Promise<readonly ServedFault[]> {
  const faults = await checkSurface(surfaceOf(recordedServers[name]!), { key: name, clients });
  return faults.filter(({ code }) => /^(?:text|compat)\//.test(code));
}

/** The findings in all recorded servers from npm. */
export async function findInServers(): Promise<readonly ServerFindings[]> {
  const servers: ServerFindings[] = [];
  const all = new Set(limitSubjects.map(({ id }) => id));
  for (const [name, recorded] of Object.entries(recordedServers)) {
    if (name === 'python') continue;
    const found = countCodes(await faultsIn(name, undefined));
    const more = countCodes(await faultsIn(name, all));
    servers.push({
      server: recorded.server,
      recorded: recorded.recorded,
      tools: surfaceOf(recorded).lists['tools/list'].items.length,
      found,
      more: Object.fromEntries(Object.entries(more).filter(([code]) => found[code] === undefined)),
    });
  }
  return servers;
}

/** Numbers of faults by code, without the prefix of compatibility. */
function countCodes(faults: readonly ServedFault[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { code } of faults) {
    const short = code.replace('compat/', '');
    counts[short] = (counts[short] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a.localeCompare(b)));
}
