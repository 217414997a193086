// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references in manifests and config files.
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileReader } from '../../../src/engine/bundles/create-file-reader.js';
import { writableClients } from '../../../src/engine/clients/table/index.js';
import { prepareLaunch } from '../../../src/engine/existing-servers/prepare-launch.js';
import type { ResolveDeps } from '../../../src/engine/existing-servers/resolve-existing.js';
import { readServerReference } from '../../../src/engine/existing-servers/server-reference.js';
import { addFiles, writeFolder } from '../../support/packages.js';

const stubs = writeFolder({ tickets: '#!/bin/sh\n' });
chmodSync(path.join(stubs, 'tickets'), 0o755);
const program = path.join(stubs, 'tickets');

/** Resolves a reference in a folder. Commands are found among the stubs. */
async function resolve(text: string, cwd: string) {
  const npm = { env: {}, home: cwd, platform: 'linux', execPath: '/usr/bin/node', cwd } as const;
  const readFile = createFileReader({
    surroundings: { home: '/home/ada', env: {}, platform: 'linux', exists: () => false, namesIn: () => [] },
    node: '/usr/bin/node',
    dataFolder: '/data',
    cacheFolder: '/cache',
  });
  const deps: ResolveDeps = {
    npm,
    signal: new AbortController().signal,
    cwd,
    env: { PATH: stubs },
    openRegistry: async () => {
      throw new Error('no registry is asked');
    },
    readFile,
  };
  const reference = readServerReference(text);
  if (reference.kind !== 'document') throw new Error(`${text} is a ${reference.kind}.`);
  return await readFile(reference, deps);
}

async function read(name: string, content: unknown, choice = '') {
  const folder = writeFolder();
  addFiles(folder, { [name]: content });
  return await resolve(`./${name}${choice}`, folder);
}

/** The launch or the address with given variables and arguments. */
async function prepare(
  server: Awaited<ReturnType<typeof read>>,
  { env = {}, args = [] }: { env?: Record<string, string>; args?: readonly string[] } = {},
) {
  const pairs = Object.entries(env).map(([name, value]) => ({ name, value, isSecret: true }));
  return await prepareLaunch(server, {
    given: { env: pairs, args, headers: [] },
    base: { cwd: stubs, home: stubs },
    env: { PATH: stubs },
    startNpm: async ({ name, version }) => ({ command: 'npm', args: [name, version] }),
    unpack: async () => undefined,
  });
}

const launch = { command: 'tickets', args: ['--fast', 'a b'], env: { REGION: 'eu' } };
const started = { kind: 'program', command: program, args: ['--fast', 'a b'], env: { REGION: 'eu' } };

describe('the entry of a client', () => {
  test.for(writableClients.map((client) => [client.id, client] as const))(
    '%s is read',
    async ([, client]) => {
      const { putEntry } = await import('../../../src/engine/clients/edit/entries.js');
      const place = { format: client.format, container: client.container, key: 'tickets' };
      const text = await putEntry(null, place, client.entry(launch, 'tickets'));
      const ending = { json: 'json', jsonc: 'json', toml: 'toml', yaml: 'yaml' }[client.format];
      const server = await read(`config.${ending}`, text);
      expect(server).toMatchObject({ source: 'client-config', name: 'tickets' });
      expect(await prepare(server)).toMatchObject(started);
    },
  );

  test.for([
    ['a bare entry', 'tickets.json', launch, 'tickets'],
    ['a map without container', 'mcp.json', { tickets: launch }, 'tickets'],
    [
      'an object as command',
      'settings.json',
      { context_servers: { tickets: { command: { ...launch, path: 'tickets' } } } },
      'tickets',
    ],
    [
      'cmd /c',
      'mcp.json',
      { mcpServers: { t: { ...launch, command: 'cmd', args: ['/c', 'tickets', '--fast', 'a b'] } } },
      't',
    ],
    [
      'numbers as variables',
      'mcp.json',
      { mcpServers: { t: { ...launch, env: { REGION: 'eu', PORT: 80 } } } },
      't',
    ],
  ] as const)('with %s is read', async ([, name, content, key]) => {
    const server = await read(name, content);
    expect(server.name).toBe(key);
    expect(await prepare(server)).toMatchObject(started);
  });

  test('with comments, trailing commas and a byte order mark is read', async () => {
    const text = '\uFEFF// servers\n{ "mcpServers": { "tickets": { "command": "tickets", }, } }';
    expect(await prepare(await read('mcp.json', text))).toMatchObject({ command: program });
  });

  test('starts in its folder, which is relative to the project', async () => {
    const folder = writeFolder({ 'run.js': '' });
    addFiles(folder, { '.cursor/mcp.json': { mcpServers: { t: { ...launch, args: ['./run.js'] } } } });
    const server = await resolve('./.cursor/mcp.json', folder);
    expect(await prepare(server)).toMatchObject({ args: [path.join(folder, 'run.js')] });
    addFiles(folder, {
      '.vscode/mcp.json': { servers: { t: { ...launch, cwd: '${workspaceFolder}/sub' } } },
    });
    expect(await prepare(await resolve('./.vscode/mcp.json', folder))).toMatchObject({
      cwd: path.join(folder, 'sub'),
    });
  });

  test('gets a note if it is turned off', async () => {
    const server = await read('mcp.json', { mcpServers: { t: { ...launch, disabled: true } } });
    expect(server.notes).toEqual(['The entry "t" is turned off in its file.']);
  });
});

describe('a remote entry', () => {
  test.for([
    ['mcp.json', { mcpServers: { t: { url: 'https://a.example/mcp' } } }, undefined],
    ['mcp.json', { servers: { t: { type: 'http', url: 'https://a.example/mcp' } } }, 'http'],
    ['mcp.json', { mcpServers: { t: { type: 'sse', url: 'https://a.example/mcp' } } }, 'sse'],
    ['settings.json', { mcpServers: { t: { httpUrl: 'https://a.example/mcp' } } }, 'http'],
    ['mcp.json', { mcpServers: { t: { serverUrl: 'https://a.example/mcp' } } }, undefined],
    ['opencode.json', { mcp: { t: { type: 'remote', url: 'https://a.example/mcp' } } }, undefined],
    ['config.yaml', 'extensions:\n  t:\n    type: streamable_http\n    uri: https://a.example/mcp\n', 'http'],
    ['config.toml', '[mcp_servers.t]\nurl = "https://a.example/mcp"\n', undefined],
    ['mcporter.json', { mcpServers: { t: { baseUrl: 'https://a.example/mcp' } } }, undefined],
    ['.gemini/settings.json', { mcpServers: { t: { url: 'https://a.example/mcp' } } }, 'sse'],
    ['.devin/config.json', { mcpServers: { t: { url: 'https://a.example/mcp' } } }, 'http'],
  ] as const)('is read from %s: %j', async ([name, content, transport]) => {
    const server = await read(name, content);
    expect(server.template).toMatchObject({ kind: 'remote', url: ['https://a.example/mcp'] });
    expect((server.template as { transport?: string }).transport).toBe(transport);
  });

  test('has headers, with secrets as inputs', async () => {
    const server = await read(
      'config.toml',
      [
        '[mcp_servers.t]',
        'url = "https://a.example/mcp"',
        'bearer_token_env_var = "TICKETS"',
        'http_headers = { X-Region = "eu" }',
        'env_http_headers = { X-Org = "ORG" }',
      ].join('\n'),
    );
    expect(server.inputs).toMatchObject([
      { givenBy: 'env', name: 'ORG', isSecret: true, isRequired: true },
      { givenBy: 'env', name: 'TICKETS', isSecret: true, isRequired: true },
    ]);
    expect(await prepare(server, { env: { TICKETS: 'abc', ORG: 'acme' } })).toMatchObject({
      headers: { 'X-Region': 'eu', 'X-Org': 'acme', Authorization: 'Bearer abc' },
    });
  });
});

describe('a remote entry of a client', () => {
  test.for([
    [
      '.crush.json',
      { mcp: { t: { type: 'http', url: 'https://a.example/?q=\\$x', headers: { A: '\\$b' } } } },
    ],
    ['.pi/mcp.json', { mcpServers: { t: { url: 'https://a.example/?q=$x', headers: { A: '$b' } } } }],
  ] as const)('is read without its escapes: %j', async ([name, content]) => {
    expect((await read(name, content)).template).toMatchObject({
      url: ['https://a.example/?q=$x'],
      headers: { A: ['$b'] },
    });
  });

  test.for([
    ['.fx/mcp.json', { mcp: { t: { type: 'http', url: 'https://a.example', bearer_token_env: 'KEY' } } }],
    ['.kimi-code/mcp.json', { mcpServers: { t: { url: 'https://a.example', bearerTokenEnvVar: 'KEY' } } }],
    [
      '.cursor/mcp.json',
      { mcpServers: { t: { url: 'https://a.example', headers: { Authorization: 'Bearer ${env:KEY}' } } } },
    ],
  ] as const)('gets its token from a variable: %j', async ([name, content]) => {
    const server = await read(name, content);
    expect(server.inputs).toMatchObject([{ givenBy: 'env', name: 'KEY', isSecret: true }]);
    expect(await prepare(server, { env: { KEY: 'abc' } })).toMatchObject({
      headers: { Authorization: 'Bearer abc' },
    });
  });
});

describe('a reference', () => {
  const withEnv = (value: string, more: object = {}) => ({
    mcpServers: { t: { command: 'tickets', env: { KEY: value } } },
    ...more,
  });

  test.for([
    ['${TOKEN}', 'env', 'TOKEN', true],
    ['${env:TOKEN}', 'env', 'TOKEN', true],
    ['{env:TOKEN}', 'env', 'TOKEN', true],
    ['$TOKEN', 'env', 'TOKEN', true],
    ['${{ secrets.acme/TOKEN }}', 'env', 'TOKEN', true],
    ['${REGION}', 'env', 'REGION', false],
    ['${user_config.region}', 'arg', 'region', false],
    ['${input:region}', 'arg', 'region', false],
  ] as const)('%s becomes an input', async ([text, givenBy, name, isSecret]) => {
    const server = await read('mcp.json', withEnv(text));
    expect(server.inputs).toMatchObject([{ givenBy, name, isSecret, isRequired: true }]);
    const given = givenBy === 'env' ? { env: { [name]: 'abc' } } : { args: [`${name}=abc`] };
    expect(await prepare(server, given)).toMatchObject({ env: { KEY: 'abc' } });
    await expect(prepare(server)).rejects.toThrow(`--${givenBy} ${name}=<value> is missing.`);
  });

  test('in the middle of a text, and twice, is inserted', async () => {
    const server = await read('mcp.json', withEnv('a-${ONE}-${TWO}-${ONE}'));
    expect(await prepare(server, { env: { ONE: '1', TWO: '2' } })).toMatchObject({ env: { KEY: 'a-1-2-1' } });
  });

  test('has the default of its file', async () => {
    const server = await read('mcp.json', withEnv('${REGION:-eu}'));
    expect(await prepare(server)).toMatchObject({ env: { KEY: 'eu' } });
  });

  test('to an input has the definition of its file', async () => {
    const inputs = [
      { type: 'promptString', id: 'a', description: 'API key', password: true },
      { type: 'pickString', id: 'b', options: ['eu', { label: 'US', value: 'us' }], default: 'eu' },
    ];
    const server = await read('mcp.json', {
      inputs,
      servers: { t: { command: 'tickets', args: ['--key=${input:a}', '${input:b}'] } },
    });
    expect(server.inputs).toMatchObject([
      { name: 'a', description: 'API key', isSecret: true, isRequired: true },
      { name: 'b', choices: ['eu', 'us'], default: 'eu', isRequired: false },
    ]);
    expect(await prepare(server, { args: ['a=abc'] })).toMatchObject({ args: ['--key=abc', 'eu'] });
  });

  test.for([
    ['${HOME}', '/home/ada'],
    ['${userHome}${/}x', '/home/ada/x'],
    ['a$b', 'a$b'],
    ['$lower', '$lower'],
    ['', ''],
  ] as const)('%s is no input', async ([text, value]) => {
    const server = await read('mcp.json', withEnv(text));
    expect(server.inputs).toEqual([]);
    expect(await prepare(server)).toMatchObject({ env: { KEY: value } });
  });

  test('is passed unchanged, with a note, if only the client knows it', async () => {
    const server = await read('mcp.json', withEnv('${command:pick}'));
    expect(await prepare(server)).toMatchObject({ env: { KEY: '${command:pick}' } });
    expect(server.notes).toEqual([
      '${command:pick} is unknown outside the client of the file. It is passed unchanged.',
    ]);
  });

  test('in a list of names becomes an input', async () => {
    const text = 'extensions:\n  t:\n    cmd: tickets\n    args: []\n    env_keys: [TOKEN]\n';
    const server = await read('config.yaml', text);
    expect(await prepare(server, { env: { TOKEN: 'abc' } })).toMatchObject({ env: { TOKEN: 'abc' } });
  });
});

describe('a choice', () => {
  const two = { mcpServers: { github: { command: 'tickets' }, other: { url: 'https://a.example/mcp' } } };

  test('selects one of several servers', async () => {
    const server = await read('mcp.json', two, '#github');
    expect(server).toMatchObject({ name: 'github', reference: expect.stringMatching(/mcp\.json#github$/) });
  });

  test.for([
    [
      two,
      '',
      'ambiguous',
      './mcp.json contains several servers. Choose one: ./mcp.json#github, ./mcp.json#other',
    ],
    [two, '#gitub', 'not-found', 'contains no server "gitub". Did you mean ./mcp.json#github?'],
    [two, '#zzzzzz', 'not-found', 'It contains: ./mcp.json#github, ./mcp.json#other'],
    [{ mcpServers: {} }, '', 'not-found', './mcp.json contains no MCP server. Expected a server.json'],
    [{ name: 'x', dependencies: {} }, '', 'not-found', 'contains no MCP server'],
    ['[1]', '', 'not-found', 'contains no MCP server'],
  ] as const)('fails in %j by "%s"', async ([content, choice, code, message]) => {
    await expect(read('mcp.json', content, choice)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

describe('a fault has its position in', () => {
  test.for([
    ['mcp.json', '{\n  "mcpServers": x\n}', 'mcp.json:2:17: '],
    [
      'mcp.json',
      '{\n "mcpServers": {\n  "t": { "command": "a", "args": 5 } } }',
      'mcp.json:3:8: The entry "t"',
    ],
    ['mcp.json', '{\n "mcpServers": {\n  "t": { "url": "ftp://a" } } }', 'mcp.json:3:17: The address of "t"'],
    ['mcp.json', '{\n "mcpServers": {\n  "t": { "command": "${A}" } } }', 'mcp.json:3:8: The program of "t"'],
    ['c.toml', 'a = 1\n[mcp_servers.t]\ncommand = "a"\nargs = 5\n', 'c.toml:2:1: The entry "t"'],
    ['c.toml', 'a = \n', 'c.toml:1:'],
    ['c.yaml', 'a: 1\nextensions:\n  t:\n    cmd: a\n    args: 5\n', 'c.yaml:4:5: The entry "t"'],
    ['c.yaml', 'a: [\n', 'c.yaml:'],
  ] as const)('%s', async ([name, text, message]) => {
    await expect(read(name, text)).rejects.toMatchObject({
      code: 'malformed-document',
      message: expect.stringContaining(message),
    });
  });
});

test('a file that is nested too deeply is refused', async () => {
  await expect(read('mcp.json', '['.repeat(100_000))).rejects.toMatchObject({ code: 'malformed-document' });
});

test('a missing file, and a missing program, are named', async () => {
  await expect(resolve('./none.json', '/nowhere')).rejects.toThrow('There is no file /nowhere/none.json.');
  await expect(read('mcp.json', { mcpServers: { t: { command: 'missing' } } })).rejects.toThrow(
    'The program missing is not on the PATH.',
  );
});

describe('a server.json', () => {
  const serverJson = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'io.github.acme/tickets',
    description: 'Tickets',
    version: '1.2.3',
    remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp' }],
  };

  test.for([
    ['alone', serverJson],
    ['in the envelope of a registry', { server: serverJson, _meta: {} }],
  ] as const)('%s is read', async ([, content]) => {
    expect(await read('server.json', content)).toMatchObject({
      source: 'server-json',
      reference: expect.stringMatching(/\/server\.json$/),
      name: 'tickets',
      version: '1.2.3',
      template: { kind: 'remote' },
    });
  });

  test('with a fault is refused with the position', async () => {
    const text = '{\n  "name": "tickets",\n  "remotes": []\n}';
    await expect(read('server.json', text)).rejects.toThrow(
      'server.json:2:11: "name" is missing or invalid.',
    );
  });

  test('takes no choice', async () => {
    await expect(read('server.json', serverJson, '#x')).rejects.toThrow('"#x" chooses nothing');
  });
});

test('the manifest of an unpacked bundle runs from its folder', async () => {
  const folder = writeFolder({
    'manifest.json': {
      manifest_version: '0.2',
      name: 'weather',
      server: {
        type: 'node',
        entry_point: 'index.js',
        mcp_config: { command: 'node', args: ['${__dirname}/index.js'] },
      },
    },
    'index.js': '',
  });
  const server = await resolve('./manifest.json', folder);
  expect(server.content).toBeUndefined();
  expect(await prepare(server)).toMatchObject({
    command: '/usr/bin/node',
    args: [path.join(folder, 'index.js')],
  });
});
