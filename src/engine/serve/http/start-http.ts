import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Host } from '../../../host.js';
import { AgentToolsError } from '../../base/errors.js';
import { reporterOn } from '../../base/line-reporter.js';
import { isLoopback } from '../../base/loopback.js';
import { errorMessage } from '../../base/thrown-value.js';
import type { ExitReason } from '../../process/exit-watch.js';
import { takeThisProcess } from '../../process/take-process.js';
import { TimeoutError, withTimeLimit } from '../../runtime/time-limit.js';
import { prepareServer } from '../prepare-server.js';
import type { StartOptions } from '../start-server.js';
import { isSendable, sharedToken, type TokenVerifier } from './auth.js';
import type { EventBus } from './event-bus.js';
import { type LimitSettings, Service } from './http-service.js';
import { type ListeningServer, type ListenOptions, serveNodeHttp } from './node-server.js';
import type { OAuthOptions } from './oauth.js';

/** Path of MCP in `start`. */
const mcpPath = '/mcp';

/** Default time for calls in flight after a signal: less than the usual time until a kill. */
const defaultDrainMs = 8000;

/** Signals within this time count as one: terminals and npm both pass Ctrl-C on. */
const sameSignalMs = 500;

/** Fewest characters of a token for all clients: 64 bits, as hexadecimal digits. */
const minTokenLength = 16;

/** Longest time to load the event bus, the same as for modules of extensions. */
const busTimeoutMs = 10_000;

export interface HttpOptions extends ListenOptions {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Environment variable with the token that clients send. */
  readonly tokenEnv?: string | undefined;
  /** Accepts every client, at an address that others can reach. */
  readonly insecure: boolean;
  /** The accepted token issuer. Default of the public URL: the endpoint, if it is on this machine. */
  readonly oauth?:
    | (Omit<OAuthOptions, 'publicUrl'> & { readonly publicUrl?: string | undefined })
    | undefined;
  /** Module with an {@link EventBus} as its default export, or a function that makes one. */
  readonly eventBus?: string | undefined;
  readonly limits?: LimitSettings;
  readonly drainMs?: number | undefined;
}

export interface StartHttpOptions extends StartOptions {
  readonly http: HttpOptions;
  /** Called once clients can connect. */
  readonly onListening: (url: string) => void;
}

/**
 * Serves a server over HTTP until a signal, then ends the process.
 * @throws AgentToolsError before anything is served.
 */
export async function startHttpServer(options: StartHttpOptions): Promise<never> {
  const { host, http, onListening } = options;
  const { takeProcess = takeThisProcess } = host;
  const report = reporterOn(host.stderr);
  const authority = await createTokenVerifier(http, { env: host.env, report });
  requireSafe(http, authority);
  const ending = new AbortController();
  const signals = new ShutdownSignals();
  const taken = takeProcess({ stderr: host.stderr, onEnd: (reason) => signals.take(reason) });
  let close = async () => {};
  const open = async (): Promise<ListeningServer> => {
    const served = await prepareServer(options, { host, report, signal: ending.signal });
    close = served.close;
    options.onPrepared?.(served, ending.signal);
    const { allowedHosts, allowedOrigins, eventBus, limits, port } = http;
    const service = new Service({
      served,
      authority,
      path: mcpPath,
      // Default: loopback names. If others can reach the server, IP addresses are accepted too, but no names: pages of
      // others could choose a name that leads here.
      ...(allowedHosts.length > 0
        ? { allowedHosts }
        : http.insecure && !isLoopback(http.host) && { allowedHosts: 'addresses' as const }),
      allowedOrigins,
      bus:
        eventBus === undefined ? undefined : await loadBus(path.resolve(host.cwd, eventBus), ending.signal),
      limits,
      report,
    });
    return await serveNodeHttp(service, { host: http.host, port });
  };
  // A signal may arrive before the server listens.
  const listening = await Promise.race([open(), waitForAbort(signals.first)]).catch(async (error) => {
    await taken.release();
    throw error;
  });
  if (listening) {
    onListening(endpointAt(http.host, listening.port));
    await waitForAbort(signals.first);
    await Promise.race([listening.drain(http.drainMs ?? defaultDrainMs), waitForAbort(signals.second)]);
  }
  ending.abort();
  await close();
  return await taken.leave();
}

/** Shutdown requests that this process has received. */
class ShutdownSignals {
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  #since = 0;

  /** Aborts when the process is to end. */
  get first(): AbortSignal {
    return this.#first.signal;
  }

  /** Aborts on a second signal, which ends the wait. */
  get second(): AbortSignal {
    return this.#second.signal;
  }

  take(reason: ExitReason): void {
    // A server in the background may outlive the shell that started it.
    if (reason === 'parent-gone') return;
    if (this.first.aborted && performance.now() - this.#since > sameSignalMs) this.#second.abort();
    if (this.first.aborted) return;
    this.#since = performance.now();
    this.#first.abort();
  }
}

async function waitForAbort(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

function endpointAt(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${mcpPath}`;
}

async function createTokenVerifier(
  { tokenEnv, oauth, host, port }: HttpOptions,
  { env, report }: Pick<Host, 'env'> & { readonly report: (line: string) => void },
): Promise<TokenVerifier | undefined> {
  if (oauth) {
    if (tokenEnv !== undefined) throw new AgentToolsError('usage', 'Give --token-env or --issuer, not both.');
    const { publicUrl = port > 0 && isLoopback(host) ? endpointAt(host, port) : undefined } = oauth;
    if (publicUrl === undefined) {
      throw new AgentToolsError('usage', 'With --issuer, give the URL that clients use as --public-url.');
    }
    // The OAuth code is loaded only for servers that use it.
    const { issuedTokens } = await import('./oauth.js');
    return issuedTokens({ ...oauth, publicUrl }, report);
  }
  if (tokenEnv === undefined) return undefined;
  const token = env[tokenEnv];
  if (!token) {
    throw new AgentToolsError('failed', `The variable ${tokenEnv}, which --token-env names, is not set.`);
  }
  if (!isSendable(token)) {
    const expected = 'letters of ASCII without spaces, such as openssl rand -hex 32 gives';
    throw new AgentToolsError(
      'failed',
      `The value of ${tokenEnv} cannot be sent as a token. Expected ${expected}.`,
    );
  }
  if (token.length < minTokenLength) {
    const length = token.length === 1 ? '1 character' : `${token.length} characters`;
    throw new AgentToolsError(
      'refused',
      `The token in ${tokenEnv} has ${length}, so others can guess it. Set one with at least ${minTokenLength}, such as openssl rand -hex 32 gives.`,
    );
  }
  return sharedToken(token);
}

/** @throws AgentToolsError if the module exports no bus */
async function loadBus(file: string, signal: AbortSignal): Promise<EventBus> {
  if (!existsSync(file)) throw new AgentToolsError('load-failed', `There is no event bus at ${file}.`);
  const make = async () => {
    const { default: given } = await import(pathToFileURL(file).href);
    return typeof given === 'function' ? await given() : given;
  };
  const bus = await withTimeLimit(make, { timeoutMs: busTimeoutMs, signal }).catch((error: unknown) => {
    const isLate = error instanceof TimeoutError;
    const problem = isLate ? `it was not ready within ${busTimeoutMs / 1000} seconds` : errorMessage(error);
    throw new AgentToolsError('load-failed', `The event bus ${file} cannot be used: ${problem}`);
  });
  if (typeof bus?.publish === 'function' && typeof bus.subscribe === 'function') return bus;
  const expected = 'an object with publish(event) and subscribe(listener), or a function that makes one';
  throw new AgentToolsError(
    'load-failed',
    `The default export of ${file} is no event bus. Expected ${expected}.`,
  );
}

/** Refuses an unprotected server at an address that others can reach, unless --insecure is given. */
function requireSafe(
  { host, allowedHosts, insecure }: HttpOptions,
  authority: TokenVerifier | undefined,
): void {
  if (insecure || isLoopback(host)) return;
  const lacking = [
    ...(allowedHosts.length > 0 ? [] : ['--allowed-host with the name that clients use']),
    ...(authority ? [] : ['--token-env with the variable that holds a token (or --issuer)']),
  ];
  if (lacking.length === 0) return;
  const without = authority ? 'to accept IP addresses only' : 'to accept every client';
  const message = `Others can reach ${host}. Give ${lacking.join(' and ')}, or --insecure ${without}.`;
  throw new AgentToolsError('refused', message);
}
