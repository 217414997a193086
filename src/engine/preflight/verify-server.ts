import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import type { Environment } from '../base/environment.js';
import { AgentToolsError } from '../base/errors.js';
import { endpointName, findSecretEnding, isSecret } from '../extension/upstream-secrets.js';
import { initializeVariable, parseInitializeFaults } from '../live/initialize-faults.js';
import { parseAbsences, parseMissingNames } from '../live/list-faults.js';
import { withShortWait } from '../live/upstream-wait.js';
import { type ChildServer, ChildTransport } from '../upstream/child-transport.js';
import { describeInvalidResult } from './invalid-result.js';
import { readListing, readTools, type ServerListing } from './read-record.js';

export interface Verification extends ServerListing {
  /** Names of the tools that the server lists. */
  readonly tools: readonly string[];
  /** Unavailable upstream servers, one sentence each. */
  readonly absences: readonly string[];
}

/** Longest time for a server to exit after its client disconnects. */
const verifyExitTimeoutMs = 5000;

/**
 * Starts a server by the same command as a client, and requests the handshake and its tools.
 * @throws AgentToolsError with the server's stderr, if it does not answer within `timeoutMs`.
 */
export async function verifyServer(
  child: ChildServer,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Verification> {
  const transport = new ChildTransport({ ...child, env: withShortWait(child.env) });
  const client = new Client(
    { name: 'agenttools-verify', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' } },
  );
  const deadline = performance.now() + timeoutMs;
  let tools: readonly string[] | undefined;
  let listing: ServerListing = { record: undefined, items: [] };
  const left = () => ({ timeout: Math.max(1, Math.ceil(deadline - performance.now())), signal });
  try {
    await client.connect(transport, left());
    const listed = await readTools(client, left);
    const [impure] = transport.impureLines;
    if (impure !== undefined)
      throw new Error(`it wrote ${JSON.stringify(impure)} to stdout, which is not MCP`);
    // Upstream servers have all items of their entries once these lists are answered.
    listing = await readListing(client, listed, left);
    tools = listed.map(({ name }) => name);
  } catch (error) {
    throw new AgentToolsError('failed', explainStartFailure(child, error as Error, transport.stderr), {
      cause: error,
    });
  } finally {
    // A server that does not answer gets no time to exit.
    if (!tools) transport.kill();
    await client.close().catch(() => {});
    await transport.close();
    if (tools) await stopServer(transport);
  }
  // Its stderr is complete only after its end.
  requireNamedItems(transport.stderr);
  requireInitialized(transport.stderr);
  return { tools, absences: parseAbsences(transport.stderr), ...listing };
}

/** Variables of a server with `initialize` hooks that have to run within this time. */
export function initializing(limitMs: number): Readonly<Record<string, string>> {
  return { [initializeVariable]: String(Math.max(1, Math.floor(limitMs))) };
}

/** @throws AgentToolsError if an `initialize` hook has failed */
function requireInitialized(stderr: string): void {
  const faults = parseInitializeFaults(stderr).filter(({ isLate }) => !isLate);
  if (faults.length === 0) return;
  const lines = faults.map(
    ({ kind, item, reason }) => `"initialize" of the ${kind} ${item} failed: ${reason}`,
  );
  throw new AgentToolsError('initialize-failed', `${lines.join('\n')}\nFix it, or repeat with --no-verify.`);
}

/** @throws AgentToolsError if an entry names an item that its upstream server does not have */
function requireNamedItems(stderr: string): void {
  const missing = parseMissingNames(stderr);
  if (missing.length === 0) return;
  const message = `${missing.join('\n')}\nCorrect the names in --only, --except or --rename, or in "only", "except" or "rename" of the server's definition.`;
  throw new AgentToolsError('failed', message);
}

function explainStartFailure(
  { command, args, env }: ChildServer,
  { message }: Error,
  stderr: string,
): string {
  const said = hideIn(stderr.trim(), [
    ...args.map((word, index) => word.slice(findSecretEnding(word, args[index - 1])?.start ?? word.length)),
    ...Object.entries(env).flatMap(([name, value]) => (value && isSecret(name, value) ? value : [])),
  ]);
  const words = said === '' ? ' It wrote nothing to stderr.' : ` It wrote to stderr:\n${indentOutput(said)}`;
  return `The server did not answer when started with the command of its entry: ${describeInvalidResult(message)}.\nCommand: ${endpointName({ command, args })}\n${words.trimStart()}`;
}

/** In characters. Shorter values occur in too many words. */
const shortestSecret = 6;

function hideIn(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= shortestSecret)
    .reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text);
}

function indentOutput(text: string): string {
  return text.replace(/^/gm, '  ');
}

/** Waits for the process to end; kills it and its child processes if it does not. */
async function stopServer(transport: ChildTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), verifyExitTimeoutMs);
  });
  const ending = await Promise.race([transport.ended, late]);
  clearTimeout(timer);
  if (ending === 'late') transport.kill();
}

/** The PATH of programs started without a shell: the list of launchd. Systemd and Windows add little. */
const barePath = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Variables of a program that was started from a desktop, without additions by a shell. */
const desktopVariables = {
  posix: [
    'HOME',
    'LOGNAME',
    'USER',
    'SHELL',
    'TMPDIR',
    'LANG',
    'DBUS_SESSION_BUS_ADDRESS',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_RUNTIME_DIR',
  ],
  win32: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'USERNAME',
    'USERPROFILE',
  ],
} as const;

/** The environment of a client that was started from a desktop, not from a shell. */
export function desktopEnvironment(
  env: Environment,
  { platform, command }: { readonly platform: NodeJS.Platform; readonly command: string },
): Environment {
  const names = platform === 'win32' ? desktopVariables.win32 : desktopVariables.posix;
  const kept = Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  if (platform === 'win32') return kept;
  // A bare command is for clients that were started from a shell, so it is looked up as there.
  return { ...kept, PATH: path.isAbsolute(command) ? barePath.join(':') : env.PATH };
}
