import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { describe, expect, test } from 'vitest';
import type { FoundPackage } from '../../../src/engine/discovery/discovery-source.js';
import type { Registries } from '../../../src/engine/discovery/registries.js';
import { searchExtensions } from '../../../src/engine/discovery/search.js';
import { type RemoteSearch, searchRegistries } from '../../../src/engine/discovery/search-registries.js';
import { writeFolder } from '../../support/packages.js';
import { pack } from '../../support/registry.js';
import { fakeRegistries, fault, registryOf, searchOf, versionOf } from './support/registries.js';

const url = 'https://registry.example/';
const other = 'https://other.example/npm/';

async function search(registries: Registries, options: Partial<RemoteSearch> = {}) {
  const packages: FoundPackage[] = [];
  const notes: string[] = [];
  const told: string[] = [];
  await searchRegistries(
    {
      registries,
      cacheFolder: writeFolder(),
      refresh: false,
      pageSize: 250,
      now: Date.now,
      tell: (text) => told.push(text),
      ...options,
    },
    {
      found: (found) => {
        packages.push(found);
        notes.push(...found.notes);
      },
      note: (text) => notes.push(text),
    },
    AbortSignal.timeout(20_000),
  );
  const servers = packages.flatMap((one) => one.servers);
  return { servers, names: servers.map(({ name }) => name).sort(), notes, told };
}

const tools = { tools: ['x'] };
const versions = (count: number) =>
  Array.from({ length: count }, (_, index) => versionOf(`kit-${String(index).padStart(3, '0')}`, tools));

describe('searching', () => {
  test('reads all pages and reports its progress', async () => {
    const registries = fakeRegistries({ [url]: registryOf(versions(60)) });
    const { names, notes, told } = await search(registries, { pageSize: 25 });
    expect(names).toHaveLength(60);
    expect(notes).toEqual([]);
    expect(registries.asked.filter((one) => one.includes('search'))).toHaveLength(3);
    expect(told[0]).toBe('Searching registry.example');
    expect(told.at(-1)).toBe('Reading packages of registry.example: 60 of 60');
  });

  test('takes what the search knows of publishers and times', async () => {
    const { servers } = await search(fakeRegistries({ [url]: registryOf(versions(1)) }));
    expect(servers).toEqual([
      {
        name: 'kit-000/kit-000',
        source: 'remote',
        description: null,
        version: '1.0.0',
        tools: ['kit-000/x'],
        prompts: [],
        location: null,
        publisher: 'ada',
        published: '2026-01-02T03:04:05.000Z',
        provenance: false,
      },
    ]);
  });

  test('a search that does not know keywords is asked for everything, if that is not much', async () => {
    const registry = registryOf(versions(30), { knowsKeywords: false });
    expect((await search(fakeRegistries({ [url]: registry }))).names).toHaveLength(30);
  });

  test('asks a large registry for the bare keyword, and reports partial results', async () => {
    const all = searchOf(Array.from({ length: 600 }, (_, index) => ({ name: `any-${index}` })));
    const everything = all['/-/v1/search'] as (query: object) => unknown;
    const registries = fakeRegistries({
      [url]: {
        '/-/v1/search': (query: Record<string, unknown>) => {
          if (query.text === 'agenttools-extension')
            return { objects: [{ package: { name: 'kit' } }], total: 1 };
          if (query.text === '') return everything({ ...query, text: 'keywords:agenttools-extension' });
          return { objects: [], total: 0 };
        },
        '/kit/latest': versionOf('kit', tools),
      },
    });
    const { names, notes } = await search(registries);
    expect(names).toEqual(['kit/kit']);
    expect(notes).toEqual([
      'The search of registry.example does not find all extensions. Show one by its name with: agenttools show <package>',
    ]);
  });

  test('a large registry whose search knows keywords has none if it finds none', async () => {
    const hits = Array.from({ length: 600 }, (_, index) => ({ name: `any-${index}`, keywords: ['other'] }));
    const everything = searchOf(hits, { knowsKeywords: false });
    const registries = fakeRegistries({ [url]: everything });
    expect(await search(registries)).toMatchObject({ names: [], notes: [] });
    expect(registries.asked).toHaveLength(2);
  });

  test('reads as many pages as allowed, and reports that there are more', async () => {
    const all = Array.from({ length: 5100 }, (_, index) => ({ name: `kit-${index}`, date: '2026-01-01' }));
    const registries = fakeRegistries({ [url]: searchOf(all) });
    const found = await searchExtensions({
      registries,
      place: { url },
      pageSize: 250,
      signal: AbortSignal.timeout(20_000),
    });
    expect(found.hits).toHaveLength(5000);
    expect(found.isPartial).toBe(true);
    expect(registries.asked).toHaveLength(20);
  });

  test('skips packages that the search lists with other keywords', async () => {
    const hits = [
      { name: 'kit', keywords: ['agenttools-extension'], date: '2026-01-01' },
      { name: 'other', keywords: [] },
    ];
    const registries = fakeRegistries({
      [url]: { ...searchOf(hits, { knowsKeywords: false }), '/kit/latest': versionOf('kit', tools) },
    });
    expect((await search(registries)).names).toEqual(['kit/kit']);
    expect(registries.asked.filter((one) => one.includes('other'))).toEqual([]);
  });

  test('texts of a registry are shortened', async () => {
    const version = versionOf('kit', tools, {
      version: '1'.repeat(1e6),
      _npmUser: { name: 'a'.repeat(1e6) },
      description: 'd'.repeat(1e6),
    });
    const { servers } = await search(fakeRegistries({ [url]: registryOf([version]) }));
    expect(JSON.stringify(servers).length).toBeLessThan(2000);
  });

  test('reports declarations that are not a list, from cached results too', async () => {
    const cacheFolder = writeFolder();
    const version = versionOf('kit', { tools: 'greet', prompts: ['p'] });
    const registries = fakeRegistries({ [url]: registryOf([version]) });
    const { names, notes } = await search(registries, { cacheFolder });
    expect(names).toEqual(['kit/kit']);
    expect(notes).toEqual([expect.stringMatching(/^kit: "tools" of the manifest is not a list\. Expected/)]);
    expect((await search(registries, { cacheFolder })).notes).toEqual(notes);
  });

  test('a registry that gives the same page for ever is left', async () => {
    const registry = registryOf(versions(3));
    const registries = fakeRegistries({
      [url]: {
        ...registry,
        '/-/v1/search': { objects: versions(3).map((one) => ({ package: one })), total: 1e9 },
      },
    });
    expect((await search(registries)).names).toHaveLength(3);
  });

  test.each([
    ['no list', { objects: 3 }],
    ['nothing', null],
    ['a refusal', fault('unsupported')],
    ['no search', fault('not-found')],
    ['nonsense', fault('malformed')],
  ])('%s: reports a registry without search', async (_, answer) => {
    const { names, notes } = await search(fakeRegistries({ [url]: { '/-/v1/search': answer } }));
    expect(names).toEqual([]);
    expect(notes).toEqual([
      'The registry registry.example has no search that finds extensions. Its servers are not listed. Show one by its name with: agenttools show <package>',
    ]);
  });

  test.each([
    ['offline', 'The registry registry.example cannot be reached. Its servers are not listed.'],
    [
      'unauthorized',
      'The registry registry.example does not allow searches. Its servers are not listed. Log in with: npm login',
    ],
    ['failed', 'The registry registry.example cannot be searched: it says no. Its servers are not listed.'],
  ] as const)('%s', async (kind, note) => {
    const { notes } = await search(fakeRegistries({ [url]: { '/-/v1/search': fault(kind) } }));
    expect(notes).toEqual([note]);
  });

  test('skips invalid package names', async () => {
    const odd = ['../up', 'a'.repeat(300), '@acme', 'two words', '', 3, null].map((name) => ({ name }));
    const registries = fakeRegistries({
      [url]: {
        ...searchOf([...odd, 'text', { name: 'kit', date: '2026-01-01' }] as object[]),
        '/kit/latest': versionOf('kit', tools),
      },
    });
    expect((await search(registries)).names).toEqual(['kit/kit']);
    expect(registries.asked.filter((one) => !one.includes('search'))).toEqual([`${url}/kit/latest`]);
  });
});

describe('several registries', () => {
  const both = {
    [url]: registryOf([versionOf('@acme/kit', tools), versionOf('kit', tools)]),
    [other]: registryOf([versionOf('@acme/kit', { tools: ['y'] }), versionOf('evil', tools)]),
  };

  test('a scope comes from its registry and from no other, and that has nothing else', async () => {
    const registries = fakeRegistries(both, [{ url }, { url: other, scope: '@acme' }]);
    const { servers } = await search(registries);
    expect(servers.map(({ name, tools: held }) => [name, held]).sort()).toEqual([
      ['@acme/kit/kit', ['@acme/kit/y']],
      ['kit/kit', ['kit/x']],
    ]);
  });

  test('two scopes of one registry, which is the one for everything, are asked for once', async () => {
    const places = [{ url }, { url, scope: '@acme' }, { url, scope: '@b' }] as const;
    const registries = fakeRegistries(both, [...places]);
    expect((await search(registries)).names).toEqual(['@acme/kit/kit', 'kit/kit']);
    expect(registries.asked.filter((one) => one.includes('search'))).toHaveLength(1);
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: npm leaves it so.
  test.each(['${UNSET}/', '/', 'http://ada:pa55word@[bad/'])(
    'reports a registry without an address (%s) and does not search its packages elsewhere',
    async (unusable) => {
      const registries = fakeRegistries(both, [{ url }, { url: unusable, scope: '@acme' }]);
      const { names, notes } = await search(registries);
      expect(names).toEqual(['kit/kit']);
      expect(notes).toEqual([
        'The registry address for @acme in the npm settings is invalid. Its servers are not listed. See it with: npm config get @acme:registry',
      ]);
    },
  );

  test('one that breaks does not hide the other', async () => {
    const broken = () => {
      throw new TypeError('request to http://ada:pa55word@other.example/ broke');
    };
    const registries = fakeRegistries({ ...both, [other]: { '/-/v1/search': broken } }, [
      { url },
      { url: other, scope: '@acme' },
    ]);
    const { names, notes } = await search(registries);
    expect(names).toEqual(['kit/kit']);
    expect(notes).toEqual([
      'The registry other.example cannot be searched: request to http://other.example/ broke',
    ]);
  });

  test('one that fails does not hide the other', async () => {
    const registries = fakeRegistries({ ...both, [other]: { '/-/v1/search': fault('offline') } }, [
      { url },
      { url: other, scope: '@acme' },
    ]);
    const { names, notes } = await search(registries);
    expect(names).toEqual(['kit/kit']);
    expect(notes).toEqual(['The registry other.example cannot be reached. Its servers are not listed.']);
  });
});

describe('packages', () => {
  const one = async (version: unknown, more = {}) =>
    await search(
      fakeRegistries({
        [url]: { ...searchOf([{ name: 'kit', date: '2026-01-01' }]), '/kit/latest': version, ...more },
      }),
    );

  test.each([
    ['without the keyword', { keywords: ['other'] }],
    ['without keywords', { keywords: undefined }],
    ['without the field', { agenttools: undefined }],
    ['deprecated', { deprecated: 'Use another one.' }],
  ])('%s: passed over', async (_, fields) => {
    expect(await one(versionOf('kit', tools, fields))).toMatchObject({ names: [], notes: [] });
  });

  test.each([
    ['another package', versionOf('other', tools), '1 broken', 'the registry returned another package'],
    ['no package', [], '1 broken', 'the registry returned no package'],
    ['a manifest of a wrong type', versionOf('kit', 3), '1 broken', 'must be an object or the path'],
    ['private', fault('unauthorized'), '1 private', 'the credentials of npm do not allow it'],
    ['too large', fault('too-large'), '1 too large', 'it is too large to be read'],
    ['gone', fault('not-found'), '1 gone', 'the registry does not have it'],
    ['not answered', fault('failed', 'it says no'), '1 unavailable', 'it says no'],
    ['too many', versionOf('kit', { tools: many(1001) }), '1 broken', 'it declares more than can be listed'],
    [
      'many times many',
      versionOf('kit', { servers: many(200), tools: many(200) }),
      '1 broken',
      'it declares more than can be listed',
    ],
  ])('%s: left out with the reason', async (_, version, summary, reason) => {
    const { names, notes } = await one(version);
    expect(names).toEqual([]);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(`1 package of registry.example left out (${summary}). kit: `);
    expect(notes[0]).toContain(reason);
  });

  test('all versions are read where the registry does not know the latest by itself', async () => {
    const whole = {
      'dist-tags': { latest: '2.0.0' },
      time: { '2.0.0': '2026-05-06T00:00:00Z' },
      versions: { '1.0.0': versionOf('kit', {}), '2.0.0': versionOf('kit', tools, { version: '2.0.0' }) },
    };
    const { servers } = await one(fault('not-found'), { '/kit': whole });
    expect(servers).toMatchObject([{ version: '2.0.0', published: '2026-05-06T00:00:00.000Z' }]);
  });

  test('takes provenance and publisher from the registry', async () => {
    const fields = {
      dist: { attestations: { url: 'https://registry.example/a' } },
      _npmUser: { name: 'grace' },
    };
    const { servers } = await one(versionOf('kit', tools, fields));
    expect(servers).toMatchObject([{ provenance: true, publisher: 'grace' }]);
  });

  test('one that is slow does not keep the others', async () => {
    const registry = registryOf(versions(3));
    const slow = new Promise((_, reject) => setTimeout(reject, 50, fault('failed', 'it took too long')));
    slow.catch(() => {});
    const registries = fakeRegistries({ [url]: { ...registry, '/kit-001/latest': () => slow } });
    const { names, notes } = await search(registries);
    expect(names).toEqual(['kit-000/kit-000', 'kit-002/kit-002']);
    expect(notes[0]).toContain('it took too long');
  });
});

/** An empty file as it stands in a tarball. */
const emptyFile = Buffer.alloc(512);
new Header({ path: 'package/x', type: 'File', size: 0, mode: 0o644 }).encode(emptyFile);

function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `item-${index}`);
}

describe('a manifest in a file of the package', () => {
  const address = 'https://registry.example/kit.tgz';
  const dist = { tarball: address, integrity: 'sha512-checked-by-the-registry' };

  const of = async (manifest: string, tarball: unknown, fields: object = { dist }) =>
    await search(
      fakeRegistries({
        [url]: {
          ...searchOf([{ name: 'kit', date: '2026-01-01' }]),
          '/kit/latest': versionOf('kit', manifest, fields),
          [address]: tarball,
        },
      }),
    );

  test.each(['./agenttools.jsonc', 'mcp/../agenttools.jsonc'])('%s is read', async (manifest) => {
    const { servers } = await of(manifest, await pack({ 'agenttools.jsonc': '{ "tools": ["y",] }' }));
    expect(servers.map((server) => server.tools)).toEqual([['kit/y']]);
  });

  test.each([
    ['it is not there', './agenttools.json', () => pack({ 'other.json': {} }), 'is not in the package'],
    [
      'it is torn',
      './m.json',
      () => pack({ 'm.json': '{ "tools": [' }),
      'its manifest "m.json" cannot be read',
    ],
    ['it is no object', './m.json', () => pack({ 'm.json': '[]' }), 'does not hold an object'],
    ['it is a folder', './m', () => pack({ 'm/x.json': {} }), 'is not in the package'],
    ['it is large', './m.json', () => pack({ 'm.json': `"${'x'.repeat(6_000_000)}"` }), 'too large'],
    ['the tarball is none', './m.json', async () => Buffer.from('no tarball'), 'is not in the package'],
    ['the tarball is torn', './m.json', async () => Buffer.from([0x1f, 0x8b, 1, 2]), 'cannot be unpacked'],
    [
      'the checksum differs',
      './m.json',
      async () => fault('malformed', 'its checksum differs'),
      'checksum differs',
    ],
    [
      'the tarball is compressed twice',
      './m.json',
      async () => gzipSync(await pack({ 'm.json': { tools: ['y'] } })),
      'unsupported format',
    ],
    [
      'the tarball is compressed otherwise',
      './m.json',
      async () => gzipSync(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0])),
      'unsupported format',
    ],
    [
      'it has more files than anybody would look through',
      './m.json',
      async () => gzipSync(Buffer.concat([...Array<Buffer>(20_001).fill(emptyFile), Buffer.alloc(1024)])),
      'it is too large to be read',
    ],
    ['it leaves the package', '../m.json', async () => Buffer.alloc(0), 'leaves the package'],
  ])('%s', async (_, manifest, tarball, reason) => {
    const { names, notes } = await of(manifest, await tarball());
    expect(names).toEqual([]);
    expect(notes[0]).toContain(reason);
  });

  test.each([
    ['without a checksum', { dist: { tarball: address } }],
    ['without a tarball', { dist: { integrity: 'sha512-x' } }],
    ['at an address of another kind', { dist: { tarball: 'file:///etc/passwd', integrity: 'sha512-x' } }],
    ['without both', {}],
  ])('%s nothing is fetched', async (_, fields) => {
    const { notes } = await of('./m.json', Buffer.alloc(0), fields);
    expect(notes[0]).toContain('the registry has no tarball with a checksum');
  });
});

describe('cached search results', () => {
  const minute = 60_000;

  test('is good for a while, for that registry and that login', async () => {
    const cacheFolder = writeFolder();
    const registries = fakeRegistries({ [url]: registryOf(versions(2)) });
    const first = await search(registries, { cacheFolder, now: () => 1e12 });
    const asked = registries.asked.length;
    const again = await search(registries, { cacheFolder, now: () => 1e12 + 14 * minute });
    expect(again.names).toEqual(first.names);
    expect(registries.asked).toHaveLength(asked);
    await search({ ...registries, identityOf: () => 'somebody-else' }, { cacheFolder, now: () => 1e12 });
    expect(registries.asked).toHaveLength(2 * asked);
    await search(registries, { cacheFolder, now: () => 1e12 + 16 * minute });
    expect(registries.asked).toHaveLength(3 * asked);
    await search(registries, { cacheFolder, now: () => 1e12 + 16 * minute, refresh: true });
    expect(registries.asked).toHaveLength(4 * asked);
  });

  test.each([
    [30, 'less than a minute'],
    [90 * 60, '1 hour'],
    [30 * 24 * 3600, '30 days'],
  ])('is shown after %i s, with its age, when the registry does not answer', async (seconds, age) => {
    const cacheFolder = writeFolder();
    await search(fakeRegistries({ [url]: registryOf(versions(1)) }), { cacheFolder, now: () => 1e12 });
    const silent = fakeRegistries({ [url]: { '/-/v1/search': fault('offline') } });
    const now = () => 1e12 + seconds * 1000;
    const { names, notes } = await search(silent, { cacheFolder, now, refresh: true });
    expect(names).toEqual(['kit-000/kit-000']);
    expect(notes).toEqual([
      `The registry registry.example cannot be reached. Its servers are listed as they were ${age} ago.`,
    ]);
  });

  test('reports skipped packages again', async () => {
    const cacheFolder = writeFolder();
    const registries = fakeRegistries({ [url]: registryOf([versionOf('bad', 3)]) });
    const { notes } = await search(registries, { cacheFolder });
    expect(notes).toHaveLength(1);
    expect((await search(registries, { cacheFolder })).notes).toEqual(notes);
  });

  test('reports skipped packages only if they could match', async () => {
    const cacheFolder = writeFolder();
    const broken = (name: string) => versionOf(name, 3);
    const registries = fakeRegistries({ [url]: registryOf([broken('@acme/one'), broken('two')]) });
    const options = { cacheFolder, isMeant: (name: string) => name === 'two' };
    const { notes } = await search(registries, options);
    expect(notes).toEqual([
      expect.stringMatching(/^1 package of registry\.example left out \(1 broken\)\. two: /),
    ]);
    expect((await search(registries, options)).notes).toEqual(notes);
    expect((await search(registries, { cacheFolder, isMeant: () => false })).notes).toEqual([]);
    expect((await search(registries, { cacheFolder })).notes[0]).toMatch(/^2 packages/);
  });

  test('is not kept while something may come yet', async () => {
    const cacheFolder = writeFolder();
    const registry = { ...registryOf(versions(2)), '/kit-001/latest': fault('offline') };
    await search(fakeRegistries({ [url]: registry }), { cacheFolder });
    expect(readdirSync(cacheFolder)).toEqual([]);
  });

  test.each([
    'x',
    'null',
    '{"format":2}',
    '{"format":2,"time":1,"leftOut":[],"notes":[],"packages":[{"name":"evil"}]}',
    '{"format":2,"time":99999999999999,"leftOut":[],"notes":[],"packages":[]}',
    '{"format":2,"time":999999999999,"leftOut":[{"name":"evil"}],"notes":[],"packages":[]}',
    '{"format":2,"time":999999999999,"leftOut":[],"notes":[],"packages":[{"name":"evil","publication":{"publisher":null,"published":null,"provenance":true},"servers":[{"name":1}],"notes":[]}]}',
  ])('counts for nothing where it is %s', async (text) => {
    const cacheFolder = writeFolder();
    const registries = fakeRegistries({ [url]: registryOf(versions(1)) });
    await search(registries, { cacheFolder, now: () => 1e12 });
    const [file] = readdirSync(path.join(cacheFolder, 'listings'));
    writeFileSync(path.join(cacheFolder, 'listings', file!), text);
    const asked = registries.asked.length;
    expect((await search(registries, { cacheFolder, now: () => 1e12 })).names).toEqual(['kit-000/kit-000']);
    expect(registries.asked.length).toBeGreaterThan(asked);
  });

  test('a folder that cannot be written is no reason to fail', async () => {
    const cacheFolder = path.join(writeFolder({ file: '' }), 'file');
    const registries = fakeRegistries({ [url]: registryOf(versions(1)) });
    expect(await search(registries, { cacheFolder })).toMatchObject({
      names: ['kit-000/kit-000'],
      notes: [],
    });
  });
});
