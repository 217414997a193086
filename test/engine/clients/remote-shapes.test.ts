import { describe, expect, test } from 'vitest';
import type { RemoteLaunch } from '../../../src/engine/clients/client.js';
import type { ConfigEntry } from '../../../src/engine/clients/edit/editor.js';
import { putEntry, readEntry, removeEntry } from '../../../src/engine/clients/edit/entries.js';
import { readRemoteEntry } from '../../../src/engine/clients/read-remote-entry.js';
import { writableClients } from '../../../src/engine/clients/table/index.js';
import { remoteShapeOf, remoteSourceOf } from '../../../src/engine/clients/table/remote-shapes.js';
import { writable } from './support/rows.js';

const url = 'https://mcp.example.com/mcp';
const headers = { Authorization: 'Bearer abc', 'X-Team': 'one' };

const program = { command: 'node', args: ['main.js', url], env: { URL: url } };

/** Entries of each client, for each transport that it supports. */
interface Expected {
  readonly http?: ConfigEntry;
  readonly sse?: ConfigEntry;
}

const plain = both({ url, headers });
const typed = { http: { type: 'http', url, headers }, sse: { type: 'sse', url, headers } };
const gemini = { http: { httpUrl: url, headers }, sse: { url, headers } };
const openCode = both({ type: 'remote', url, headers });
const serverUrl = both({ serverUrl: url, headers });

function both(entry: ConfigEntry): Expected {
  return { http: entry, sse: entry };
}

const expected: Readonly<Record<string, Expected>> = {
  'claude-desktop': {},
  'lm-studio': { http: { url, headers } },
  goose: {
    http: {
      description: '',
      type: 'streamable_http',
      enabled: true,
      name: 'weather',
      uri: url,
      timeout: 300,
      headers,
    },
  },
  witsy: {},
  boltai: {},
  raycast: {},
  'claude-code': typed,
  codex: { http: { url, http_headers: headers } },
  'gemini-cli': gemini,
  'qwen-code': gemini,
  'copilot-cli': {
    http: { type: 'http', url, tools: ['*'], headers },
    sse: { type: 'sse', url, tools: ['*'], headers },
  },
  opencode: openCode,
  'kilo-code': openCode,
  crush: typed,
  amp: plain,
  auggie: typed,
  cline: { http: { type: 'streamableHttp', url, headers }, sse: { type: 'sse', url, headers } },
  'roo-code': { http: { type: 'streamable-http', url, headers }, sse: { type: 'sse', url, headers } },
  'kimi-code': { http: { transport: 'http', url, headers }, sse: { transport: 'sse', url, headers } },
  'amazon-q': { http: { type: 'http', url, headers } },
  droid: typed,
  'grok-build': plain,
  pi: plain,
  mcporter: both({ baseUrl: url, headers }),
  mastracode: plain,
  fx: {
    http: { type: 'http', url, enabled: true, headers },
    sse: { type: 'sse', url, enabled: true, headers },
  },
  'devin-cli': { http: { url, headers }, sse: { transport: 'sse', url, headers } },
  warp: plain,
  continue: {
    http: { name: 'weather', type: 'streamable-http', url, requestOptions: { headers } },
    sse: { name: 'weather', type: 'sse', url, requestOptions: { headers } },
  },
  vscode: typed,
  'vscode-insiders': typed,
  cursor: plain,
  windsurf: serverUrl,
  zed: { http: { url, headers } },
  kiro: plain,
  junie: { http: { url, headers } },
  antigravity: serverUrl,
  'augment-vscode': {
    http: { name: 'weather', type: 'http', url, headers },
    sse: { name: 'weather', type: 'sse', url, headers },
  },
  'visual-studio': typed,
  'github-copilot-jetbrains': { http: { url, requestInit: { headers } } },
  trae: plain,
};

/** Clients whose entries do not name the transport. */
const unnamed = [
  'lm-studio',
  'codex',
  'opencode',
  'kilo-code',
  'amp',
  'grok-build',
  'pi',
  'mcporter',
  'mastracode',
  'warp',
  'cursor',
  'windsurf',
  'zed',
  'kiro',
  'junie',
  'antigravity',
  'github-copilot-jetbrains',
  'trae',
];

/** Text of a file before, which is laid out by hand. */
const originals = {
  json: '{\n   "mine" : { "b":1 }\n}',
  jsonc: '{\n   "mine" : { "b":1 }, // kept\n}',
  toml: '# mine\n[mine]\nb   =   1',
  yaml: '# mine\nmine:   {b: 1}\n',
} as const;

test('every client is expected, with a source of its form', () => {
  expect(Object.keys(expected)).toEqual(writableClients.map(({ id }) => id));
  for (const client of writableClients) {
    const { http, sse } = expected[client.id]!;
    const transports = [...(http ? ['http'] : []), ...(sse ? ['sse'] : [])];
    expect([client.id, remoteShapeOf(client)?.transports ?? []]).toEqual([client.id, transports]);
    expect([client.id, remoteSourceOf(client) !== undefined]).toEqual([client.id, transports.length > 0]);
  }
});

describe.each(
  Object.entries(expected).flatMap(([id, entries]) =>
    Object.entries(entries).map(
      ([transport, entry]) => [id, transport as RemoteLaunch['transport'], entry as ConfigEntry] as const,
    ),
  ),
)('%s, over %s', (id, transport, entry) => {
  const client = writable(id);
  const shape = remoteShapeOf(client)!;
  const remote = { url, transport, headers };

  test('writes this entry', () => {
    expect(JSON.stringify(shape.entry(remote, 'weather'))).toBe(JSON.stringify(entry));
    const bare = shape.entry({ ...remote, headers: {} }, 'weather');
    expect(JSON.stringify(bare)).not.toContain('eaders');
    expect(shape.remoteOf(bare)?.headers).toEqual({});
  });

  test('reads it back', () => {
    const named = unnamed.includes(id) ? { url, headers } : remote;
    expect(shape.remoteOf(entry)).toEqual(named);
  });

  test('does not take it for a program', () => {
    expect(client.launchOf(entry)).toBeUndefined();
  });

  test('reads no program as a remote server', () => {
    expect(shape.remoteOf(client.entry(program, 'weather'))).toBeUndefined();
  });

  test('leaves the bytes of the file when it is removed', async () => {
    const { format, container } = client;
    const isList = container.path.length === 0 && container.shape === 'list';
    const own = { format, container, key: 'mine' };
    const original = isList ? '[ {"name":"mine"}\n]' : originals[format];
    const before = isList ? original : await putEntry(original, own, client.entry(program, 'mine'));
    const place = { ...own, key: 'weather' };
    const after = await putEntry(before, place, entry);
    expect(await readEntry(after, place)).toEqual(entry);
    expect(await removeEntry(after, place)).toBe(before);
  });
});

describe('texts that a client would interpret', () => {
  const odd = { url: 'https://a.example/mcp?q=$x', headers: { 'X-A': '!a', 'X-B': '$b`c\\' } };

  test.each(writableClients.flatMap((client) => (remoteShapeOf(client) ? [client.id] : [])))(
    '%s reads back as they were',
    (id) => {
      const shape = remoteShapeOf(writable(id))!;
      expect(shape.remoteOf(shape.entry({ ...odd, transport: 'http' }, 'weather'))).toMatchObject(odd);
    },
  );

  test('are escaped for Crush and Pi', () => {
    const entryFor = (id: string) =>
      remoteShapeOf(writable(id))!.entry({ ...odd, transport: 'http' }, 'weather');
    expect(entryFor('crush')).toMatchObject({
      url: 'https://a.example/mcp?q=\\$x',
      headers: { 'X-B': '\\$b\\`c\\\\' },
    });
    expect(entryFor('pi')).toMatchObject({
      url: odd.url,
      headers: { 'X-A': '!!a', 'X-B': odd.headers['X-B'] },
    });
  });
});

describe('readRemoteEntry', () => {
  test.each([
    [
      { url, type: 'streamable-http' },
      { url, transport: 'http', headers: {} },
    ],
    [
      { url, transport: 'sse' },
      { url, transport: 'sse', headers: {} },
    ],
    [
      { url, type: 'remote' },
      { url, headers: {} },
    ],
    [
      { url, headers: { A: 'b', C: 1 } },
      { url, headers: { A: 'b' } },
    ],
    [
      { url, env_http_headers: { A: 'B' }, bearer_token_env_var: 'C' },
      {
        url,
        headers: {},
        variableHeaders: {
          A: { variable: 'B', prefix: '' },
          Authorization: { variable: 'C', prefix: 'Bearer ' },
        },
      },
    ],
    [{ command: 'node', headers: { A: 'b' } }, undefined],
    [{ url: 1 }, undefined],
    [{}, undefined],
  ])('reads %j', (entry, remote) => expect(readRemoteEntry(entry)).toEqual(remote));

  test('ignores inherited fields', () => {
    expect(readRemoteEntry(Object.create({ url }))).toBeUndefined();
  });
});
