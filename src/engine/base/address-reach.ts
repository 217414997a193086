import { BlockList, isIP } from 'node:net';

/** Widest network that can reach an address. */
export const reaches = ['this machine', 'link', 'private network', 'public'] as const;
export type Reach = (typeof reaches)[number];

function listOf(...subnets: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) list.addSubnet(...subnet);
  return list;
}

/** @see RFC 6890; addresses of IPv4 that are written as IPv6 fall under the rules of IPv4 */
const subnets: readonly (readonly [Reach, BlockList])[] = [
  ['this machine', listOf(['127.0.0.0', 8, 'ipv4'], ['0.0.0.0', 8, 'ipv4'], ['::', 127, 'ipv6'])],
  ['link', listOf(['169.254.0.0', 16, 'ipv4'], ['fe80::', 10, 'ipv6'])],
  [
    'private network',
    listOf(
      ['10.0.0.0', 8, 'ipv4'],
      ['172.16.0.0', 12, 'ipv4'],
      ['192.168.0.0', 16, 'ipv4'],
      ['100.64.0.0', 10, 'ipv4'],
      ['192.0.0.0', 24, 'ipv4'],
      ['198.18.0.0', 15, 'ipv4'],
      ['224.0.0.0', 3, 'ipv4'],
      ['fc00::', 7, 'ipv6'],
      ['fec0::', 10, 'ipv6'],
      ['64:ff9b:1::', 48, 'ipv6'],
      ['ff00::', 8, 'ipv6'],
    ),
  ],
];

/** The widest network that can reach an IP address. */
export function reachOfAddress(address: string): Reach {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return subnets.find(([, list]) => list.check(address, family))?.[0] ?? 'public';
}
