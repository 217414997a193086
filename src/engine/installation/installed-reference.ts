import { AgentToolsError } from '../base/errors.js';
import { readRemoteEntry } from '../clients/read-remote-entry.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { clients } from '../clients/table/index.js';
import { readServerReference } from '../existing-servers/server-reference.js';
import { receiptMatcher } from './match-receipt.js';

interface InstalledLookup {
  readonly receipts: Receipts;
  readonly cwd: string;
  readonly home: string;
}

/** An existing server that `install` wrote. */
export interface InstalledServer {
  /** Reference with the exact version. */
  readonly reference: string;
  /** True if its entry has inputs, which the reference does not contain: arguments, variables or headers. */
  readonly hasInputs: boolean;
}

/**
 * The existing server that `install` wrote, by its package name, its reference or the key of its entry; undefined without one.
 * @throws AgentToolsError `ambiguous` if the name leads to several servers
 */
export async function installedReference(
  name: string,
  { receipts, ...place }: InstalledLookup,
): Promise<InstalledServer | undefined> {
  const { records } = await receipts.all();
  const isMeant = await receiptMatcher(name, place);
  const found: readonly Receipt[] = records
    .flatMap((record) => record.receipts)
    // A command line does not read back as a reference.
    .filter((receipt) => receipt.existing && receipt.kind !== 'command')
    .filter((receipt) => isMeant(receipt) || packageOf(receipt) === name);
  const [first, ...others] = new Set(found.map(({ server }) => server));
  if (first === undefined) return undefined;
  if (others.length === 0) return { reference: first, hasInputs: found.some(hasInputs) };
  const message = `"${name}" was installed as several servers. Name one: ${[first, ...others].join(', ')}`;
  throw new AgentToolsError('ambiguous', message);
}

/** Options of `agenttools start` with inputs. */
const inputOption = /^--(?:arg|env|header)(?:-env)?(?:=|$)/;

/** True if a command line has arguments of the server. `npx` and AgentTools have arguments that are not. */
function hasArguments([first, second, ...others]: readonly string[]): boolean {
  if (first === '-y' && /^agenttools@/.test(second ?? ''))
    return others.some((word) => inputOption.test(word));
  if (first === '-y') return others.length > 0;
  if (second === 'start' && first?.endsWith('agenttools.js'))
    return others.some((word) => inputOption.test(word));
  return second !== undefined;
}

/** Arguments after the program, variables or headers. */
function hasInputs({ client: id, entry }: Receipt): boolean {
  const remote = readRemoteEntry(entry);
  if (remote) return Object.keys({ ...remote.headers, ...remote.variableHeaders }).length > 0;
  const client = clients.find((one) => one.id === id);
  const launch = client?.manual === undefined ? client?.launchOf(entry) : undefined;
  if (!launch) return false;
  const { AGENTTOOLS_HOME: _, ...env } = launch.env;
  return hasArguments(launch.args) || Object.keys(env).length > 0;
}

function packageOf({ server }: Receipt): string | undefined {
  const reference = readServerReference(server);
  return 'name' in reference ? reference.name : undefined;
}
