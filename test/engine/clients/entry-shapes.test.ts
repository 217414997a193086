import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../src/engine/clients/client.js';
import { toStartable, withReferences } from '../../../src/engine/clients/entry-shapes.js';
import { entryLayoutIn, findClient } from '../../../src/engine/clients/locate-config.js';
import { writableClients } from '../../../src/engine/clients/table/index.js';
import { writable } from './support/rows.js';

const launches: Readonly<Record<string, Launch>> = {
  plain: {
    command: '/usr/bin/node',
    args: ['/opt/agenttools/main.js', 'start', 'acme/weather'],
    env: { A: '1' },
  },
  bare: { command: 'server', args: [], env: {} },
  'of Windows': {
    command: 'C:\\Program Files\\node.exe',
    args: ['C:\\new\\$x\\main.js'],
    env: { A: '\\$`!' },
  },
  hostile: {
    command: '/a b/"c"',
    args: ['$HOME', '`id`', '$(id)', `\${A}`, '{"a":"\\"b"}', '!x', ''],
    env: { A: '!$HOME', B: '!!x', __proto: '$', EMPTY: '' },
  },
};

describe.each(writableClients.map((client) => [client.id, client] as const))('%s', (_id, client) => {
  test.each(Object.keys(launches))('starts what was written: %s', (name) => {
    const launch = launches[name]!;
    const inFolder = client.cwd === undefined ? launch : { ...launch, cwd: '/projects/a b' };
    expect(client.launchOf(client.entry(inFolder, 'weather'))).toEqual(inFolder);
  });

  test('an entry is plain data', () => {
    const entry = client.entry(launches.hostile!, 'weather');
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
  });

  test('starts nothing of an entry for an address', () => {
    expect(client.launchOf({ type: 'http', url: 'https://example.com/mcp' })).toBeUndefined();
  });
});

test('the field for the working directory, where there is one', () => {
  const fields = writableClients.flatMap(({ id, cwd }) => (cwd === undefined ? [] : [[id, cwd]]));
  expect(Object.fromEntries(fields)).toEqual({
    goose: 'cwd',
    codex: 'cwd',
    'gemini-cli': 'cwd',
    'qwen-code': 'cwd',
    opencode: 'cwd',
    cline: 'cwd',
    'roo-code': 'cwd',
    'kimi-code': 'cwd',
    pi: 'cwd',
    mcporter: 'cwd',
    warp: 'working_directory',
    continue: 'cwd',
    vscode: 'cwd',
    'vscode-insiders': 'cwd',
  });
});

test('a client without such a field gets none', () => {
  const { entry } = writable('cursor');
  expect(entry({ ...launches.bare!, cwd: '/work' }, 'weather')).toEqual({ command: 'server', args: [] });
});

test.each(['args', 'env'])('an entry with malformed %s starts nothing', (field) => {
  const { launchOf } = writable('cursor');
  expect(launchOf({ command: 'node', [field]: 'x' })).toBeUndefined();
  expect(launchOf({ command: 'node', [field]: [1] })).toBeUndefined();
});

describe('Crush reads values as a shell does', () => {
  const { entry } = writable('crush');
  const written = (text: string) => entry({ command: 'x', args: [text], env: { A: text } }, 'weather');

  test.each([
    ['$HOME', '\\$HOME'],
    ['`id`', '\\`id\\`'],
    ['C:\\dir', 'C:\\\\dir'],
    ['{"a":"b"}', '{"a":"b"}'],
    ["it's", "it's"],
  ])('%s', (text, spelled) => {
    expect(written(text)).toMatchObject({ args: [spelled], env: { A: spelled } });
  });
});

test('Pi would run what follows an exclamation mark', () => {
  const { entry } = writable('pi');
  const launch = { command: 'x', args: ['!a'], env: { A: '!rm', B: 'b!' } };
  expect(entry(launch, 'weather')).toEqual({ command: 'x', args: ['!a'], env: { A: '!!rm', B: 'b!' } });
});

describe('references are written into an entry unchanged', () => {
  const launch = { command: 'x', args: [], env: { A: '$1' } };

  test.each(writableClients.map((client) => [client.id, client] as const))(
    'stays verbatim for %s',
    (_id, client) => {
      const entry = withReferences(client.entry(launch, 'weather'), client, { KEY: '$KEY' });
      expect(entry).toEqual({
        ...client.entry(launch, 'weather'),
        [client.env]: { ...(client.entry(launch, 'weather')[client.env] as object), KEY: '$KEY' },
      });
    },
  );

  test('beside plain values, which Crush would expand', () => {
    const crush = writable('crush');
    const { env } = withReferences(crush.entry(launch, 'weather'), crush, { KEY: '$KEY' });
    expect(env).toEqual({ A: '\\$1', KEY: '$KEY' });
  });

  test('where no other variable is', () => {
    const cursor = writable('cursor');
    const entry = cursor.entry({ ...launch, env: {} }, 'weather');
    expect(withReferences(entry, cursor, {})).toEqual(entry);
    expect(withReferences(entry, cursor, { KEY: 'x' })).toEqual({ ...entry, env: { KEY: 'x' } });
  });
});

describe('OpenCode has two layouts', () => {
  const client = writable('opencode');

  test('nests servers one level deeper in the newer layout, without an "enabled" field', () => {
    const { container, entry } = entryLayoutIn(client, { mcp: { servers: { other: { type: 'local' } } } });
    expect(container).toEqual({ path: ['mcp', 'servers'], shape: 'map' });
    expect(entry(launches.bare!, 'weather')).toEqual({ type: 'local', command: ['server'] });
  });

  test.each([
    ['no file', undefined],
    ['an empty file', {}],
    ['servers of the older one', { mcp: { other: { type: 'local', command: ['x'] } } }],
    ['a server of that name', { mcp: { servers: { type: 'local', command: ['x'], enabled: true } } }],
    ['a list', { mcp: { servers: [] } }],
  ])('%s is the older one', (_what, data) => {
    expect(entryLayoutIn(client, data)).toBe(client);
  });

  test('other clients have one', () => {
    const kilo = writable('kilo-code');
    expect(entryLayoutIn(kilo, { mcp: { servers: {} } })).toBe(kilo);
    expect(findClient('kilo-code')).toBe(kilo);
  });
});

describe('commands on Windows', () => {
  const npx = { command: 'npx', args: ['-y', 'agenttools'], env: { A: 'b' }, cwd: 'C:\\work' };

  test.each(['npx', 'npm', 'pnpm', 'yarn', 'C:\\tools\\run.cmd', 'RUN.BAT'])(
    '%s needs its shell',
    (command) => {
      expect(toStartable({ ...npx, command }, 'win32')).toEqual({
        ...npx,
        command: 'cmd',
        args: ['/c', command, '-y', 'agenttools'],
      });
    },
  );

  test.each(['C:\\nodejs\\node.exe', 'node', 'cmd'])('%s does not', (command) => {
    expect(toStartable({ ...npx, command }, 'win32')).toEqual({ ...npx, command });
  });

  test.each(['linux', 'darwin'] as const)('%s starts it as it is', (platform) => {
    expect(toStartable(npx, platform)).toBe(npx);
  });
});
