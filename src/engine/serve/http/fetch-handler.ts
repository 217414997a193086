import type { RunningServer } from '../../server/running-server.js';
import { isSendable, sharedToken, type TokenVerifier } from './auth.js';
import { readBody } from './body.js';
import type { EventBus } from './event-bus.js';
import { type LimitSettings, Service } from './http-service.js';
import type { OAuthOptions } from './oauth.js';
import { OriginGuard } from './origin-guard.js';
import { findParsedBody, type RequestContext, textOfParsedBody } from './parsed-body.js';

/** Options of a fetch handler. */
export interface HandlerOptions {
  /** Accepted host names, without ports; `'any'` accepts all. Default: the loopback names of this machine. */
  readonly allowedHosts?: readonly string[] | 'any' | undefined;
  /** Origins of pages that may use the server; `*` accepts all. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** The token that clients must send. */
  readonly token?: string | undefined;
  /** The issuer of the tokens that clients must send. */
  readonly oauth?: OAuthOptions | undefined;
  /** Verifies tokens with custom code. */
  readonly authority?: TokenVerifier | undefined;
  /** The only path of MCP. Default: every path. */
  readonly path?: string | undefined;
  /** True to serve clients up to 2025-11-25. Their sessions are in the memory of one process. Default: true. */
  readonly sessions?: boolean | undefined;
  /** Carries change events between processes. Default: within this process. */
  readonly bus?: EventBus | undefined;
  /** Signs the state of calls with input requests: 32 characters or more, the same in every process. */
  readonly stateSecret?: string | undefined;
  readonly limits?: LimitSettings | undefined;
  /** Environment variables of the server. Default: none; `createHandler` passes `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Takes one line per fault. Default: none; `createHandler` writes to stderr. */
  readonly report?: ((line: string) => void) | undefined;
}

/** A server as a function of requests, for any platform with the Fetch API. */
export interface FetchHandler {
  /** Answers a request. `context` holds its body if a program has read it before. */
  (request: Request, context?: RequestContext): Promise<Response>;
  /** Composes the server now, before the first request. @throws AgentToolsError if it cannot be served */
  ready(): Promise<void>;
  /** Answers requests in flight within `drainMs` (default: 0), ends open subscriptions, and closes. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

type PrepareServer = (setting: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}) => Promise<RunningServer>;

/** Creates a handler. `prepare` runs once, on first use, and again only after a failure. */
export function createFetchHandler(prepare: PrepareServer, options: HandlerOptions): FetchHandler {
  const { token, oauth, authority, report = () => {}, stateSecret, env = {} } = options;
  requireOneWay(options);
  requireSound(options);
  if (stateSecret !== undefined && stateSecret.length < 32) {
    throw new TypeError('The stateSecret has fewer than 32 characters.');
  }
  // Some platforms forbid an AbortController before the first request.
  let controller: AbortController | undefined;
  const ending = () => {
    controller ??= new AbortController();
    return controller;
  };
  let service: Promise<Service> | undefined;
  const open = async () => {
    const signs = stateSecret === undefined ? {} : { AGENTTOOLS_STATE_SECRET: stateSecret };
    const served = await prepare({ env: { ...env, ...signs }, report, signal: ending().signal });
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
  const answer = async (request: Request, context?: RequestContext): Promise<Response> => {
    const { method, headers, signal } = request;
    const parsed = findParsedBody(context);
    const ours = await opened();
    return await ours.answer({
      method,
      url: new URL(request.url),
      headers,
      signal,
      readBody: async (limits) =>
        parsed ? textOfParsedBody(parsed.value, limits) : await readBody(request, limits),
      isDecoded: parsed !== undefined,
      emptyBodyHint: parsed ? undefined : unreadBodyHint,
    });
  };
  return Object.assign(answer, {
    ready: async () => void (await opened()),
    close: async ({ drainMs = 0 }: { readonly drainMs?: number } = {}) => {
      await (await service)?.drain(drainMs);
      ending().abort();
    },
  });
}

const unreadBodyHint =
  'If the program around the handler has read it, pass it on: handler(request, { parsedBody }).';

/** An unset variable must not remove the protection of a server. */
function requireOneWay(options: HandlerOptions): void {
  const ways = (['token', 'oauth', 'authority'] as const).filter((way) => Object.hasOwn(options, way));
  if (ways.length > 1) throw new TypeError('Give one of token, oauth and authority.');
  for (const way of ways) {
    if (options[way]) continue;
    throw new TypeError(`The option ${way} has no value. Set it, or leave it out to accept every client.`);
  }
}

/** Refuses options that would only fail later at clients, or without notice. */
function requireSound(options: HandlerOptions): void {
  const { token, path, limits = {} } = options;
  new OriginGuard(options);
  if (token !== undefined && !isSendable(token)) {
    throw new TypeError('The token cannot be sent in a header. Expected letters of ASCII without spaces.');
  }
  if (path !== undefined && !String(path).startsWith('/')) {
    throw new TypeError(`The path "${path}" is invalid. Expected a slash at its beginning, such as /mcp.`);
  }
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined || (typeof limit === 'number' && limit >= 0)) continue;
    throw new TypeError(`The limit ${name} is ${limit}. Expected a number from 0 on.`);
  }
}

/** Loads the OAuth code only for servers that use it. */
async function createOAuthVerifier(
  oauth: OAuthOptions | undefined,
  report: (line: string) => void,
): Promise<TokenVerifier | undefined> {
  if (!oauth) return undefined;
  const { issuedTokens } = await import('./oauth.js');
  return issuedTokens(oauth, report);
}
