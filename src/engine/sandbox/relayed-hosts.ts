import { isIP } from 'node:net';
import { parseHost, usualPorts } from './permitted-hosts.js';

/** A permitted host, and the address in the sandbox that leads to it. */
export interface RelayedHost {
  readonly host: string;
  readonly address: string;
  readonly ports: readonly number[];
}

/** Most hosts with an address. */
const maxHosts = 250;

/** Addresses for the permitted hosts. `*.acme.example` and IP addresses have none: programs reach them by the proxy. */
export function relayedHosts(network: readonly string[]): readonly RelayedHost[] {
  const ports = new Map<string, number[]>();
  for (const permitted of network) {
    const { name, port } = parseHost(permitted);
    if (name.startsWith('*') || (isIP(name) && name !== '127.0.0.1')) continue;
    ports.set(name, [...(ports.get(name) ?? []), ...(port === undefined ? usualPorts : [port])]);
  }
  const names = [...ports.keys()].filter((name) => !isThisMachine(name)).slice(0, maxHosts);
  const own = [...ports.keys()].filter(isThisMachine);
  return [
    ...own.map((host) => ({ host, address: '127.0.0.1', ports: ports.get(host)! })),
    ...names.map((host, index) => ({ host, address: `127.0.1.${index + 1}`, ports: ports.get(host)! })),
  ];
}

function isThisMachine(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1';
}

/** The text of `/etc/hosts` in the sandbox. */
export function hostsFile(network: readonly string[]): string {
  const lines = relayedHosts(network)
    .filter(({ host }) => !isThisMachine(host))
    .map(({ host, address }) => `${address} ${host}\n`);
  return ['127.0.0.1 localhost\n', ...lines].join('');
}
