import { AgentToolsError } from '../../base/errors.js';
import { createRefusal } from './refusals.js';

/** Who may come, by what browsers and proxies say of a request. */
export interface OriginGuardOptions {
  /**
   * Names, without ports, that the server goes by; `'any'` checks none, `'addresses'` are this machine's own and every
   * address, which nobody's DNS leads anywhere. This machine's own when absent.
   */
  readonly allowedHosts?: readonly string[] | 'any' | 'addresses' | undefined;
  /** Origins whose pages may use the server, as `https://app.example.com`; `*` means every one. None when absent. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether an address is only reached from this machine. */
export function isLoopback(host: string): boolean {
  return loopback.has(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Keeps pages of strangers away: a name that is led to this machine by a stranger's DNS is not one of ours, and a page
 * says where it comes from. What pages of listed origins need to be told is added to their answers.
 * @see MCP, basic/transports, Security Warning; https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export class OriginGuard {
  /** Undefined: this machine's own. */
  readonly #hosts: ReadonlySet<string> | 'any' | 'addresses' | undefined;
  readonly #origins: ReadonlySet<string>;

  /** @throws AgentToolsError `usage` for what no request can match, and would keep everybody out unsaid */
  constructor({ allowedHosts, allowedOrigins = [] }: OriginGuardOptions) {
    this.#hosts =
      allowedHosts === undefined || allowedHosts === 'any' || allowedHosts === 'addresses'
        ? allowedHosts
        : new Set(requireList('hosts', allowedHosts).map(readHost));
    this.#origins = new Set(requireList('origins', allowedOrigins).map(readOrigin));
  }

  /** The answer to a request that is not let in, or that only asks whether it may come; undefined: it may. */
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

  /** An answer that the page which asked may read, if its origin is listed. */
  open(response: Response, headers: Headers): Response {
    const origin = headers.get('origin');
    if (origin === null || !this.#isListed(origin)) return response;
    response.headers.set('Access-Control-Allow-Origin', origin);
    response.headers.set('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After');
    response.headers.append('Vary', 'Origin');
    return response;
  }

  /** Headers of parameters have names of their own, so what is asked for is allowed. */
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

  /** Listed ones, those of the server's own name, and on this machine those of this machine. */
  #lets(origin: string, host: string): boolean {
    if (this.#isListed(origin)) return true;
    const from = parseOriginHost(origin);
    return from !== undefined && (from === host || (isLoopback(from) && isLoopback(host)));
  }
}

/** From programs without types, one text in place of a list is common. */
function requireList(what: 'hosts' | 'origins', value: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value;
  throw new AgentToolsError('usage', `The allowed ${what} are no list. Expected one, such as ["${value}"].`);
}

/** A name as the header Host has it. */
function readHost(name: string): string {
  const host = parseHostname(`http://${name}`);
  if (host !== undefined && /^([^:/?#@\\\s]+|\[[^\]]+\])$/.test(name)) return host;
  const expected = 'a name or an address without scheme, port and path, such as mcp.example.com or [::1]';
  throw new AgentToolsError('usage', `The allowed host "${name}" is none. Expected ${expected}.`);
}

/** An origin as browsers send it, which leave a usual port out; those of apps and of extensions have schemes of their own. */
function readOrigin(text: string): string {
  if (text === '*' || text === 'null') return text;
  if (/^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) && URL.canParse(text)) return new URL(text).origin;
  if (!/^https?:/i.test(text) && /^[a-z][a-z\d+.-]*:\/\/[^/?#\s]*$/i.test(text)) return lower(text);
  const expected = 'scheme and name without a path, such as https://app.example.com, or *';
  throw new AgentToolsError('usage', `The allowed origin "${text}" is none. Expected ${expected}.`);
}

/** A name or an address, perhaps with a port. URLs may hold more: `http://a@localhost`, `http://localhost#.example.com`. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** The name in a `Host`, in the form that URLs give it; undefined if it is none. */
function parseHostHeader(host: string): string | undefined {
  return hostForm.test(host) ? parseHostname(`http://${host}`) : undefined;
}

/** Of names as URLs give them, those that end in a number are addresses. @see https://url.spec.whatwg.org/#concept-host-parser */
function isAddress(host: string): boolean {
  return host.startsWith('[') || /\.\d+$/.test(host);
}

function parseHostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** The name in an `Origin` of the web. Those of apps and browser extensions have schemes of their own, where names are anybody's. */
function parseOriginHost(origin: string): string | undefined {
  const host = /^https?:\/\/(.*)$/i.exec(origin)?.[1];
  return host === undefined ? undefined : parseHostHeader(host);
}

function lower(text: string): string {
  return text.toLowerCase();
}
