import { isOwnVariable } from '../base/variable-name.js';
import type { Launch } from '../clients/client.js';
import { type RemoteContent, readRemoteEntry } from '../clients/read-remote-entry.js';
import type { Receipt } from '../clients/receipt.js';
import { clients } from '../clients/table/index.js';

/** A server as its entry starts or reaches it. References of the client are unchanged. */
export interface EnteredServer {
  /** Reference, or the words of a command. */
  readonly server: string | readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As for `--arg`. */
  readonly args: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly transport?: 'http' | 'sse' | undefined;
  /** Default: the working directory of the client. */
  readonly cwd?: string | undefined;
}

/** True for the arguments of an entry that starts AgentTools, directly or by npx. */
export function isThroughAgentTools([first, second]: readonly string[]): boolean {
  if (first === '-y') return /^agenttools@/.test(second ?? '');
  return second === 'start' && first?.endsWith('agenttools.js') === true;
}

export function launchOf({ client: id, entry }: Receipt): Launch | undefined {
  const client = clients.find((one) => one.id === id);
  return client?.manual === undefined ? client?.launchOf(entry) : undefined;
}

/** The server of an entry with its inputs; undefined if the entry cannot be read. */
export function enteredServer(receipt: Receipt): EnteredServer | undefined {
  const remote = readRemoteEntry(receipt.entry);
  if (remote) return enteredRemote(remote);
  const launch = launchOf(receipt);
  if (!launch) return undefined;
  const { command, args, cwd } = launch;
  const env = Object.fromEntries(Object.entries(launch.env).filter(([name]) => !isOwnVariable(name)));
  const place = { env, headers: {}, ...(cwd !== undefined && { cwd }) };
  if (isThroughAgentTools(args)) return enteredBridge(args, place);
  if (receipt.kind !== 'npm') return { ...place, server: [command, ...args], args: [] };
  const words = args[0] === '-y' ? args.slice(args[1] === '--package' ? 4 : 2) : args.slice(1);
  return { ...place, server: receipt.server, args: words };
}

function enteredRemote({ url, transport, headers, variableHeaders = {} }: RemoteContent): EnteredServer {
  const named = Object.entries(variableHeaders).map(([name, { variable, prefix }]) => [
    name,
    `${prefix}\${${variable}}`,
  ]);
  return { server: url, env: {}, args: [], headers: { ...headers, ...Object.fromEntries(named) }, transport };
}

/** Options of `start` with a value that this reading skips. */
const skipped = /^--(?:only|except|prefix|rename|allow-[a-z]+)$/;

/** Reads the arguments of `agenttools start`. Variables that only give other inputs are no variables of the server. */
function enteredBridge(
  args: readonly string[],
  { env, ...place }: Pick<EnteredServer, 'env' | 'headers' | 'cwd'>,
): EnteredServer {
  const separator = args.indexOf('--');
  const options = args.slice(args.indexOf('start') + 1, separator === -1 ? undefined : separator);
  const given: string[] = [];
  const headers: Record<string, string> = {};
  const used = new Set<string>();
  let server: string | readonly string[] = args.slice(separator + 1);
  let transport: EnteredServer['transport'];
  for (let index = 0; index < options.length; index += 1) {
    const word = options[index]!;
    if (!word.startsWith('-')) server = word;
    const [, option] = /^--(arg|header)(?:-env)?$/.exec(word) ?? [];
    if (option === undefined && word !== '--transport' && !skipped.test(word)) continue;
    const value = options[++index] ?? '';
    if (word === '--transport') transport = value === 'sse' ? 'sse' : 'http';
    if (option === undefined) continue;
    const [, name = '', rest = ''] =
      (word.endsWith('-env') ? /^([^=]+)=(.*)$/s : /^([^:]+):\s*(.*)$/s).exec(value) ?? [];
    if (word.endsWith('-env')) used.add(rest);
    if (word === '--arg') given.push(value);
    else if (word === '--arg-env') given.push(`${name}=${env[rest] ?? ''}`);
    else headers[name] = word === '--header' ? rest : (env[rest] ?? '');
  }
  const own = Object.entries(env).filter(([name]) => !used.has(name));
  return { ...place, server, env: Object.fromEntries(own), args: given, headers, transport };
}

/** References to the environment, in the spellings of all clients. */
const environmentReference = /\$\{(?:env:)?([A-Za-z_]\w*)\}|\{env:([A-Za-z_]\w*)\}|^\$([A-Za-z_]\w*)$/g;

/** References that only the client can fill. */
const otherReference = /\$\{(?:input|\{)[^}]*\}+/;

/** Fills the references to the environment. `missing`: the first that has no value, by the name of its text. */
export function fillReferences(
  texts: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): { readonly values: Readonly<Record<string, string>>; readonly missing: ReadonlyMap<string, string> } {
  const values: Record<string, string> = {};
  const missing = new Map<string, string>();
  for (const [name, text] of Object.entries(texts)) {
    const [other] = otherReference.exec(text) ?? [];
    if (other !== undefined) missing.set(name, other);
    const filled = text.replace(environmentReference, (whole, one?: string, two?: string, three?: string) => {
      const value = env[one ?? two ?? three ?? ''];
      if (value === undefined) missing.set(name, whole);
      return value ?? '';
    });
    if (!missing.has(name)) values[name] = filled;
  }
  return { values, missing };
}
