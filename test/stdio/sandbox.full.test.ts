import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createWebServer, type Server as WebServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFolder, writePackage } from '../support/packages.js';
import { openProgram, type Program, programFile, startProgram } from '../support/program.js';
import { writeZip } from '../support/zip.js';

/** Runs the code that a call sends. The result begins with "done:", or with "stopped:" and the reason. */
const attacker = {
  'agenttools/tools.json': { run: { description: 'Runs code.', handler: './run.mjs#run' } },
  'run.mjs': `
    const AsyncFunction = (async () => {}).constructor;
    export const run = async ({ body }) => {
      try {
        return 'done: ' + JSON.stringify(await new AsyncFunction('load', body)((name) => import('node:' + name)));
      } catch (error) {
        return 'stopped: ' + (error.code ?? error.message);
      }
    };`,
};

const secrets = writeFolder({ '.ssh/id': 'PRIVATE KEY', 'notes/list.txt': 'milk', 'out/keep.txt': '' });
symlinkSync(path.join(secrets, '.ssh'), path.join(secrets, 'out/link'));
const dataFolder = writeFolder({ 'secrets.json': 'PASSWORD' });
const socketFolder = writeFolder();
const directory = writePackage({ tools: ['run'] }, attacker);

let program: Program;
let tcp: Server;
let unix: Server;
/** Number of connections that reached a server outside of the sandbox. */
let connections = 0;

const attackOn = async (at: Program, body: string): Promise<string> =>
  (await at.call('run', { body })).content[0].text;
const attack = async (body: string): Promise<string> => await attackOn(program, body);
const portOf = (server: Server) => (server.address() as { port: number }).port;
const quote = (text: string) => JSON.stringify(text);
const connect = (target: string) => `
  const { connect } = await load('net');
  return await new Promise((resolve, reject) => {
    const socket = connect(${target}, () => resolve('connected'));
    socket.on('error', reject).setTimeout(3000, () => reject(new Error('timeout')));
  });`;

beforeAll(async () => {
  const listen = async (...at: readonly unknown[]): Promise<Server> => {
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen(...(at as [number]));
    await once(server, 'listening');
    return server;
  };
  // All addresses of this machine: the one that is not loopback stands in for the internet.
  tcp = await listen(0, '0.0.0.0');
  unix = await listen(path.join(socketFolder, 'docker.sock'));
  program = await openProgram(directory, {
    env: {
      AGENTTOOLS_HOME: dataFolder,
      API_KEY: 'sk-secret',
      SSH_AUTH_SOCK: path.join(socketFolder, 'docker.sock'),
    },
    flags: [
      '--sandbox',
      '--allow-read',
      path.join(secrets, 'notes'),
      '--allow-write',
      path.join(secrets, 'out'),
      '--allow-env',
      'NAMED',
    ],
  });
});

afterAll(async () => {
  expect(connections).toBe(0);
  expect(await program.end()).toEqual({ code: 0, signal: null });
  tcp.close();
  unix.close();
});

describe('code of an extension in bubblewrap', () => {
  test('reads and writes what is permitted', async () => {
    const read = `return (await load('fs')).readFileSync(${quote(path.join(secrets, 'notes/list.txt'))}, 'utf8')`;
    expect(await attack(read)).toBe('done: "milk"');
    const file = path.join(secrets, 'out/new.txt');
    expect(await attack(`(await load('fs')).writeFileSync(${quote(file)}, 'new')`)).toMatch(/^done/);
    expect(readFileSync(file, 'utf8')).toBe('new');
  });

  test('reads no other files', async () => {
    for (const file of [
      path.join(secrets, '.ssh/id'),
      path.join(os.homedir(), '.ssh'),
      '/etc/shadow',
      '/root',
      '/home',
    ]) {
      expect(await attack(`return (await load('fs')).statSync(${quote(file)})`)).toBe('stopped: ENOENT');
    }
    const passwd = await attack(`return (await load('fs')).readFileSync('/etc/passwd', 'utf8')`);
    expect(passwd).toMatch(/^done: "user:x:\d+:\d+::\/tmp\/home:\/bin\/sh\\n"$/);
  });

  test('writes to no other files', async () => {
    for (const file of [
      '/x',
      '/usr/lib/x',
      path.join(directory, 'run.mjs'),
      path.join(secrets, 'notes/list.txt'),
    ]) {
      expect(await attack(`(await load('fs')).writeFileSync(${quote(file)}, 'x')`)).toBe('stopped: EROFS');
    }
  });

  test('does not find the data folder of AgentTools', async () => {
    const file = path.join(dataFolder, 'secrets.json');
    expect(await attack(`return (await load('fs')).readFileSync(${quote(file)})`)).toBe('stopped: ENOENT');
    expect(await attack(`(await load('fs')).writeFileSync(${quote(file)}, 'x')`)).toMatch(
      /^stopped: (?:ENOENT|EROFS)/,
    );
    expect(readFileSync(file, 'utf8')).toBe('PASSWORD');
  });

  test('does not escape by a link', async () => {
    const link = path.join(secrets, 'out/link/id');
    expect(await attack(`return (await load('fs')).readFileSync(${quote(link)})`)).toBe('stopped: ENOENT');
    const made = path.join(secrets, 'out/made');
    const body = `const fs = await load('fs'); fs.symlinkSync(${quote(path.join(secrets, '.ssh'))}, ${quote(made)}); return fs.readdirSync(${quote(made)})`;
    expect(await attack(body)).toBe('stopped: ENOENT');
  });

  test('gets no other variables', async () => {
    const { env } = JSON.parse(
      (
        await attack(
          'return { env: process.env, files: (await load("fs")).readFileSync("/proc/self/environ", "utf8") }',
        )
      ).slice(6),
    );
    expect(env.TMPDIR).toBe('/tmp');
    expect(env.HOME).toBe(`${env.TMPDIR}/home`);
    expect(Object.keys(env)).not.toContain('API_KEY');
    const all = `const fs = await load('fs'); return fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((name) => { try { return fs.readFileSync('/proc/' + name + '/environ', 'utf8') } catch { return '' } }).join()`;
    expect(await attack(all)).not.toContain('sk-secret');
  });

  test('sees and signals no process outside', async () => {
    expect(await attack(`return (await load('fs')).existsSync('/proc/${program.child.pid}/environ')`)).toBe(
      'done: false',
    );
    expect(await attack(`process.kill(${program.child.pid}, 'SIGKILL')`)).toBe('stopped: ESRCH');
    expect(await attack('return process.ppid')).toBe('done: 1');
    expect(program.child.exitCode).toBeNull();
  });

  test.each([
    ['this machine', () => `{ host: '127.0.0.1', port: ${portOf(tcp)} }`],
    ['another address', () => `{ host: ${quote(outerAddress())}, port: ${portOf(tcp)} }`],
    ['a name', () => `{ host: 'localhost', port: ${portOf(tcp)} }`],
    ['a unix socket', () => quote(path.join(socketFolder, 'docker.sock'))],
    ['the docker socket', () => quote('/var/run/docker.sock')],
    ['the session bus', () => quote('/run/dbus/system_bus_socket')],
    ['an abstract socket', () => quote('\0agenttools')],
  ])('does not connect to %s', async (_, target) => {
    expect(await attack(connect(target()))).toMatch(/^stopped: (?:ECONNREFUSED|ENETUNREACH|ENOENT|EPERM)$/);
  });

  test('sends nothing by UDP', async () => {
    const body = `const socket = (await load('dgram')).createSocket('udp4'); return await new Promise((resolve, reject) => socket.on('error', reject).send('x', ${portOf(tcp)}, ${quote(outerAddress())}, (error) => (error ? reject(error) : resolve())))`;
    expect(await attack(body)).toBe('stopped: ENETUNREACH');
  });

  test('resolves no names', async () => {
    const body = `return await (await load('dns/promises')).resolve4('acme.example')`;
    expect(await attack(body)).toMatch(/^stopped: (?:ECONNREFUSED|ESERVFAIL|ETIMEOUT)/);
    const lookup = `return await (await load('dns/promises')).lookup('acme.example')`;
    expect(await attack(lookup)).toMatch(/^stopped: (?:EAI_AGAIN|ENOTFOUND)/);
  });

  test('starts no program', async () => {
    for (const program of ['/bin/sh', 'id', '/usr/bin/env', 'bwrap', 'sudo']) {
      const body = `const { spawnSync } = await load('child_process'); const { error, status } = spawnSync(${quote(program)}); if (error) throw error; return status`;
      expect(await attack(body)).toBe('stopped: ENOENT');
    }
  });

  test('has no capabilities and no terminal', async () => {
    const status = await attack(`return (await load('fs')).readFileSync('/proc/self/status', 'utf8')`);
    expect(status).toContain('CapEff:\\t0000000000000000');
    expect(status).toContain('CapBnd:\\t0000000000000000');
    expect(status).toContain('NoNewPrivs:\\t1');
    expect(await attack(`return (await load('fs')).openSync('/dev/tty', 'r+')`)).toBe('stopped: ENXIO');
  });
});

test('starts a permitted program, which cannot leave the sandbox either', async () => {
  const at = await openProgram(directory, { flags: ['--allow-run', 'unshare'] });
  const inUnshare = async (args: readonly string[]) =>
    await attackOn(
      at,
      `const { spawnSync } = await load('child_process'); const { status, stderr } = spawnSync('unshare', ${JSON.stringify(args)}); return [status, String(stderr)]`,
    );
  expect(await inUnshare(['--version'])).toBe('done: [0,""]');
  expect(await inUnshare(['--user', 'unshare', '--version'])).toMatch(/^done: \[1,"unshare: unshare failed/);
  expect(await inUnshare(['--mount', 'unshare', '--version'])).toMatch(/^done: \[1,"unshare: unshare failed/);
  const id = `const { error } = (await load('child_process')).spawnSync('id'); throw error`;
  expect(await attackOn(at, id)).toBe('stopped: ENOENT');
  expect(await at.end()).toEqual({ code: 0, signal: null });
});

describe('a sandbox with permitted hosts', () => {
  let web: WebServer;
  let other: Server;
  let networked: Program;
  let reached = 0;

  beforeAll(async () => {
    web = createWebServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    other = createServer((socket) => {
      reached += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await Promise.all([once(web, 'listening'), once(other, 'listening')]);
    networked = await openProgram(directory, {
      flags: ['--allow-net', `localhost:${portOf(web)}`, '--allow-net', 'rebound.localhost'],
    });
  });

  afterAll(async () => {
    expect(reached).toBe(0);
    expect(await networked.end()).toEqual({ code: 0, signal: null });
    web.close();
    other.close();
  });

  const fetchText = (url: string) => `return await (await fetch(${quote(url)})).text()`;
  const byProxy = (target: string) => `
    const { request } = await load('http');
    const url = new URL(process.env.HTTP_PROXY);
    return await new Promise((resolve, reject) => {
      const asked = request({ host: url.hostname, port: url.port, method: 'CONNECT', path: ${quote(target)} });
      asked.on('connect', ({ statusCode }, socket) => { socket.destroy(); resolve(statusCode); }).on('error', reject).end();
    });`;

  test('reaches them without knowing the proxy', async () => {
    expect(await attackOn(networked, fetchText(`http://localhost:${portOf(web)}/`))).toBe('done: "hello"');
  });

  test('reaches them by the proxy', async () => {
    expect(await attackOn(networked, byProxy(`localhost:${portOf(web)}`))).toBe('done: 200');
    const plain = `
      const { get } = await load('http');
      const url = new URL(process.env.HTTP_PROXY);
      return await new Promise((resolve, reject) => get({ host: url.hostname, port: url.port, path: 'http://localhost:${portOf(web)}/' }, (response) => response.on('data', (data) => resolve(String(data)))).on('error', reject));`;
    expect(await attackOn(networked, plain)).toBe('done: "hello"');
  });

  test('reaches no other host, port or address', async () => {
    const port = portOf(other);
    expect(await attackOn(networked, fetchText(`http://localhost:${port}/`))).toBe('stopped: fetch failed');
    for (const target of [
      `localhost:${port}`,
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      'acme.example:443',
      `rebound.localhost:80`,
    ]) {
      expect(await attackOn(networked, byProxy(target))).toMatch(/^done: (?:403|502)$/);
    }
    expect(networked.stderr).toContain('sandbox: the host acme.example:443 is not permitted.');
  });
});

test('inherits no descriptors of the program that started the server', async () => {
  const folder = openSync(secrets, 'r');
  const file = openSync(path.join(secrets, '.ssh/id'), 'r');
  const child = spawn(process.execPath, [programFile, 'start', directory, '--sandbox'], {
    stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', folder, 'ignore', file],
    env: { PATH: process.env.PATH, HOME: secrets, AGENTTOOLS_AUTO_INSTALL: 'false' },
  });
  const list = `const fs = await load('fs'); return fs.readdirSync('/proc/self/fd').map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd) } catch { return '' } })`;
  const send = (message: object) => child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'run', arguments: { body: list } } });
  let output = '';
  for await (const chunk of child.stdout!) {
    output += chunk;
    if (output.includes('"id":2')) break;
  }
  child.stdin!.end();
  await once(child, 'exit');
  expect(output).toContain('done:');
  expect(output).not.toContain(secrets);
});

/** An address of this machine that is not loopback. */
function outerAddress(): string {
  const all = Object.values(os.networkInterfaces()).flatMap((list) => list ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '192.0.2.1';
}

describe('existing servers in a sandbox', () => {
  /** Lists one tool, with the facts that the program finds. */
  const facts = `
    const fs = require('node:fs');
    const known = (file) => { try { return fs.readdirSync(file).length } catch ({ code }) { return code } };
    const found = () => JSON.stringify({ env: Object.keys(process.env).sort(), ssh: known(${quote(path.join(secrets, '.ssh'))}), notes: known(${quote(path.join(secrets, 'notes'))}), bin: fs.readdirSync('/usr').includes('bin') && known('/usr/bin') });
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const result = method === 'initialize'
        ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } }
        : { tools: [{ name: 'facts', description: found(), inputSchema: { type: 'object' } }] };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    });`;
  const env = { API_KEY: 'sk-secret', NAMED: '1', AGENTTOOLS_MCP_REGISTRY: 'none' };
  const factsOf = async (at: Program) => {
    const { tools } = await at.request('tools/list');
    await at.end();
    return JSON.parse(tools[0].description);
  };

  test('use what the command line permits', async () => {
    const folder = writeFolder({ 'server.cjs': facts });
    const words = ['--sandbox', '--allow-env', 'NAMED', '--allow-read', path.join(secrets, 'notes')];
    const server = ['--', 'node', path.join(folder, 'server.cjs')];
    const at = await openProgram(undefined, { flags: [...words, ...server], env });
    const found = await factsOf(at);
    expect(found).toMatchObject({ ssh: 'ENOENT', notes: 1 });
    expect(found.env).toEqual(expect.arrayContaining(['HOME', 'NAMED', 'PATH', 'TMPDIR']));
    expect(found.env).not.toContain('API_KEY');
    expect(found.bin).toBeLessThan(5);
  });

  /** A bundle by a stranger, whose server reads the files that its arguments name. */
  const bundle = (server: { readonly command: string; readonly args: readonly string[] }) => {
    const readsArguments = facts.replace(
      'const found = () =>',
      `const read = (file) => { try { return fs.readFileSync(file, 'utf8') } catch ({ code }) { return code } };
       const found = () => true ? JSON.stringify(process.argv.slice(1).map(read)) :`,
    );
    const { command, args } = server;
    const manifest = {
      manifest_version: '0.3',
      name: 'stranger',
      version: '1.0.0',
      description: 'Reads.',
      author: { name: 'x' },
      server: { type: 'node', entry_point: 'server.cjs', mcp_config: { command, args } },
    };
    const file = path.join(writeFolder(), 'stranger.mcpb');
    const entries = {
      'manifest.json': JSON.stringify(manifest),
      'server.cjs': readsArguments,
      'own.txt': 'own',
    };
    writeFileSync(file, writeZip(Object.entries(entries).map(([name, content]) => ({ name, content }))));
    return file;
  };
  const ofBundle = (name: string) => `\${__dirname}/${name}`;

  test('read no file that only the arguments of a bundle name', async () => {
    const args = ['server.cjs', 'own.txt'].map(ofBundle);
    const words = [
      ...args,
      path.join(secrets, '.ssh/id'),
      path.join(secrets, 'notes/list.txt'),
      '/etc/hostname',
    ];
    const flags = ['--sandbox', '--allow-read', path.join(secrets, 'notes')];
    const found = await factsOf(await openProgram(bundle({ command: 'node', args: words }), { env, flags }));
    expect(found.slice(1)).toEqual(['own', 'ENOENT', 'milk', 'ENOENT']);
  });

  test('start no program of a bundle that is elsewhere', async () => {
    const script = path.join(
      writeFolder({ 'package.json': '{}', 'run.sh': '#!/bin/sh\n', '.env': 'KEY' }),
      'run.sh',
    );
    chmodSync(script, 0o755);
    const at = await openProgram(bundle({ command: script, args: [] }), { env, flags: ['--sandbox'] });
    expect((await at.request('tools/list')).tools).toEqual([]);
    await at.end();
    expect(at.stderr).toContain(`does not permit the program ${script}`);
  });

  const upstream = (sandbox: object, more: object = {}) =>
    writePackage(
      { servers: ['desk'] },
      {
        'agenttools/servers/desk.json': {
          tools: [{ upstream: { command: 'node', args: ['server.cjs'], ...more } }],
          sandbox,
        },
        'server.cjs': facts,
      },
    );

  test('use what the sandbox of their definition permits, without any option', async () => {
    const sandbox = { files: { read: [path.join(secrets, 'notes')] }, env: ['NAMED'] };
    const found = await factsOf(await openProgram(upstream(sandbox), { env }));
    expect(found).toMatchObject({ ssh: 'ENOENT', notes: 1 });
    expect(found.env).toContain('NAMED');
    expect(found.env).not.toContain('API_KEY');
    const free = await factsOf(await openProgram(upstream(sandbox), { env, flags: ['--no-sandbox'] }));
    expect(free).toMatchObject({ ssh: 1, notes: 1 });
  });

  test.each([
    ['a variable', { env: { KEY: '$' + '{API_KEY}' } }, 'does not permit the variable API_KEY'],
    ['a program', { command: 'sh', args: ['-c', 'true'] }, 'does not permit the program sh'],
    [
      'a host',
      { command: undefined, args: undefined, url: 'http://127.0.0.1:9/mcp' },
      'does not permit the host 127.0.0.1:9',
    ],
  ])('do not start if their definition has %s that is not permitted', async (_, more, message) => {
    const at = await openProgram(upstream({}, more), { env });
    expect((await at.request('tools/list')).tools).toEqual([]);
    await at.end();
    expect(at.stderr).toContain(message);
  });
});

test('a sandbox that the system does not provide is an error, and nothing is started', async () => {
  const program = startProgram(directory, {
    flags: ['--sandbox', '--allow-write', path.join(secrets, 'missing')],
  });
  expect((await program.exit).code).toBe(1);
  expect(program.stderr).toContain('does not exist. Create it first.');
  for (const wide of ['/', os.homedir(), '/proc', '/dev']) {
    const refused = startProgram(directory, { flags: ['--allow-read', wide], env: { HOME: os.homedir() } });
    expect((await refused.exit).code).toBe(1);
    expect(refused.stderr).toContain('Permit narrower folders.');
  }
});
