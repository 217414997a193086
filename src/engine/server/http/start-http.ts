import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Host } from '../../../host.js';
import { AgentToolsError } from '../../errors.js';
import { messageOf } from '../../extension/modules.js';
import { type Preparation, prepareServed } from '../prepare.js';
import { killTree, watchEnds } from '../process/ends.js';
import { installGuard } from '../process/guard.js';
import { lastWords } from '../process/last-words.js';
import { isLoopback } from './admission.js';
import { type Authority, sharedToken } from './auth.js';
import type { EventBus } from './events.js';
import { type Listening, type ListenOptions, listen } from './node-server.js';
import type { OAuthOptions } from './oauth.js';
import { type LimitSettings, Service } from './service.js';

/** Where `start` serves MCP. */
const mcpPath = '/mcp';

/** How long calls under way may go on after a signal, unless told: less than what commonly passes until a kill. */
const defaultDrainMs = 8000;

export interface HttpOptions extends ListenOptions {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** The variable that holds the token which clients send. */
  readonly tokenEnv?: string | undefined;
  /** Lets anybody in, at an address that others can reach. */
  readonly insecure: boolean;
  /** Whose tokens are taken; the public URL is that of the endpoint when absent. */
  readonly oauth?:
    | (Omit<OAuthOptions, 'publicUrl'> & { readonly publicUrl?: string | undefined })
    | undefined;
  /** The module whose default export is an {@link EventBus}, or makes one. */
  readonly eventBus?: string | undefined;
  readonly limits?: LimitSettings;
  readonly drainMs?: number | undefined;
}

export interface StartHttpOptions extends Preparation {
  readonly host: Host;
  readonly http: HttpOptions;
  /** Told once clients can come. */
  readonly onListening: (url: string) => void;
}

/**
 * Serves a server over HTTP until a signal, then ends the process.
 * @throws AgentToolsError before anything is served.
 */
export async function startHttpServer(options: StartHttpOptions): Promise<never> {
  const { host, http, onListening } = options;
  const report = (line: string) => void host.stderr.write(`${line}\n`);
  const authority = await authorityOf(http, { env: host.env, report });
  requireSafe(http, authority);
  const guard = installGuard({ stderr: host.stderr });
  const ending = new AbortController();
  let listening: Listening | undefined;
  let resolveEnd: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnd = resolve;
  });
  const stopWatching = watchEnds({
    onEnd(reason) {
      // A server in the background may outlive the shell that it was given to.
      if (reason !== 'parent-gone') resolveEnd();
    },
  });
  try {
    const served = await prepareServed(options, { host, report, signal: ending.signal });
    const { allowedHosts, allowedOrigins, limits, port } = http;
    const service = new Service({
      served,
      authority,
      path: mcpPath,
      // With nothing else said, this machine's own names are what the server goes by.
      ...(allowedHosts.length > 0
        ? { allowedHosts }
        : http.insecure && !isLoopback(http.host) && { allowedHosts: 'any' as const }),
      allowedOrigins,
      bus: http.eventBus === undefined ? undefined : await loadBus(path.resolve(host.cwd, http.eventBus)),
      limits,
      report,
    });
    listening = await listen(service, { host: http.host, port });
  } catch (error) {
    stopWatching();
    await killTree({ spawned: guard.spawned });
    guard.restore();
    throw error;
  }
  onListening(endpointAt(http.host, listening.port));
  await ended;
  await listening.drain(http.drainMs ?? defaultDrainMs);
  ending.abort();
  await killTree({ spawned: guard.spawned });
  await lastWords(host.stderr);
  return guard.exit(0);
}

function endpointAt(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${mcpPath}`;
}

async function authorityOf(
  { tokenEnv, oauth, host, port }: HttpOptions,
  { env, report }: Pick<Host, 'env'> & { readonly report: (line: string) => void },
): Promise<Authority | undefined> {
  if (oauth) {
    if (tokenEnv !== undefined) throw new AgentToolsError('usage', 'Give --token-env or --issuer, not both.');
    const { publicUrl = port > 0 && isLoopback(host) ? endpointAt(host, port) : undefined } = oauth;
    if (publicUrl === undefined) {
      throw new AgentToolsError('usage', 'With --issuer, give the URL that clients use as --public-url.');
    }
    // Few servers are protected so, and what it takes is loaded for those.
    const { issuedTokens } = await import('./oauth.js');
    return issuedTokens({ ...oauth, publicUrl }, report);
  }
  if (tokenEnv === undefined) return undefined;
  const token = env[tokenEnv];
  if (!token) {
    throw new AgentToolsError('failed', `The variable ${tokenEnv}, which --token-env names, is not set.`);
  }
  return sharedToken(token);
}

/** @throws AgentToolsError if the module gives no bus */
async function loadBus(file: string): Promise<EventBus> {
  const { default: given } = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new AgentToolsError('load-failed', `The event bus ${file} cannot be loaded: ${messageOf(error)}`);
  });
  const bus = typeof given === 'function' ? await given() : given;
  if (typeof bus?.publish === 'function' && typeof bus.subscribe === 'function') return bus;
  const expected = 'an object with publish(event) and subscribe(listener), or a function that makes one';
  throw new AgentToolsError(
    'load-failed',
    `The default export of ${file} is no event bus. Expected ${expected}.`,
  );
}

/** An address that others can reach is not opened by accident. */
function requireSafe({ host, allowedHosts, insecure }: HttpOptions, authority: Authority | undefined): void {
  if (insecure || isLoopback(host)) return;
  const lacking = [
    ...(allowedHosts.length > 0 ? [] : ['--allowed-host with the name that clients use']),
    ...(authority ? [] : ['--token-env with the variable that holds a token (or --issuer)']),
  ];
  if (lacking.length === 0) return;
  const message = `Others can reach ${host}. Give ${lacking.join(' and ')}, or --insecure to let in anybody.`;
  throw new AgentToolsError('refused', message);
}
