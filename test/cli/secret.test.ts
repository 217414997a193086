import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../../src/cli/main.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { runProgram } from '../support/program.js';
import { fakeHost, runCli } from '../support/run-cli.js';

let home: string;

beforeEach(() => {
  home = writeFolder();
});

const dataFolder = () => path.join(home, 'agenttools');
const storeFile = () => path.join(dataFolder(), 'secrets/secrets.json');
const values = () => JSON.parse(readFileSync(storeFile(), 'utf8')).secrets;
const value = 'v4lue-of-the-s3cret';

async function run(words: readonly string[], stdin = '') {
  const PATH = path.dirname(process.execPath);
  return await runCli(words, { home, cwd: home, stdin, env: { PATH, HOME: home } });
}

const set = async (name: string, text = value) => await run(['secret', 'set', name], `${text}\n`);

/** Every file below a folder. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

/** Files with the value. */
const leaks = () => filesIn(home).filter((file) => readFileSync(file).includes(value));

describe('secret set', () => {
  it.each([
    [`${value}\n`, value],
    [`${value}\r\n`, value],
    [value, value],
    [`${value}\n\n`, `${value}\n`],
    [' two words ', ' two words '],
    ['-----BEGIN\nKEY\n', '-----BEGIN\nKEY'],
  ])('reads %j from stdin', async (text, expected) => {
    const { code, stdout, stderr } = await run(['secret', 'set', 'KEY'], text);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Set KEY, in a file that only you can read.');
    expect(stderr).not.toContain(value);
    expect(values().KEY.value).toBe(expected);
  });

  it('asks at a terminal, and shows nothing of the answer', async () => {
    const { host } = fakeHost({ cwd: home, home, env: {} });
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
    let shown = '';
    const stderr = new Writable({
      write(chunk, _encoding, done) {
        shown += String(chunk);
        if (shown.endsWith('(hidden): ')) stdin.write(`${value}\r`);
        done();
      },
    });
    expect(await main(['secret', 'set', 'KEY'], { ...host, stdin, stderr })).toBe(0);
    expect(shown).toContain('Value of KEY (hidden): ');
    expect(shown).not.toContain(value);
    expect(values().KEY.value).toBe(value);
  });

  it.each([
    ['a name with its value', ['KEY=v4lue-of-the-s3cret'], 2],
    ['a value as an argument', ['KEY', value], 2],
    ['a name that leaves the folder', ['../x'], 2],
    ['an empty name', [''], 2],
  ])('refuses %s, and prints no value', async (_, words, expected) => {
    const { code, stdout, stderr } = await run(['secret', 'set', ...words], 'x');
    expect(code).toBe(expected);
    expect(stdout + stderr).not.toContain(value);
    expect(existsSync(storeFile())).toBe(false);
  });

  it.each([
    ['no value', ''],
    ['an empty line', '\n'],
    ['1 MB', value.repeat(60_000)],
    ['a NUL character', `${value}\0`],
  ])('refuses %s', async (_, text) => {
    const { code, stderr } = await run(['secret', 'set', 'KEY', '--verbose'], text);
    expect(code).toBe(1);
    expect(stderr).not.toContain(value);
    expect(existsSync(storeFile())).toBe(false);
  });

  it('keeps names of objects apart', async () => {
    expect((await set('__proto__')).code).toBe(0);
    expect((await run(['secret', 'list'])).stdout).toContain('__proto__: set ');
    expect((await run(['secret', 'remove', 'constructor'])).code).toBe(1);
  });
});

describe('secret list', () => {
  it('names secrets, their place and the entries that use them, never values', async () => {
    await set('KEY');
    await set('OTHER');
    const entry = [
      '--no-verify',
      '--env',
      'API_KEY=secret:KEY',
      '--env',
      'X=secret:KEY',
      '--',
      'node',
      'x.js',
    ];
    expect((await run(['install', 'cursor', '--name', 'tickets', ...entry])).code).toBe(0);
    addFiles(dataFolder(), {
      'servers/package.json': { name: '_user-made-servers', agenttools: { servers: ['trip'] } },
      'servers/agenttools/servers/trip.json': {
        tools: [{ upstream: { command: 'node', env: { K: '{secret:LOST}' } } }],
      },
    });
    const { code, stdout, stderr } = await run(['secret', 'list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const today = new Date().toISOString().slice(0, 10);
    expect(stdout).toBe(
      [
        `KEY: set ${today}, in a file that only you can read`,
        '  used by "tickets" in Cursor',
        `OTHER: set ${today}, in a file that only you can read`,
        '  not used by any entry',
        'LOST: not set',
        '  used by your server trip',
        `File: ${storeFile()}`,
        '',
      ].join('\n'),
    );
    const data = JSON.parse((await run(['secret', 'list', '--json'])).stdout);
    const changed = expect.stringContaining(today);
    const file = path.join(home, '.cursor/mcp.json');
    expect(data).toEqual([
      { name: 'KEY', kept: 'file', changed, usedBy: [{ client: 'cursor', file, key: 'tickets' }] },
      { name: 'OTHER', kept: 'file', changed, usedBy: [] },
      { name: 'LOST', kept: null, changed: null, usedBy: [{ server: 'trip' }] },
    ]);
  });

  it('names the command for the first one', async () => {
    const { stdout } = await run(['secret', 'list']);
    expect(stdout).toBe('There are no secrets. Set one with: agenttools secret set <name>\n');
    expect((await run(['secret', 'list', '--json'])).stdout.trim()).toBe('[]');
  });

  it.skipIf(process.platform === 'win32')('takes access from others, with a note', async () => {
    await set('KEY');
    chmodSync(storeFile(), 0o644);
    const { stderr } = await run(['secret', 'list']);
    expect(stderr).toMatch(/^note: .*secrets\.json holds secrets, and other users had access/);
    expect(statSync(storeFile()).mode & 0o777).toBe(0o600);
  });
});

describe('secret remove', () => {
  it('deletes a secret and names the entries that still use it', async () => {
    await set('KEY');
    const entry = ['--no-verify', '--env', 'API_KEY=secret:KEY', '--', 'node', 'x.js'];
    await run(['install', 'cursor', '--name', 'tickets', ...entry]);
    const { code, stderr } = await run(['secret', 'remove', 'KEY']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'Removed KEY.\nStill used by "tickets" in Cursor: it does not start before you run "agenttools secret set KEY".\n',
    );
    expect(leaks()).toEqual([]);
    expect((await run(['secret', 'remove', 'KEY'])).stderr).toContain('There is no secret KEY.');
  });
});

/** A server that writes its variables and its command line to a file. */
const spy = `
import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync('seen.json', JSON.stringify({
  key: process.env.API_KEY,
  args: process.argv.slice(2),
  parent: process.platform === 'linux' ? readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8') : '',
}));
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  for (const line of chunk.split('\\n').filter(Boolean)) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    const result = method === 'initialize'
      ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'spy', version: '1.0.0' } }
      : method === 'tools/list' ? { tools: [{ name: 'find', inputSchema: { type: 'object' } }] }
      : { content: [{ type: 'text', text: 'done' }] };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  }
});
`;
const seen = () => JSON.parse(readFileSync(path.join(home, 'seen.json'), 'utf8'));

describe('a reference in an entry', () => {
  beforeEach(() => writeFileSync(path.join(home, 'spy.mjs'), spy));

  it('is all that the config file gets; only the process gets the value', async () => {
    await set('KEY');
    const words = ['install', 'cursor', '--env', 'API_KEY=secret:KEY', '--verbose', '--', 'node', 'spy.mjs'];
    const { code, stdout, stderr } = await run(words);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('through AgentTools, which reads its secrets from the secret store.');
    expect(stdout + stderr).not.toContain(value);
    const [entry] = Object.values(
      JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).mcpServers,
    ) as { args: string[]; env: object }[];
    expect(entry!.args).toContain('start');
    expect(entry!.env).toEqual({ API_KEY: 'secret:KEY', AGENTTOOLS_HOME: dataFolder() });
    expect(seen().key).toBe(value);
    expect(JSON.stringify([seen().args, seen().parent])).not.toContain(value);
    expect(leaks().sort()).toEqual([storeFile(), path.join(home, 'seen.json')].sort());
    expect((await run(['list-installed'])).stdout).toContain('\n  secrets: KEY\n');
    const [listed] = JSON.parse((await run(['list-installed', '--json'])).stdout);
    expect(listed.secrets).toEqual(['KEY']);
  });

  it('may be in the file of a project', async () => {
    await set('KEY');
    const words = ['install', 'cursor', '--project', '--env', 'API_KEY=secret:KEY', '--', 'node', 'spy.mjs'];
    expect(await run(words)).toMatchObject({ code: 0 });
    const text = readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8');
    expect(text).toContain('"API_KEY": "secret:KEY"');
    expect(text).not.toContain(value);
  });

  it('to a missing secret is an error that names the command', async () => {
    const words = ['--env', 'API_KEY=secret:KEY', '--', 'node', 'spy.mjs'];
    const failure = 'The secret KEY is not set. Set it with: agenttools secret set KEY\n';
    expect(await run(['install', 'cursor', ...words])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(failure),
    });
    expect(existsSync(path.join(home, '.cursor'))).toBe(false);
    expect(await run(['start', ...words])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(failure),
    });
    expect(existsSync(path.join(home, 'seen.json'))).toBe(false);
  });

  it('is not read from a file of others: a server.json, or a config file', async () => {
    await set('KEY');
    const env = { API_KEY: 'secret:KEY', OTHER: '{secret:KEY}' };
    addFiles(home, { 'mcp.json': { mcpServers: { spy: { command: 'node', args: ['spy.mjs'], env } } } });
    const { code, stderr } = await run(['call', './mcp.json#spy', 'find', '{}']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(seen().key).toBe('secret:KEY');
  });
});

/** A remote server; gives the addresses and the headers of its requests. */
async function startRemote() {
  const requests: { url: string; authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
    const { id, method } = JSON.parse((await text(request)) || '{}');
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const capabilities = { tools: {} };
    const serverInfo = { name: 'remote', version: '1.0.0' };
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities, serverInfo }
        : method === 'tools/list'
          ? { tools: [{ name: 'find', inputSchema: { type: 'object' } }] }
          : { content: [{ type: 'text', text: 'done' }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

describe('a remote server', () => {
  it('gets secrets in a header and in its address, and the config file only references', async () => {
    await set('KEY');
    await set('PLACE', 'a/b?c');
    const { origin, requests } = await startRemote();
    const url = `${origin}/{secret:PLACE}/mcp?key={secret:KEY}`;
    const header = ['--header', 'Authorization: Bearer secret:KEY'];
    const { code, stderr } = await run(['install', 'cursor', url, '--name', 'remote', ...header]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const expected = { url: `/a%2Fb%3Fc/mcp?key=${value}`, authorization: `Bearer ${value}` };
    expect(requests[0]).toEqual(expected);
    const { remote } = JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8')).mcpServers;
    expect(remote.args).toContain(url);
    expect(Object.values(remote.env)).toContain('Bearer secret:KEY');
    expect(leaks()).toEqual([storeFile()]);
    requests.length = 0;
    const called = await run(['call', url, 'find', '{}', ...header]);
    expect(called).toMatchObject({ code: 0, stdout: 'done\n' });
    expect(requests[0]).toEqual(expected);
    requests.length = 0;
    await run(['validate', url, ...header]);
    expect(requests[0]).toEqual(expected);
  });

  it('gets no header with a line break, and no message has the value', async () => {
    await set('KEY', `${value}\nX-Other: 1`);
    const { origin, requests } = await startRemote();
    const words = ['call', `${origin}/mcp`, 'find', '{}', '--header', 'X-Key: secret:KEY', '--verbose'];
    const { code, stdout, stderr } = await run(words);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('has a line break') });
    expect(stdout + stderr).not.toContain(value);
    expect(requests).toEqual([]);
  });
});

describe('a server of an extension', () => {
  const files = {
    'package.json': { name: '@acme/kit', version: '1.0.0', type: 'module', agenttools: { tools: ['key'] } },
    'agenttools/tools/key.js':
      'export default { description: "Key.", handler: () => String(process.env.API_KEY?.length) };',
  };

  it('gets the values of its variables, and its entry the references', async () => {
    await set('KEY');
    addFiles(home, Object.fromEntries(Object.entries(files).map(([name, one]) => [`kit/${name}`, one])));
    const { code, stderr } = await run(['install', 'cursor', './kit', '--env', 'API_KEY=secret:KEY']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const file = readFileSync(path.join(home, '.cursor/mcp.json'), 'utf8');
    expect(file).toContain('"API_KEY": "secret:KEY"');
    const env = { PATH: path.dirname(process.execPath), API_KEY: 'secret:KEY' };
    const called = await runProgram(['call', './kit', 'key', '{}'], {
      cwd: home,
      env: { ...env, HOME: home, AGENTTOOLS_HOME: dataFolder() },
    });
    expect(called).toMatchObject({ stdout: `${value.length}\n` });
    expect(leaks()).toEqual([storeFile()]);
  });
});

describe('create-server', () => {
  const create = ['create-server', 'mine', '--from'];

  it('writes references, which only servers of the user may have', async () => {
    await set('KEY');
    const { origin, requests } = await startRemote();
    const header = ['--header', 'Authorization: Bearer secret:KEY'];
    const { code, stderr } = await run([...create, `${origin}/mcp`, ...header]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const file = path.join(dataFolder(), 'servers/agenttools/servers/mine.json');
    expect(readFileSync(file, 'utf8')).toContain('"Authorization": "Bearer secret:KEY"');
    expect(await run(['call', 'mine', 'find', '{}'])).toMatchObject({ code: 0, stdout: 'done\n' });
    expect(requests[0]).toMatchObject({ authorization: `Bearer ${value}` });
    expect(leaks()).toEqual([storeFile()]);
    expect((await run(['secret', 'list'])).stdout).toContain('used by your server mine');
    expect((await run(['show', 'mine'])).stdout).toContain('secret:KEY');

    addFiles(home, {
      'kit/package.json': { name: '@acme/kit', version: '1.0.0', agenttools: { servers: ['mine'] } },
      'kit/agenttools/servers/mine.json': readFileSync(file, 'utf8'),
    });
    requests.length = 0;
    const foreign = await run(['call', './kit', 'find', '{}']);
    expect(foreign).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('names the secret KEY, which only servers of create-server can do'),
    });
    expect(requests).toEqual([]);
  });
});
