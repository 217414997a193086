import { expect, test, vi } from 'vitest';
import { type DiscoverySource, querySource } from '../../../src/engine/discovery/discovery-source.js';
import { listFrom } from '../../../src/engine/discovery/list-servers.js';
import type { ListedServer, SourceName } from '../../../src/engine/discovery/listed-server.js';

const listed = (name: string, source: SourceName, version = '1.0.0'): ListedServer => ({
  name,
  source,
  version,
  description: null,
  tools: [],
  prompts: [],
  location: null,
});

type Search = DiscoverySource['search'];

const source = (name: SourceName, search: Search, timeLimitMs = 1000): DiscoverySource => ({
  name,
  title: `The ${name} source`,
  timeLimitMs,
  search,
});

/** A source of one server per package. */
const holding = (name: SourceName, packages: Readonly<Record<string, readonly string[]>>): DiscoverySource =>
  source(name, async (report) => {
    for (const [packageName, servers] of Object.entries(packages)) {
      report.found({
        name: packageName === '' ? undefined : packageName,
        servers: servers.map((one) => listed(one, name)),
        notes: [],
      });
    }
  });

const named = async (...from: Parameters<typeof listFrom>) => {
  const { servers, notes } = await listFrom(...from);
  return { servers: servers.map((one) => `${one.source} ${one.name}`), notes };
};

test('the source that comes first wins, by whole packages', async () => {
  const sources = [
    holding('user-made', { '': ['mine'] }),
    holding('project', { kit: ['kit/a'], broken: [] }),
    holding('global', { kit: ['kit/a', 'kit/b'], broken: ['broken/x'], other: ['other/z', 'other/y'] }),
    holding('remote', { other: ['other/new'], far: ['far/far'] }),
  ];
  expect(await named(sources, {})).toEqual({
    servers: ['user-made mine', 'project kit/a', 'global other/y', 'global other/z', 'remote far/far'],
    notes: [],
  });
});

test('built-in servers are listed when they are asked for, or named', async () => {
  const sources = [
    holding('user-made', { '': ['mine'] }),
    holding('built-in', { '': ['agenttools', 'mine'] }),
  ];
  expect((await named(sources, {})).servers).toEqual(['user-made mine']);
  expect((await named(sources, { builtIn: true })).servers).toEqual([
    'user-made mine',
    'built-in agenttools',
  ]);
  expect((await named(sources, { pattern: 'agenttools' })).servers).toEqual(['built-in agenttools']);
  expect((await named(sources, { pattern: 'agent*' })).servers).toEqual([]);
  expect((await named(sources, { pattern: 'agent*', builtIn: true })).servers).toEqual([
    'built-in agenttools',
  ]);
});

test('reports a source that fails, and keeps its earlier servers and other sources', async () => {
  const failing = source('global', async (report) => {
    report.found({ name: 'early', servers: [listed('early/early', 'global')], notes: [] });
    throw new Error('the disk is gone');
  });
  expect(await named([failing, holding('remote', { far: ['far/far'] })], {})).toEqual({
    servers: ['global early/early', 'remote far/far'],
    notes: ['The global source cannot be searched: the disk is gone'],
  });
});

test('reports a source that is late, and ignores its later results', async () => {
  vi.useFakeTimers();
  try {
    let signal: AbortSignal | undefined;
    const late = source(
      'global',
      async (report, given) => {
        signal = given;
        report.found({ name: 'early', servers: [], notes: [] });
        await new Promise((resolve) => setTimeout(resolve, 9000));
        report.found({ name: 'late', servers: [], notes: [] });
        report.note('late');
      },
      5000,
    );
    const asking = querySource(late);
    await vi.advanceTimersByTimeAsync(5000);
    const findings = await asking;
    await vi.advanceTimersByTimeAsync(5000);
    expect(findings.packages.map(({ name }) => name)).toEqual(['early']);
    expect(findings.notes).toEqual([
      'The global source did not answer within 5 s; some of its servers may be missing.',
    ]);
    expect(signal?.aborted).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
