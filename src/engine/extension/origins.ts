import { parseUrl } from '../base/parse-url.js';

/** An origin in an app's `csp`: scheme, host (optionally `*.` and a domain), optional port. */
const form = /^(?<scheme>https?|wss?):\/\/(?<host>[^/?#:@]*)(?::(?<port>\d{1,5}))?$/i;

const hostName = /^(?:\*\.(?=[^.]+\.))?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z\d](?:[a-z\d-]*[a-z\d])?\.?$/i;

/** Keywords of a policy that are not origins, with or without quotes. */
const cspKeyword =
  /^'?(?:none|self|unsafe-[a-z-]+|wasm-unsafe-eval|strict-dynamic|report-sample|(?:nonce|sha\d+)-\S*)'?$/i;

/**
 * Returns the reason that hosts cannot use a text as an origin in their policy; undefined if they can.
 * @see https://github.com/modelcontextprotocol/ext-apps, specification/2026-01-26/apps.mdx, McpUiResourceCsp
 */
export function originFault(text: string): string | undefined {
  if (cspKeyword.test(text)) return 'Keywords of a policy are reserved for the host.';
  if (/[\s;,'"`\\]/.test(text)) return 'An origin has no blanks, quotes, commas or semicolons.';
  const { host } = form.exec(text)?.groups ?? {};
  if (host !== undefined && hostName.test(host)) return undefined;
  if (host?.includes('*') || text.includes('*')) {
    return 'A "*." is allowed only before a domain, as in "https://*.example.com".';
  }
  const url = parseUrl(text);
  if (url && /^(?:https?|wss?):$/.test(url.protocol)) {
    const meant = `${url.protocol}//${url.host}`;
    if (originFault(meant) === undefined) return `Write "${meant}": an origin has no path, query or user.`;
  }
  const meant = `https://${text}`;
  if (!text.includes('://') && text.includes('.') && originFault(meant) === undefined) {
    return `Write "${meant}", with its scheme.`;
  }
  return 'An origin is a scheme (https, http, wss or ws) and a host, perhaps with a port.';
}

/**
 * Schemes that the scheme of an origin covers, including its secure form.
 * @see CSP3, 6.7.2.8, scheme-part match
 */
const upgrades: Readonly<Record<string, readonly string[]>> = {
  'http:': ['http:', 'https:'],
  'https:': ['https:'],
  'ws:': ['ws:', 'wss:', 'http:', 'https:'],
  'wss:': ['wss:', 'https:'],
};

const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
};

/** True if an origin in a policy covers a URL. An invalid origin covers nothing. */
export function coversAddress(origin: string, address: URL): boolean {
  if (originFault(origin) !== undefined) return false;
  const { scheme = '', host = '', port } = form.exec(origin)!.groups!;
  const protocol = `${scheme.toLowerCase()}:`;
  if (!upgrades[protocol]!.includes(address.protocol)) return false;
  const name = host.toLowerCase();
  const isSame = name.startsWith('*.') ? address.hostname.endsWith(name.slice(1)) : address.hostname === name;
  if (!isSame) return false;
  const own = port ?? defaultPorts[protocol]!;
  const asked = address.port || defaultPorts[address.protocol]!;
  return own === asked || (own === defaultPorts[protocol] && asked === defaultPorts[address.protocol]);
}
