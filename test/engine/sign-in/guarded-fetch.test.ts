import { describe, expect, test } from 'vitest';
import { createGuardedFetch, requireEndpoint } from '../../../src/engine/sign-in/guarded-fetch.js';

const names: Readonly<Record<string, readonly string[]>> = {
  'mcp.example.com': ['93.184.216.34'],
  'auth.example.com': ['93.184.216.35', '2606:2800:220:1::1'],
  'inside.example.com': ['93.184.216.35', '10.0.0.7'],
  'mapped.example.com': ['::ffff:192.168.1.1'],
  'intranet.example.com': ['10.1.1.1'],
};

function fetchFor(server: string, response = () => new Response('{}')) {
  const sent: string[] = [];
  const guarded = createGuardedFetch({
    server: new URL(server),
    resolve: async (host) => names[host] ?? [],
    fetch: async (url) => {
      sent.push(String(url));
      return response();
    },
  });
  return { guarded, sent };
}

describe('fetch for addresses that a server names', () => {
  test.each([
    ['https://mcp.example.com/mcp', 'https://auth.example.com/x'],
    ['https://mcp.example.com/mcp', 'https://unknown.example.com/x'],
    ['https://intranet.example.com/mcp', 'https://inside.example.com/x'],
    ['http://127.0.0.1:1/mcp', 'http://localhost:2/x'],
    ['http://127.0.0.1:1/mcp', 'https://10.0.0.1/x'],
    ['http://10.0.0.9:1/mcp', 'http://10.0.0.9:1/.well-known/x'],
  ])('%s may lead to %s', async (server, target) => {
    const { guarded, sent } = fetchFor(server);
    await guarded(target);
    expect(sent).toEqual([target]);
  });

  test.each([
    ['https://mcp.example.com/mcp', 'https://inside.example.com/x', 'a private network'],
    ['https://mcp.example.com/mcp', 'https://mapped.example.com/x', 'a private network'],
    ['https://mcp.example.com/mcp', 'https://10.0.0.1/x', 'a private network'],
    ['https://mcp.example.com/mcp', 'https://[fd00::1]/x', 'a private network'],
    ['https://mcp.example.com/mcp', 'https://169.254.169.254/latest/meta-data', 'a link'],
    ['https://mcp.example.com/mcp', 'http://127.0.0.1:9200/x', 'this machine'],
    ['https://mcp.example.com/mcp', 'https://localhost/x', 'this machine'],
    ['https://mcp.example.com/mcp', 'https://0.0.0.0/x', 'this machine'],
    ['https://intranet.example.com/mcp', 'https://127.1.2.3/x', 'this machine'],
    ['https://intranet.example.com/mcp', 'https://169.254.169.254/x', 'a link'],
    ['https://mcp.example.com/mcp', 'http://auth.example.com/x', 'It must begin with https://'],
    ['https://mcp.example.com/mcp', 'file:///etc/passwd', 'It must begin with https://'],
  ])('%s must not lead to %s', async (server, target, reason) => {
    const { guarded, sent } = fetchFor(server);
    await expect(guarded(target)).rejects.toThrow(reason);
    expect(sent).toEqual([]);
  });

  test('reads no document of more than 256 KiB', async () => {
    const { guarded } = fetchFor('http://127.0.0.1:1/mcp', () => new Response('x'.repeat(300_000)));
    await expect(guarded('http://127.0.0.1:1/x')).rejects.toThrow('more than 256 KiB');
  });
});

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://auth.example.com/authorize', 'x', 7])(
  'refuses the endpoint %s',
  (address) => {
    const server = new URL('https://mcp.example.com/mcp');
    expect(() => requireEndpoint('token endpoint', address, server)).toThrow('must begin with https://');
  },
);
