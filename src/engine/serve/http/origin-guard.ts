import { AgentToolsError } from '../../base/errors.js';
import { isLoopback } from '../../base/loopback.js';
import { parseUrl } from '../../base/parse-url.js';
import { createRefusal } from './refusals.js';

/** Accepted hosts and origins of requests. */
export interface OriginGuardOptions {
  /**
   * Host names of the server, without ports. `'any'` accepts all. `'addresses'` accepts loopback names and every IP
   * address, which no DNS entry can redirect. Default: loopback names.
   */
  readonly allowedHosts?: readonly string[] | 'any' | 'addresses' | undefined;
  /** Origins of pages that may use the server, as `https://app.example.com`; `*` accepts all. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/**
 * Refuses requests of foreign pages, by their Origin header, and DNS rebinding, by the Host header. Adds CORS headers
 * to responses for pages of listed origins.
 * @see MCP, basic/transports, Security Warning; https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export class OriginGuard {
  /** Undefined: loopback names. */
  readonly #hosts: ReadonlySet<string> | 'any' | 'addresses' | undefined;
  readonly #origins: ReadonlySet<string>;

  /** @throws AgentToolsError `usage` for a value that no request can match: it would silently refuse every client */
  constructor({ allowedHosts, allowedOrigins = [] }: OriginGuardOptions) {
    this.#hosts =
      allowedHosts === undefined || allowedHosts === 'any' || allowedHosts === 'addresses'
        ? allowedHosts
        : new Set(requireList('hosts', allowedHosts).map(readHost));
    this.#origins = new Set(requireList('origins', allowedOrigins).map(readOrigin));
  }

  /** Returns the response to a refused request or a CORS preflight; undefined if the request is allowed. */
  check(method: string, url: URL, headers: Headers): Response | undefined {
    const named = headers.get('host') ?? url.host;
    const host = parseHostHeader(named);
    if (host === undefined || !this.#knows(host)) {
      const message = `The host "${named}" is not one of this server's. Let it be one with --allowed-host, or allowedHosts.`;
      return createRefusal({ status: 403, message });
    }
    const origin = headers.get('origin');
    if (origin === null) return undefined;
    if (!this.#lets(origin, host)) {
      const message = `Pages of ${origin} may not use this server. Let them with --allowed-origin, or allowedOrigins.`;
      return createRefusal({ status: 403, message });
    }
    return method === 'OPTIONS' ? this.#preflight(origin, headers) : undefined;
  }

  /** Lets the page that sent the request read the response, if its origin is listed. */
  open(response: Response, headers: Headers): Response {
    const origin = headers.get('origin');
    if (origin === null || !this.#isListed(origin)) return response;
    response.headers.set('Access-Control-Allow-Origin', origin);
    response.headers.set('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After');
    response.headers.append('Vary', 'Origin');
    return response;
  }

  /** Allows all requested headers: the names of parameter headers vary by tool. */
  #preflight(origin: string, headers: Headers): Response {
    if (!this.#isListed(origin)) return new Response(null, { status: 403 });
    const wanted = headers.get('access-control-request-headers');
    return new Response(null, {
      status: 204,
      headers: {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': 'GET, POST, DELETE',
        ...(wanted !== null && { 'Access-Control-Allow-Headers': wanted }),
        'Access-Control-Max-Age': '600',
        Vary: 'Origin, Access-Control-Request-Headers',
      },
    });
  }

  #knows(host: string): boolean {
    if (this.#hosts === undefined) return isLoopback(host);
    if (this.#hosts === 'addresses') return isLoopback(host) || isAddress(host);
    return this.#hosts === 'any' || this.#hosts.has(host);
  }

  #isListed(origin: string): boolean {
    return this.#origins.has('*') || this.#origins.has(lower(origin));
  }

  /** True for listed origins, the host of the server itself, and loopback origins on a loopback host. */
  #lets(origin: string, host: string): boolean {
    if (this.#isListed(origin)) return true;
    const from = parseOriginHost(origin);
    return from !== undefined && (from === host || (isLoopback(from) && isLoopback(host)));
  }
}

/** Untyped programs often pass one string instead of a list. */
function requireList(what: 'hosts' | 'origins', value: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value;
  throw new AgentToolsError('usage', `The allowed ${what} are no list. Expected one, such as ["${value}"].`);
}

/** Normalizes a name to its form in the Host header. */
function readHost(name: string): string {
  const host = parseHostname(`http://${name}`);
  if (host !== undefined && /^([^:/?#@\\\s]+|\[[^\]]+\])$/.test(name)) return host;
  const expected = 'a name or an address without scheme, port and path, such as mcp.example.com or [::1]';
  throw new AgentToolsError('usage', `The allowed host "${name}" is invalid. Expected ${expected}.`);
}

/** Normalizes an origin as browsers do, without a default port. Apps and browser extensions have other schemes. */
function readOrigin(text: string): string {
  if (text === '*' || text === 'null') return text;
  const url = /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) ? parseUrl(text) : undefined;
  if (url) return url.origin;
  if (!/^https?:/i.test(text) && /^[a-z][a-z\d+.-]*:\/\/[^/?#\s]*$/i.test(text)) return lower(text);
  const expected = 'scheme and name without a path, such as https://app.example.com, or *';
  throw new AgentToolsError('usage', `The allowed origin "${text}" is invalid. Expected ${expected}.`);
}

/** A name or address with an optional port. URLs allow more: `http://a@localhost`, `http://localhost#.example.com`. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** Returns the name in a Host header, normalized as in URLs; undefined if it is invalid. */
function parseHostHeader(host: string): string | undefined {
  return hostForm.test(host) ? parseHostname(`http://${host}`) : undefined;
}

/** A normalized name that ends in a number is an address. @see https://url.spec.whatwg.org/#concept-host-parser */
function isAddress(host: string): boolean {
  return host.startsWith('[') || /\.\d+$/.test(host);
}

function parseHostname(url: string): string | undefined {
  return parseUrl(url)?.hostname;
}

/** Returns the name in an HTTP origin. In other schemes, apps and browser extensions can choose any name. */
function parseOriginHost(origin: string): string | undefined {
  const host = /^https?:\/\/(.*)$/i.exec(origin)?.[1];
  return host === undefined ? undefined : parseHostHeader(host);
}

function lower(text: string): string {
  return text.toLowerCase();
}
