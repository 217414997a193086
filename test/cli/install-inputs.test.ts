// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references in manifests and config files.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../src/cli/main.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { fakeHost, runCli } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';
import { writeBundle } from '../support/zip.js';

let home: string;
const env = { PATH: path.dirname(process.execPath) };

beforeEach(() => {
  home = writeFolder();
  writeFileSync(path.join(home, 'tickets.mcpb'), bundle);
  addFiles(home, { 'server.json': remote });
});

const bundle = writeBundle(
  {
    manifest_version: '0.3',
    name: 'tickets',
    version: '1.0.0',
    server: {
      type: 'node',
      entry_point: 'server.mjs',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server.mjs', '--limit', '${user_config.limit}', '${user_config.folders}'],
        env: { TOKEN: '${user_config.token}', REGION: '${user_config.region}' },
      },
    },
    user_config: {
      token: { type: 'string', title: 'Token', description: 'API token', sensitive: true, required: true },
      limit: { type: 'number', title: 'Limit', description: 'Rows', required: true, default: 10, max: 50 },
      folders: { type: 'directory', title: 'Folders', description: '', required: true, multiple: true },
      region: { type: 'string', title: 'Region', description: 'Region' },
    },
  },
  { 'server.mjs': ticketsServer },
);

const remote = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.acme/tickets',
  description: 'Tickets',
  version: '1.0.0',
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{region}.acme.example/{key}/mcp',
      variables: {
        region: { choices: ['eu', 'us'], isRequired: true },
        key: { isSecret: true, default: 'none' },
      },
      headers: [{ name: 'X-Key', description: 'Key of your account', isRequired: true, isSecret: true }],
    },
  ],
};

/** Runs a command at a terminal where somebody types these lines, one at each question, and then Ctrl-D. */
async function runAt(words: readonly string[], lines: readonly string[]) {
  const { host, stdout } = fakeHost({ cwd: home, home, env });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const rest = [...lines];
  const told: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      told.push(String(chunk));
      if (/[:\]] $/.test(String(chunk))) stdin.write(rest.length > 0 ? `${rest.shift()}\r` : '\u0004');
      done();
    },
  });
  const code = await main(words, { ...host, stdin, stderr });
  return { code, stdout: stdout.text, told: told.join('') };
}

const cursorFile = () => path.join(home, '.cursor/mcp.json');
const entries = () => JSON.parse(readFileSync(cursorFile(), 'utf8')).mcpServers;

describe('install at a terminal', () => {
  test('asks for the required inputs, each with its default, and hides secrets', async () => {
    const lines = ['s3cret', '', 'one', '~/two', ''];
    const { code, told } = await runAt(['install', 'cursor', './tickets.mcpb'], lines);
    expect({ code, told }).toMatchObject({ code: 0 });
    expect(told).toContain('./tickets.mcpb needs 3 inputs:\n');
    expect(told).toContain('  token, API token (hidden): ');
    expect(told).toContain('  limit, Rows [10]: ');
    expect(told).toContain('  folders, Folders (one per line, end with an empty line): ');
    expect(told).toContain('    another one: ');
    expect(told).toContain('  Optional inputs without a value: --arg region.\n');
    expect(told).not.toContain('s3cret');
    expect(entries().tickets).toMatchObject({
      args: [
        expect.stringMatching(/server\.mjs$/),
        '--limit',
        '10',
        path.join(home, 'one'),
        path.join(home, 'two'),
      ],
      env: { TOKEN: 's3cret' },
    });
  });

  test('asks only for what is missing if options give inputs', async () => {
    const words = ['install', 'cursor', './tickets.mcpb', '--no-verify', '--arg', 'folders=/data'];
    const { code, told } = await runAt(words, ['s3cret']);
    expect(code).toBe(0);
    expect(told).toContain('./tickets.mcpb needs an input:\n');
    expect(entries().tickets.args.slice(1)).toEqual(['--limit', '10', '/data']);
  });

  test('keeps a secret in the store unless the user declines', async () => {
    const words = ['install', 'cursor', './tickets.mcpb', '--no-verify', '--arg', 'folders=/data'];
    const { code, told } = await runAt(words, ['s3cret', '']);
    expect(code).toBe(0);
    expect(told).toContain('Keep token in the secret store, not in the config file? [Y/n] ');
    expect(readFileSync(cursorFile(), 'utf8')).not.toContain('s3cret');
    expect(Object.values(entries().tickets.env)).toContain('secret:TOKEN');
    const store = JSON.parse(readFileSync(path.join(home, 'agenttools/secrets/secrets.json'), 'utf8'));
    expect(store.secrets.TOKEN.value).toBe('s3cret');
    const again = await runAt([...words, '--name', 'other'], ['an0ther', 'y']);
    expect(again.code).toBe(0);
    expect(Object.values(entries().other.env)).toContain('secret:TICKETS_TOKEN');
    const declined = await runAt([...words, '--name', 'third'], ['s3cret', 'n']);
    expect(declined.code).toBe(0);
    expect(entries().third.env.TOKEN).toBe('s3cret');
  });

  test('offers the store for a secret of --env or --header, and remembers no refusal', async () => {
    const words = ['install', 'cursor', '--no-verify', '--name', 'tickets', '--env', 'API_KEY=s3cret'];
    const command = ['--', process.execPath, 'server.mjs'];
    const kept = await runAt([...words, '--env', 'REGION=eu', ...command], ['']);
    expect(kept.told).toContain('Keep API_KEY in the secret store, not in the config file? [Y/n] ');
    expect(entries().tickets.env).toMatchObject({ API_KEY: 'secret:API_KEY', REGION: 'eu' });
    const declined = await runAt([...words, ...command], ['n']);
    expect(declined.told).not.toContain('clear text');
    expect(entries().tickets.env.API_KEY).toBe('s3cret');
    const remote = ['install', 'cursor', '--no-verify', '--name', 'remote', 'https://mcp.example.com/mcp'];
    await runAt([...remote, '--header', 'Authorization: Bearer s3cret-0123456789'], ['y']);
    expect(Object.values(entries().remote.env)).toContain('Bearer secret:REMOTE_AUTHORIZATION');
  });

  test('does not offer the store if the client fills in a reference in a project file', async () => {
    const words = ['install', 'cursor', '--no-verify', '--project', '--env', 'API_KEY=s3cret'];
    const { told } = await runAt([...words, '--', process.execPath, 'server.mjs'], ['y']);
    expect(told).not.toContain('secret store');
    expect(Object.values(entries())).toMatchObject([{ env: { API_KEY: '${env:API_KEY}' } }]);
  });

  test('repeats a question until the answer fits', async () => {
    const words = ['install', 'cursor', './server.json', '--no-verify'];
    const { code, told } = await runAt(words, ['mars', '', 'US', '', 'abc']);
    expect({ code, told }).toMatchObject({ code: 0 });
    expect(told).toContain('  region (eu, us): ');
    expect(told).toContain('    "mars" is not one of eu, us.\n');
    expect(told).toContain('    A value is required.\n');
    expect(told).toContain('  X-Key, Key of your account (hidden): ');
    expect(entries().tickets).toEqual({
      url: 'https://us.acme.example/none/mcp',
      headers: { 'X-Key': 'abc' },
    });
  });

  test('lists what is missing after Ctrl-D, and writes nothing', async () => {
    const { code, told } = await runAt(['install', 'cursor', './tickets.mcpb'], ['s3cret']);
    expect(code).toBe(1);
    expect(told).toContain('--arg folders=<value> is missing.');
    expect(told).not.toContain('--arg token');
    expect(existsSync(path.join(home, '.cursor'))).toBe(false);
  });

  test('ends at Ctrl-C', async () => {
    expect((await runAt(['install', 'cursor', './tickets.mcpb'], ['s3\u0003'])).code).toBe(130);
    expect(existsSync(path.join(home, '.cursor'))).toBe(false);
  });
});

test('without a terminal, a note names the option that keeps a secret out of the file', async () => {
  const words = ['install', 'cursor,vscode', '--no-verify', '--env', 'API_KEY=s3cret'];
  addFiles(home, { '.cursor/mcp.json': '{}', '.config/Code/User/mcp.json': '{}' });
  const { code, stderr } = await runCli([...words, '--', process.execPath, 'server.mjs'], {
    home,
    cwd: home,
    env,
  });
  expect(code).toBe(0);
  expect(stderr).toContain(
    "To keep it in the secret store: agenttools secret set API_KEY, then install again with --env API_KEY=secret:API_KEY. Or let Cursor fill it in: --env 'API_KEY=${env:API_KEY}'",
  );
  expect(stderr).not.toContain('let Visual Studio Code fill it in');
});

test('without a terminal, one error lists all missing inputs with their options', async () => {
  const { code, stderr } = await runCli(['install', 'cursor', './server.json'], { home, cwd: home, env });
  expect(code).toBe(1);
  expect(stderr).toContain('--arg region=<eu|us> is missing.');
  expect(stderr).toContain('--header "X-Key: <value>" is missing.  Key of your account');
});

/** Sources of servers, with a secret for each way to give it. */
const shared: readonly (readonly [what: string, file: string, text: string, words: readonly string[]])[] = [
  ['a declared variable', '', '', ['./tickets.mcpb', '--arg', 'token=s3cret', '--arg', 'folders=/data']],
  ['a variable', '', '', ['--env', 'MY_TOKEN=s3cret', '--', 'node', 'server.mjs']],
  ['a header', '', '', ['https://acme.example/mcp', '--header', 'X-Key: s3cret']],
  ['a declared header', '', '', ['./server.json', '--header', 'X-Key: s3cret', '--arg', 'eu']],
  [
    'a variable of a config file',
    'mcp.json',
    '{ "mcpServers": { "a": { "command": "node", "args": ["x"], "env": { "API_KEY": "s3cret" } } } }',
    ['./mcp.json#a'],
  ],
  [
    'a header of a config file',
    'mcp.json',
    '{ "mcpServers": { "a": { "url": "https://acme.example/mcp", "headers": { "Authorization": "s3cret" } } } }',
    ['./mcp.json#a'],
  ],
  [
    'an argument of a config file',
    'mcp.json',
    '{ "mcpServers": { "a": { "command": "node", "args": ["x", "--token=s3cret"] } } }',
    ['./mcp.json#a'],
  ],
  [
    'a URL of a config file',
    'mcp.json',
    '{ "mcpServers": { "a": { "url": "https://acme.example/mcp?api_key=s3cret" } } }',
    ['./mcp.json#a'],
  ],
];

describe('inputs with hyphens in their names', () => {
  const hyphens = {
    ...remote,
    name: 'io.github.acme/hyphens',
    remotes: undefined,
    packages: [
      {
        registryType: 'pypi',
        identifier: 'hyphens',
        version: '1.0.0',
        transport: { type: 'stdio' },
        environmentVariables: [{ name: 'my-key', isRequired: true, isSecret: true }],
        packageArguments: [
          { type: 'named', name: '--dir', value: '{my-dir}', variables: { 'my-dir': { isRequired: true } } },
        ],
      },
    ],
  };
  const programs = writeFolder({ uvx: '' });
  chmodSync(path.join(programs, 'uvx'), 0o755);
  const run = async (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    await runCli(words, {
      home,
      cwd: home,
      env: { PATH: `${programs}${path.delimiter}${env.PATH}`, ...more },
    });
  const cursor = () => JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).mcpServers;

  beforeEach(() => addFiles(home, { 'hyphens.json': hyphens }));

  test('are variables, arguments and headers', async () => {
    const words = ['install', 'cursor', './hyphens.json', '--arg', 'my-dir=/data', '--no-verify'];
    expect(await run([...words, '--env', 'my-key=abc'])).toMatchObject({ code: 0 });
    expect(cursor().hyphens).toMatchObject({
      args: ['hyphens==1.0.0', '--dir', '/data'],
      env: { 'my-key': 'abc' },
    });
    expect(await run([...words, '--env', 'my-key', '--name', 'own'], { 'my-key': 'def' })).toMatchObject({
      code: 0,
    });
    expect(cursor().own.env).toEqual({ 'my-key': 'def' });
    expect((await run(['install', 'cursor', './hyphens.json', '--no-verify'])).stderr).toMatch(
      /--arg my-dir=<value> is missing\.\n.*--env my-key=<value> is missing\./,
    );
  });

  test('are stored, recorded, exported and synchronised by their names', async () => {
    await runCli(['secret', 'set', 'my-key'], { home, cwd: home, stdin: 'abc' });
    const words = ['install', 'cursor', './hyphens.json', '--arg', 'my-dir=/data', '--no-verify'];
    await run([...words, '--env', 'my-key=secret:my-key']);
    const { stdout } = await run(['export', '--out', 'agenttools.json']);
    expect(stdout).toBe('');
    expect(JSON.parse(readFileSync(path.join(home, 'agenttools.json'), 'utf8')).servers.hyphens).toEqual({
      server: './hyphens.json',
      env: { 'my-key': '${my-key}' },
      args: ['my-dir=/data'],
    });
    expect((await run(['sync', '--check'])).stdout).toBe('In sync: 1 entries.\n');
    const named = ['--arg', 'token=secret:my-key', '--arg', 'folders=/x', '--no-verify'];
    await run(['install', 'codex', 'tickets.mcpb', ...named]);
    expect((await run(['export', 'tickets'])).stdout).toContain('"token=${my-key}"');
  });

  test('are asked for', async () => {
    const words = ['install', 'cursor', './hyphens.json', '--no-verify'];
    const { told } = await runAt(words, ['/data', 'abc', 'n']);
    expect(told).toMatch(/ {2}my-dir: .* {2}my-key \(hidden\): /s);
  });
});

describe('a project file', () => {
  test.for(shared)('gets no value of %s', async ([, file, text, words]) => {
    if (file !== '') addFiles(home, { [file]: text });
    addFiles(home, { 'server.mjs': ticketsServer });
    const options = ['--project', '--no-verify'];
    const all = [
      'install',
      'cursor',
      ...(words[0]!.startsWith('-') ? [...options, ...words] : [...words, ...options]),
    ];
    const { code, stderr } = await runCli(all, { home, cwd: home, env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const written = readFileSync(cursorFile(), 'utf8');
    expect(written).not.toContain('s3cret');
    expect(written).toContain('${env:');
  });

  test('gets a declared secret in an argument or an address by a variable, through AgentTools', async () => {
    const args = [{ type: 'named', name: '--token', isSecret: true, isRequired: true }];
    const packages = [
      { registryType: 'oci', identifier: 'acme/mcp:1', transport: { type: 'stdio' }, packageArguments: args },
    ];
    const bin = writeFolder({ docker: '#!/bin/sh\n' });
    chmodSync(path.join(bin, 'docker'), 0o755);
    addFiles(home, { 'image/server.json': { ...remote, remotes: undefined, packages } });
    const image = [
      'install',
      'cursor',
      './image/server.json',
      '--arg',
      'token=s3cret',
      '--no-verify',
      '--project',
    ];
    const docker = await runCli(image, { home, cwd: home, env: { PATH: bin } });
    expect(docker).toMatchObject({ code: 0 });
    expect(docker.stderr).toContain('through AgentTools, which reads its secrets from variables');
    expect(docker.stderr).not.toContain('looks like a secret');
    expect(readFileSync(cursorFile(), 'utf8')).not.toContain('s3cret');
    expect(entries().tickets).toMatchObject({
      args: expect.arrayContaining(['start', '--arg-env', '--token=MCP_TOKEN']),
      env: { MCP_TOKEN: '${env:MCP_TOKEN}' },
    });
    const words = [
      'install',
      'cursor',
      './server.json',
      '--header',
      'X-Key: a',
      '--arg',
      'eu',
      '--no-verify',
    ];
    const run = async (more: readonly string[]) =>
      await runCli([...words, '--arg', 'key=s3cret', ...more], { home, cwd: home, env });
    expect(await run(['--project', '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(cursorFile(), 'utf8')).not.toContain('s3cret');
    expect(entries().tickets.env).toMatchObject({ MCP_KEY: '${env:MCP_KEY}' });
    expect((await run([])).code).toBe(0);
    expect(entries().tickets.url).toBe('https://eu.acme.example/s3cret/mcp');
  });

  test('takes --command npx where other machines can start the server', async () => {
    const install = async (...words: readonly string[]) =>
      await runCli(['install', 'cursor', '--project', '--no-verify', '--command', 'npx', ...words], {
        home,
        cwd: home,
        env: { ...env, AGENTTOOLS_HOME: path.join(home, 'data') },
      });
    expect(await install('https://acme.example/mcp?api_key=s3cret')).toMatchObject({ code: 0 });
    expect(entries().acme).toMatchObject({
      command: 'npx',
      args: expect.arrayContaining(['start', 'https://acme.example/mcp?api_key={arg:api_key}']),
      env: { MCP_API_KEY: '${env:MCP_API_KEY}' },
    });
    expect(readFileSync(cursorFile(), 'utf8')).not.toContain(home);
    addFiles(home, { 'mcp.json': { mcpServers: { a: { url: 'https://acme.example/mcp' } } } });
    const here = await install('./mcp.json#a', '--only', 'x');
    expect([here.code, here.stderr]).toEqual([1, expect.stringContaining('is on this machine only')]);
    const direct = await install('https://acme.example/mcp', '--name', 'b');
    expect([direct.code, direct.stderr]).toEqual([1, expect.stringContaining('is started without them')]);
  });

  test('gets no secret that only an argument has, and names the way out', async () => {
    const words = [
      'install',
      'cursor',
      '--project',
      '--no-verify',
      '--arg',
      '--api-key=s3cret',
      '--',
      'node',
      'x.js',
    ];
    const { code, stderr } = await runCli(words, { home, cwd: home, env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('api-key: a secret in the command line')]);
    expect(stderr).toContain('Leave out --project and --config');
    expect(existsSync(cursorFile())).toBe(false);
  });

  test.for([
    [
      'a URL',
      ['https://acme.example/mcp?api_key=s3cret-7'],
      'api_key',
      'https://acme.example/mcp?api_key={arg:api_key}',
    ],
    ['a command', ['--', 'node', 'x.js', '--token', 's3cret-7'], 'token', 'node x.js --token {arg:token}'],
    [
      'a variable before a command',
      ['--', 'env', 'API_KEY=s3cret-7', 'node'],
      'API_KEY',
      'env API_KEY={arg:API_KEY} node',
    ],
  ] as const)('gets no secret of %s, and neither do messages and records', async ([, words, name, shown]) => {
    const seen: string[] = [];
    const run = async (...all: readonly string[]) => {
      const AGENTTOOLS_HOME = path.join(home, 'data');
      const { code, stdout, stderr } = await runCli(all, {
        home,
        cwd: home,
        env: { ...env, AGENTTOOLS_HOME },
      });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      seen.push(stdout, stderr);
      return stdout;
    };
    await run('install', 'cursor', '--project', '--no-verify', ...words);
    const written = readFileSync(cursorFile(), 'utf8');
    const variable = `MCP_${name.toUpperCase()}`;
    expect(written).toContain(`${variable}": "\${env:${variable}}`);
    expect(written).toContain(`"${name}=${variable}"`);
    expect(await run('list-installed')).toContain(shown);
    await run('list-servers');
    await run('uninstall', 'cursor', '--project', ...(words[0] === '--' ? [] : words));
    await run('install', 'cursor', '--no-verify', ...words);
    expect(readFileSync(cursorFile(), 'utf8')).toContain('s3cret-7');
    expect(readFileSync(cursorFile(), 'utf8')).not.toContain('{arg:');
    await run('list-installed', '--json');
    expect(recordsIn(home)).toContain(shown);
    expect([written, recordsIn(home), ...seen].filter((text) => text.includes('s3cret-7'))).toEqual([]);
  });
});

/** Texts of the records of existing servers. */
function recordsIn(home: string): string {
  const folder = path.join(home, 'data', 'existing-servers');
  return readdirSync(folder)
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('');
}
