import { describe, expect, test } from 'vitest';
import { type McpRegistryOptions, openMcpRegistry } from '../../../src/engine/mcp-registry/open-registry.js';
import { manyEntries, registryEntry, startMcpRegistry } from '../../support/mcp-registry.js';
import { temporaryFolder } from '../../support/run-cli.js';

const tickets = { name: 'io.github.acme/tickets', description: 'Tickets of Acme' };
const entries = [
  registryEntry({ ...tickets, version: '1.0.0' }),
  registryEntry({ ...tickets, version: '1.1.0' }),
  registryEntry({ name: 'io.github.acme/old' }, { status: 'deprecated', statusMessage: 'Use tickets.' }),
  registryEntry({ name: 'io.github.acme/gone' }, { status: 'deleted', statusMessage: 'It was malware.' }),
];

const { signal } = new AbortController();
const search = { signal, tell: () => {} };

async function open(url: string, more: Partial<McpRegistryOptions> = {}) {
  const folder = await temporaryFolder();
  return await openMcpRegistry({
    npm: {
      env: { PATH: process.env.PATH },
      home: folder,
      platform: process.platform,
      execPath: process.execPath,
      cwd: folder,
    },
    url,
    cacheFolder: folder,
    ...more,
  });
}

describe('a search', () => {
  test('reads all pages of a registry with 5,500 entries, and leaves out broken and deleted ones', async () => {
    const { url, requests } = await startMcpRegistry(manyEntries(5500));
    const registry = await open(url);
    const { entries: found, notes } = await registry.search(undefined, search);
    expect(notes).toEqual([]);
    expect(requests.filter((path) => path.startsWith('/v0.1/servers?')).length).toBeGreaterThan(50);
    expect(found.filter(({ name }) => /^io\.github\.user\d+\/server-\d+$/.test(name))).toHaveLength(
      found.length,
    );
    // Of nine kinds of faults three leave an entry that can be listed.
    expect(found).toHaveLength(5000 + 166);
    const longest = Math.max(...found.map(({ description }) => description?.length ?? 0));
    expect(longest).toBeLessThanOrEqual(1001);
  });

  test('passes the text on, and is not repeated within ten minutes', async () => {
    const { url, requests } = await startMcpRegistry(entries);
    let now = Date.parse('2026-05-04');
    const registry = await open(url, { now: () => now });
    const first = await registry.search('tickets', search);
    expect(first.entries.map(({ name, version }) => [name, version])).toEqual([
      ['io.github.acme/tickets', '1.1.0'],
    ]);
    await registry.search('tickets', search);
    expect(requests).toEqual(['/v0.1/servers?limit=100&version=latest&search=tickets']);
    now += 11 * 60_000;
    await registry.search('tickets', search);
    expect(requests).toHaveLength(2);
  });

  test('gives the last results with their age while the registry is down', async () => {
    const standIn = await startMcpRegistry(entries);
    let now = Date.parse('2026-05-04');
    const registry = await open(standIn.url, { now: () => now });
    await registry.search('tickets', search);
    await standIn.close();
    now += 60 * 60_000;
    const { entries: found, notes } = await registry.search('tickets', search);
    expect(found).toHaveLength(1);
    expect(notes).toEqual([expect.stringContaining('Its servers are listed as they were 60 minutes ago.')]);
    const { notes: nothing } = await registry.search('other', search);
    expect(nothing).toEqual([expect.stringMatching(/cannot be reached .* Its servers are not listed\.$/)]);
  });

  test.for([
    ['HTML', { status: 200, body: '<html>' }, 'did not return JSON'],
    ['no list', { status: 200, body: '{"servers":{}}' }, 'no list of servers'],
    ['a failure', { status: 500, body: '{}' }, 'could not be read: 500'],
  ] as const)('reports an answer of %s in a note', async ([, answer, words]) => {
    const { url } = await startMcpRegistry([], { interfere: () => answer });
    const { entries: found, notes } = await (await open(url)).search(undefined, search);
    expect(found).toEqual([]);
    expect(notes).toEqual([expect.stringContaining(words)]);
  });

  test('keeps the pages before one that fails, and asks again next time', async () => {
    const { url } = await startMcpRegistry(manyEntries(300), {
      interfere: ({ searchParams }) =>
        searchParams.get('cursor') === 'page:200' ? { status: 500 } : undefined,
    });
    const registry = await open(url);
    for (const _ of [1, 2]) {
      const { entries: found, notes } = await registry.search(undefined, search);
      expect(found.length).toBeGreaterThan(180);
      expect(notes).toEqual([expect.stringContaining('failed during the search')]);
    }
  });

  test('ends when cursors repeat', async () => {
    const page = { servers: entries, metadata: { next_cursor: 'again' } };
    const { url, requests } = await startMcpRegistry([], {
      interfere: () => ({ status: 200, body: JSON.stringify(page) }),
    });
    const { notes } = await (await open(url)).search(undefined, search);
    expect(requests).toHaveLength(2);
    expect(notes).toEqual([expect.stringContaining('repeats its pages')]);
  });

  test('waits as long as a busy registry demands', async () => {
    const { url, requests } = await startMcpRegistry(entries, {
      interfere: (_, count) => (count <= 2 ? { status: 429, headers: { 'retry-after': '0' } } : undefined),
    });
    const { entries: found } = await (await open(url)).search('tickets', search);
    expect(found).toHaveLength(1);
    expect(requests).toHaveLength(3);
  });
});

describe('one entry', () => {
  test.for([
    [undefined, '1.1.0'],
    ['1.0.0', '1.0.0'],
  ] as const)('asked for in version %s is %s', async ([asked, version]) => {
    const { url, requests } = await startMcpRegistry(entries);
    const { entry, notes } = await (await open(url)).find('io.github.acme/tickets', asked, signal);
    expect(entry).toMatchObject({ version, published: '2026-05-04T03:02:01.000Z' });
    expect(notes).toEqual([]);
    expect(requests).toEqual([`/v0.1/servers/io.github.acme%2Ftickets/versions/${asked ?? 'latest'}`]);
  });

  test('is noted as deprecated', async () => {
    const { url } = await startMcpRegistry(entries);
    const { notes } = await (await open(url)).find('io.github.acme/old', undefined, signal);
    expect(notes).toEqual(['io.github.acme/old 1.0.0 is deprecated: Use tickets.']);
  });

  test.for([
    ['io.github.acme/gone', 'refused', /was deleted from 127\.0\.0\.1:\d+: It was malware\.$/],
    ['io.github.acme/none', 'not-found', /has no io\.github\.acme\/none\. Search it with/],
  ] as const)('%s is %s', async ([name, code, message]) => {
    const { url } = await startMcpRegistry(entries);
    const finding = (await open(url)).find(name, undefined, signal);
    await expect(finding).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('is refused if the registry swaps it for another', async () => {
    const { url } = await startMcpRegistry([], {
      interfere: () => ({ status: 200, body: JSON.stringify(entries[0]) }),
    });
    const finding = (await open(url)).find('io.github.acme/other', undefined, signal);
    await expect(finding).rejects.toThrow('answers with another entry than io.github.acme/other');
  });
});

test.for(['ftp://registry.example', 'https://user:secret@registry.example', 'registry'])(
  'a registry at %s is refused without its password',
  async (url) => {
    const opening = open(url);
    await expect(opening).rejects.toMatchObject({ code: 'usage' });
    await expect(opening).rejects.not.toThrow('secret');
  },
);
