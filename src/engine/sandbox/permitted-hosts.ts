import { everything } from './levels.js';

/** A host to connect to. An IPv6 address may have brackets. */
export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** Ports of a permitted host without a port. */
export const usualPorts: readonly number[] = [80, 443];

/**
 * True if one of the permitted hosts is this one. `*.acme.example` permits every host below `acme.example`, and `*` every
 * host and port.
 */
export function permitsHost(permitted: readonly string[], { host, port }: HostAddress): boolean {
  const wanted = withoutBrackets(host).toLowerCase().replace(/\.$/, '');
  return permitted.some((one) => {
    const { name, port: only } = parseHost(one);
    if (one === everything) return true;
    if (only === undefined ? !usualPorts.includes(port) : only !== port) return false;
    return name.startsWith('*.') ? wanted.endsWith(name.slice(1)) : wanted === name;
  });
}

/** The name and the port of a permitted host. */
export function parseHost(permitted: string): { readonly name: string; readonly port: number | undefined } {
  const [, name = permitted, port] = /^(.*?)(?::(\d+))?$/.exec(permitted) ?? [];
  return { name: withoutBrackets(name).toLowerCase(), port: port === undefined ? undefined : Number(port) };
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
