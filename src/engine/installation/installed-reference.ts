import { AgentToolsError } from '../base/errors.js';
import { readRemoteEntry } from '../clients/read-remote-entry.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { readServerReference } from '../existing-servers/server-reference.js';
import { type EnteredServer, enteredServer, isThroughAgentTools, launchOf } from './entry-inputs.js';
import { receiptMatcher } from './match-receipt.js';

interface InstalledLookup {
  /** True to read the inputs of the entry, too. Default: false. */
  readonly isEntered?: boolean;
  readonly receipts: Receipts;
  readonly cwd: string;
  readonly home: string;
}

/** An existing server that `install` wrote. */
export interface InstalledServer {
  /** Reference with the exact version; a command without its secrets. */
  readonly reference: string;
  /** Words of a command. */
  readonly words?: readonly string[];
  /** True if its entry has inputs, which the reference does not contain: arguments, variables or headers. */
  readonly hasInputs: boolean;
  /** The server as its first entry starts or reaches it. */
  readonly entered?: EnteredServer | undefined;
}

/**
 * The existing server that `install` wrote, by its package name, its reference or the key of its entry; undefined without one.
 * @throws AgentToolsError `ambiguous` if the name leads to several servers
 */
export async function installedReference(
  name: string,
  { receipts, isEntered = false, ...place }: InstalledLookup,
): Promise<InstalledServer | undefined> {
  const { records } = await receipts.all();
  const isMeant = await receiptMatcher(name, place);
  const found: readonly Receipt[] = records
    .flatMap((record) => record.receipts)
    .filter((receipt) => receipt.existing && (isMeant(receipt) || packageOf(receipt) === name));
  const [first, ...others] = new Set(found.map(({ server }) => server));
  if (first === undefined) return undefined;
  if (others.length === 0) {
    const words = found[0]!.kind === 'command' ? wordsOf(found[0]!) : undefined;
    // A command line does not read back as a reference.
    if (found[0]!.kind === 'command' && !words && !isEntered) return undefined;
    const entered = isEntered ? enteredServer(found[0]!) : undefined;
    return { reference: first, ...(words && { words }), hasInputs: found.some(hasInputs), entered };
  }
  const message = `"${name}" was installed as several servers. Name one: ${[first, ...others].join(', ')}`;
  throw new AgentToolsError('ambiguous', message);
}

/** The command of an entry; undefined if it starts through AgentTools with secrets, which are in variables of the entry. */
export function wordsOf(receipt: Receipt): readonly string[] | undefined {
  const launch = launchOf(receipt);
  if (!launch) return undefined;
  const words = [launch.command, ...launch.args];
  const separator = isThroughAgentTools(launch.args) ? words.indexOf('--') : -1;
  const own = words.slice(separator + 1);
  return separator > 0 && own.some((word) => word.includes('{arg:')) ? undefined : own;
}

/** Options of `agenttools start` with inputs. */
const inputOption = /^--(?:arg|env|header)(?:-env)?(?:=|$)/;

/** True if a command line has arguments of the server. `npx` and AgentTools have arguments that are not. */
function hasArguments(args: readonly string[]): boolean {
  const [first, second, ...others] = args;
  if (isThroughAgentTools(args)) return others.some((word) => inputOption.test(word));
  return first === '-y' ? others.length > 0 : second !== undefined;
}

/** Arguments after the program, variables or headers. */
function hasInputs(receipt: Receipt): boolean {
  const remote = readRemoteEntry(receipt.entry);
  if (remote) return Object.keys({ ...remote.headers, ...remote.variableHeaders }).length > 0;
  const launch = launchOf(receipt);
  if (!launch) return false;
  const { AGENTTOOLS_HOME: _, ...env } = launch.env;
  const asks = receipt.kind !== 'command' && hasArguments(launch.args);
  return asks || Object.keys(env).length > 0;
}

function packageOf({ server, kind }: Receipt): string | undefined {
  if (kind === 'command') return undefined;
  const reference = readServerReference(server);
  return 'name' in reference ? reference.name : undefined;
}
