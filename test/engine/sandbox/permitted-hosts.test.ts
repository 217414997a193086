import { expect, test } from 'vitest';
import { permitsHost } from '../../../src/engine/sandbox/permitted-hosts.js';
import { hostsFile, relayedHosts } from '../../../src/engine/sandbox/relayed-hosts.js';

test.each([
  ['api.acme.example', 'api.acme.example', 443, true],
  ['api.acme.example', 'API.acme.example.', 80, true],
  ['api.acme.example', 'api.acme.example', 8080, false],
  ['api.acme.example:8080', 'api.acme.example', 8080, true],
  ['api.acme.example:8080', 'api.acme.example', 443, false],
  ['api.acme.example', 'evil-api.acme.example', 443, false],
  ['*.acme.example', 'a.b.acme.example', 443, true],
  ['*.acme.example', 'acme.example', 443, false],
  ['*.acme.example', 'evilacme.example', 443, false],
  ['[::1]:8080', '[::1]', 8080, true],
  ['[::1]:8080', '::1', 8080, true],
  ['[::1]', '::1', 443, true],
])('the permission %s and %s:%i: %s', (permitted, host, port, expected) => {
  expect(permitsHost([permitted], { host, port })).toBe(expected);
});

test('gives each named host an address of the sandbox', () => {
  const network = [
    'api.acme.example',
    'api.acme.example:8443',
    'localhost:3000',
    '*.acme.example',
    '192.0.2.1',
  ];
  expect(relayedHosts(network)).toEqual([
    { host: 'localhost', address: '127.0.0.1', ports: [3000] },
    { host: 'api.acme.example', address: '127.0.1.1', ports: [80, 443, 8443] },
  ]);
  expect(hostsFile(network)).toBe('127.0.0.1 localhost\n127.0.1.1 api.acme.example\n');
});
