import { isLoopback } from '../base/loopback.js';
import type { ConnectionSettings } from './connection-settings.js';

/** The proxy for an address; undefined: none. This machine is never reached through a proxy. */
export function chooseProxy(url: URL, settings: ConnectionSettings): string | undefined {
  if (isLoopback(url.hostname) || settings.noProxy.some((name) => isNamed(name, url))) return undefined;
  const { proxy, httpsProxy, httpProxy } = settings;
  const chosen = proxy ?? (url.protocol === 'https:' ? httpsProxy : httpProxy);
  return chosen !== undefined && !chosen.includes('://') ? `http://${chosen}` : chosen;
}

/** `example.com` and `.example.com` also name the hosts below. A port limits the name to it. */
function isNamed(name: string, { hostname, port, protocol }: URL): boolean {
  if (name === '*') return true;
  const [, listed = '', limit] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(name) ?? [];
  if (limit !== undefined && limit !== (port || (protocol === 'https:' ? '443' : '80'))) return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  const plain = listed.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  return plain !== '' && (host === plain || host.endsWith(`.${plain}`));
}
