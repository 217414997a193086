import type { RunningServer } from '../../server/running-server.js';
import { isSendable, sharedToken, type TokenVerifier } from './auth.js';
import { readBody } from './body.js';
import type { EventBus } from './event-bus.js';
import { type LimitSettings, Service } from './http-service.js';
import type { OAuthOptions } from './oauth.js';
import { OriginGuard } from './origin-guard.js';

/** How a server is served by whatever calls the handler. */
export interface HandlerOptions {
  /** Names, without ports, that clients reach the server by; `'any'` checks none. This machine's own when absent. */
  readonly allowedHosts?: readonly string[] | 'any' | undefined;
  /** Origins whose pages may use the server; `*` means every one. None when absent. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** The token that clients must send. */
  readonly token?: string | undefined;
  /** The issuer whose tokens clients must send. */
  readonly oauth?: OAuthOptions | undefined;
  /** Decides on tokens in a way of its own. */
  readonly authority?: TokenVerifier | undefined;
  /** The one path that MCP is served at; every path when absent. */
  readonly path?: string | undefined;
  /**
   * Whether clients up to 2025-11-25 are served. They have sessions, which live in the memory of one process. True when
   * absent.
   */
  readonly sessions?: boolean | undefined;
  /** Carries news between processes; within this one when absent. */
  readonly bus?: EventBus | undefined;
  /** Signs what a call that asks questions remembers: 32 characters or more, the same in every process. */
  readonly stateSecret?: string | undefined;
  readonly limits?: LimitSettings | undefined;
  /** What the server finds in its environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Takes one line of what is wrong; nobody when absent. */
  readonly report?: ((line: string) => void) | undefined;
}

/** A server as a function of requests, which any platform that knows `fetch` can call. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Composes the server now and not at the first request. @throws AgentToolsError if it cannot be served */
  ready(): Promise<void>;
  /** Answers what is under way within the time, gives open subscriptions their end, and closes. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

type PrepareServer = (setting: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}) => Promise<RunningServer>;

/** Makes a handler of what prepares a server, which happens once, when it is first needed. */
export function createFetchHandler(prepare: PrepareServer, options: HandlerOptions): FetchHandler {
  const { token, oauth, authority, report = () => {}, stateSecret, env = {} } = options;
  requireOneWay(options);
  requireSound(options);
  if (stateSecret !== undefined && stateSecret.length < 32) {
    throw new TypeError('The stateSecret has fewer than 32 characters.');
  }
  const ending = new AbortController();
  let service: Promise<Service> | undefined;
  const open = async () => {
    const signs = stateSecret === undefined ? {} : { AGENTTOOLS_STATE_SECRET: stateSecret };
    const served = await prepare({ env: { ...env, ...signs }, report, signal: ending.signal });
    return new Service({
      ...options,
      served,
      report,
      hasSessions: options.sessions,
      authority:
        authority ??
        (token === undefined ? undefined : sharedToken(token)) ??
        (await createOAuthVerifier(oauth, report)),
    });
  };
  const opened = (): Promise<Service> => {
    service ??= open().catch((error) => {
      service = undefined;
      throw error;
    });
    return service;
  };
  const answer = async (request: Request): Promise<Response> => {
    const { method, headers, signal } = request;
    const ours = await opened();
    return await ours.answer({
      method,
      url: new URL(request.url),
      headers,
      signal,
      readBody: async (limits) => await readBody(request, limits),
    });
  };
  return Object.assign(answer, {
    ready: async () => void (await opened()),
    close: async ({ drainMs = 0 }: { readonly drainMs?: number } = {}) => {
      await (await service)?.drain(drainMs);
      ending.abort();
    },
  });
}

/** A variable that was not set must not open a server that was to be protected. */
function requireOneWay(options: HandlerOptions): void {
  const ways = (['token', 'oauth', 'authority'] as const).filter((way) => Object.hasOwn(options, way));
  if (ways.length > 1) throw new TypeError('Give one of token, oauth and authority.');
  for (const way of ways) {
    if (options[way]) continue;
    throw new TypeError(`The option ${way} is there, but has no value. Leave it out to let in anybody.`);
  }
}

/** What would be heard of late, by clients that are kept out or by nobody, is refused now. */
function requireSound(options: HandlerOptions): void {
  const { token, path, limits = {} } = options;
  new OriginGuard(options);
  if (token !== undefined && !isSendable(token)) {
    throw new TypeError('The token cannot be sent in a header. Expected letters of ASCII without spaces.');
  }
  if (path !== undefined && !String(path).startsWith('/')) {
    throw new TypeError(`The path "${path}" is none. Expected one that begins with a slash, such as /mcp.`);
  }
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined || (typeof limit === 'number' && limit >= 0)) continue;
    throw new TypeError(`The limit ${name} is ${limit}. Expected a number from 0 on.`);
  }
}

/** Few servers are protected so, and what it takes is loaded for those. */
async function createOAuthVerifier(
  oauth: OAuthOptions | undefined,
  report: (line: string) => void,
): Promise<TokenVerifier | undefined> {
  if (!oauth) return undefined;
  const { issuedTokens } = await import('./oauth.js');
  return issuedTokens(oauth, report);
}
