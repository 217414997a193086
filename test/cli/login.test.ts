import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../src/cli/main.js';
import { fakeHost, runCli } from '../support/run-cli.js';
import { browse, type SignInServers, startSignInServers } from '../support/sign-in-servers.mjs';
import { fullTest } from '../support/tier.js';

/** Key pairs of machines, by client id. */
const machines = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ed: generateKeyPairSync('ed25519'),
};

const machine = (id: string) => ({
  client_id: id,
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
});

const privatePem = (id: keyof typeof machines) =>
  String(machines[id].privateKey.export({ type: 'pkcs8', format: 'pem' }));

let servers: SignInServers;
beforeAll(async () => {
  servers = await startSignInServers({
    clients: [
      {
        ...machine('robot & co'),
        client_secret: 'p%ss w+rd/:~',
        token_endpoint_auth_method: 'client_secret_basic',
      },
      ...Object.entries(machines).map(([id, { publicKey }]) => ({
        ...machine(id),
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [publicKey.export({ format: 'jwk' })] },
      })),
    ],
  });
});
afterAll(async () => await servers.close());

const newHome = () => mkdtempSync(path.join(tmpdir(), 'agenttools-login-'));

/** A folder with the program that opens browsers. The user of this browser agrees to everything. */
function browserFolder(): string {
  const folder = newHome();
  const script = path.resolve(import.meta.dirname, '../support/browse.mjs');
  writeFileSync(path.join(folder, 'xdg-open'), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, {
    mode: 0o755,
  });
  return folder;
}

/** Runs a command at a terminal where the user answers the yes/no questions, and has a browser. */
async function runAt(words: readonly string[], { home, answers }: { home: string; answers: string[] }) {
  const env = { PATH: `${browserFolder()}:/usr/bin:/bin`, DISPLAY: ':0' };
  const { host, stdout } = fakeHost({ cwd: home, home, env });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const told: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      told.push(String(chunk));
      if (String(chunk).endsWith('[y/N] ')) stdin.write(`${answers.shift() ?? ''}\r`);
      done();
    },
  });
  const code = await main(words, { ...host, stdin, stderr });
  return { code, stdout: stdout.text, told: told.join('') };
}

async function logIn(home: string, words: readonly string[] = []) {
  const env = { PATH: `${browserFolder()}:/usr/bin:/bin`, DISPLAY: ':0' };
  return await runCli(['login', servers.url, ...words], { home, env });
}

/** All files below a folder that contain a text. */
function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'utf8').includes(text));
}

function storedTokens(home: string): readonly string[] {
  const stored = JSON.parse(readFileSync(path.join(home, 'agenttools/secrets/sign-ins.json'), 'utf8'));
  return Object.values(stored.secrets as Record<string, { value: string }>).flatMap(({ value }) => {
    const { accessToken, refreshToken } = JSON.parse(value);
    return [accessToken, refreshToken].filter(Boolean);
  });
}

describe('login', () => {
  test('opens the browser, and lets other commands use the server', async () => {
    const home = newHome();
    const { code, stdout, stderr } = await logIn(home, ['--json']);
    expect(stderr).toContain(`Signed in to ${servers.url} at ${servers.issuer}.`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ server: servers.url, renewable: true, tools: 2 });
    const called = await runCli(['call', servers.url, 'list_tickets'], { home });
    expect(called).toMatchObject({ code: 0, stdout: 'two tickets\n' });
  });

  test('asks for the scope of the server in addition to the scope of the user', async () => {
    const home = newHome();
    const { code, stdout } = await logIn(home, ['--scope', 'tickets:write', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).scope.split(' ').sort()).toEqual([
      'offline_access',
      'tickets:read',
      'tickets:write',
    ]);
  });

  fullTest('lets validate see the server', async () => {
    const home = newHome();
    const before = await runCli(['validate', servers.url], { home });
    expect(before.code).toBe(1);
    expect(before.stdout).toContain(`it wants a sign-in (HTTP 401). Run: agenttools login ${servers.url}`);
    await logIn(home);
    const { stdout } = await runCli(['validate', servers.url, '--json'], { home });
    expect(JSON.parse(stdout)).toMatchObject({ extensions: [{ tools: ['list_tickets', 'close_ticket'] }] });
  });

  fullTest('shows in list-installed and show', async () => {
    const home = newHome();
    await runCli(['install', 'windsurf', servers.url, '--name', 'tickets'], { home });
    const before = await runCli(['list-installed'], { home });
    expect(before.stdout).not.toContain('signed in');
    await logIn(home);
    const listed = await runCli(['list-installed'], { home });
    expect(listed.stdout).toContain('signed in; the sign-in is renewed by itself');
    const { stdout } = await runCli(['list-installed', '--json'], { home });
    expect(JSON.parse(stdout)).toMatchObject([{ signIn: { issuer: servers.issuer, renewable: true } }]);
    const shown = await runCli(['show', servers.url, '--json'], { home });
    expect(JSON.parse(shown.stdout)).toMatchObject({ signIn: { issuer: servers.issuer } });
    const ended = await runCli(['logout', 'tickets'], { home });
    expect(ended.stderr).toContain('Signed out of');
  });

  test('keeps tokens in the store alone', async () => {
    const home = newHome();
    const runs = [
      await logIn(home, ['--json']),
      await runCli(['call', servers.url, 'list_tickets', '--json'], { home }),
      await runCli(['show', servers.url], { home }),
      await runCli(['list-installed', '--json'], { home }),
    ];
    const tokens = storedTokens(home);
    expect(tokens).toHaveLength(2);
    for (const token of tokens) {
      expect(filesWith(home, token)).toEqual([path.join(home, 'agenttools/secrets/sign-ins.json')]);
      for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(token);
    }
  });

  test.each([
    ['takes the pasted redirect', async (address: string) => await browse(address), 0, 'Signed in to'],
    [
      'refuses another address',
      async () => 'http://127.0.0.1/callback?code=x&state=wrong',
      1,
      'This is not the address that ends the sign-in.',
    ],
  ])('prints the address without a browser, and %s', async (_, paste, code, message) => {
    const home = newHome();
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const { host, stderr } = fakeHost({ cwd: home, home, env: {}, stdin });
    const running = main(['login', servers.url, '--no-browser'], host);
    await expect.poll(() => stderr.text).toContain('paste the address of that page here');
    const [address = ''] = /http:\S+\/auth\?\S+/.exec(stderr.text) ?? [];
    stdin.write(`${await paste(address)}\n`);
    expect(await running).toBe(code);
    expect(stderr.text).toContain(message);
  });

  test('signs in a machine with a secret of any characters', async () => {
    const home = newHome();
    const words = ['--client-credentials', '--client-id', 'robot & co', '--client-secret', '-'];
    const refused = await runCli(['login', servers.url, ...words], { home, stdin: 'p%ss w+rd/:~\n' });
    expect(refused.stderr).toContain(`add: --issuer ${servers.issuer}`);
    const { code, stderr } = await runCli(['login', servers.url, ...words, '--issuer', servers.issuer], {
      home,
      stdin: 'p%ss w+rd/:~\n',
    });
    expect(stderr).toContain('Signed in');
    expect(code).toBe(0);
    const called = await runCli(['call', servers.url, 'list_tickets'], { home });
    expect(called.stdout).toBe('two tickets\n');
  });

  test.each(['rsa', 'ec', 'ed'] as const)('signs in a machine with a private key: %s', async (id) => {
    const home = newHome();
    writeFileSync(path.join(home, 'machine key.pem'), privatePem(id));
    const words = ['--client-credentials', '--client-id', id, '--private-key', './machine key.pem', '--json'];
    const { code, stdout } = await runCli(['login', servers.url, ...words], { home, cwd: home });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ grant: 'client-credentials', tools: 2 });
    // The content is stored: the file is not read again.
    rmSync(path.join(home, 'machine key.pem'));
    servers.endAccessTokens();
    const called = await runCli(['call', servers.url, 'list_tickets'], { home });
    expect(called).toMatchObject({ code: 0, stdout: 'two tickets\n' });
    expect(stdout + called.stderr).not.toContain('PRIVATE KEY');
  });

  test('takes the private key from the secret store', async () => {
    const home = newHome();
    await runCli(['secret', 'set', 'KEY'], { home, stdin: privatePem('ec') });
    const words = ['--client-credentials', '--client-id', 'ec', '--private-key', 'secret:KEY'];
    const { code, stderr } = await runCli(['login', servers.url, ...words], { home });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Signed in') });
    expect(storedTokens(home)).toHaveLength(1);
    expect(readFileSync(path.join(home, 'agenttools/secrets/sign-ins.json'), 'utf8')).not.toContain(
      'PRIVATE',
    );
  });

  test.each([
    ['a file that does not exist', undefined, 'There is no private key at'],
    ['a file without a key', 'hunter2', 'private key'],
    ['a public key', 'public', 'private key'],
  ])('refuses %s as the private key, without its content', async (_, content, message) => {
    const home = newHome();
    const text =
      content === 'public' ? machines.ec.publicKey.export({ type: 'spki', format: 'pem' }) : content;
    if (text !== undefined) writeFileSync(path.join(home, 'key.pem'), text);
    const words = ['--client-credentials', '--client-id', 'ec', '--private-key', 'key.pem'];
    const { code, stderr } = await runCli(['login', servers.url, ...words], { home, cwd: home });
    expect({ code, said: stderr.includes(message) }).toEqual({ code: 1, said: true });
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('internal');
  });

  test.each([
    [['--client-secret', 'hunter2', '--client-id', 'x'], 'A client secret is no argument'],
    [['--client-secret', '-'], '--client-secret needs the id of the client'],
    [['--client-credentials', '--client-id', 'x'], 'A machine needs credentials'],
    [['--callback-port', '99999'], 'Expected a number from 1 to 65535'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await runCli(['login', servers.url, ...words]);
    expect({ code, said: stderr.includes(message) }).toEqual({ code: 2, said: true });
    expect(stderr).not.toContain('hunter2');
  });

  test('refuses another authorization server than the expected one', async () => {
    const { code, stderr } = await logIn(newHome(), ['--issuer', 'https://auth.example.com']);
    expect(code).toBe(1);
    expect(stderr).toContain(`is ${servers.issuer}, not https://auth.example.com`);
  });

  test('refuses programs, and names that mean nothing', async () => {
    const { stderr } = await runCli(['login', 'tickets']);
    expect(stderr).toContain('There is no remote server "tickets".');
  });
});

describe('a server that wants a sign-in, at a terminal', () => {
  test('install offers the sign-in, and writes the entry in any case', async () => {
    const home = newHome();
    const words = ['install', 'windsurf', servers.url, '--name', 'tickets'];
    const declined = await runAt(words, { home, answers: ['n'] });
    expect(declined.code).toBe(0);
    expect(declined.told).toContain(`Sign in to ${servers.url} now? [y/N] `);
    expect(declined.told).not.toContain('Signed in');
    const { code, told } = await runAt(words, { home, answers: ['y'] });
    expect(code).toBe(0);
    expect(told).toContain(`Signed in to ${servers.url}.`);
    const again = await runAt(words, { home, answers: [] });
    expect(again.told).not.toContain('[y/N]');
    const called = await runCli(['call', 'tickets', 'list_tickets'], { home });
    expect(called).toMatchObject({
      stdout: 'two tickets\n',
      stderr: `tickets is the installed server ${servers.url}.\n`,
    });
  });

  test('call offers the sign-in, and a larger one for a tool that needs it', async () => {
    const home = newHome();
    const declined = await runAt(['call', servers.url, 'list_tickets'], { home, answers: ['n'] });
    expect(declined).toMatchObject({ code: 1, stdout: '' });
    expect(declined.told).toContain(`Not signed in. To sign in later, run: agenttools login ${servers.url}`);
    const first = await runAt(['call', servers.url, 'list_tickets'], { home, answers: ['y'] });
    expect(first).toMatchObject({ code: 0, stdout: 'two tickets\n' });
    const { code, stdout, told } = await runAt(['call', servers.url, 'close_ticket'], {
      home,
      answers: ['y'],
    });
    expect(told).toContain(`${servers.url} wants a sign-in with more rights. Sign in now? [y/N] `);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'closed\n' });
  });

  fullTest('install checks the entry through AgentTools with the sign-in', async () => {
    const home = newHome();
    const words = ['install', 'windsurf', servers.url, '--name', 'tickets', '--only'];
    writeFileSync(path.join(home, 'ca.pem'), '');
    const env = { NODE_EXTRA_CA_CERTS: path.join(home, 'ca.pem') };
    const before = await runCli([...words, 'list_tickets'], { home, env });
    expect(before.stderr).toContain('is unavailable: it wants a sign-in (HTTP 401). Run: agenttools login');
    expect(before.stderr).not.toContain('NODE_EXTRA_CA_CERTS');
    await logIn(home);
    const { code, stderr } = await runCli([...words, 'list_tickets'], { home });
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('You are signed in.'),
    });
    expect(stderr).not.toContain('unavailable');
    const unknown = await runCli([...words, 'lost_tickets'], { home });
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('lost_tickets')]);
  });

  test.each([['call'], ['validate']])('Ctrl-C at the question ends %s', async (command) => {
    const home = newHome();
    const { host, stderr } = fakeHost({ cwd: home, home, env: {} });
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
    Object.assign(stderr, { isTTY: true, columns: 80 });
    const running = main([command, servers.url], { ...host, stdin });
    await expect.poll(() => stderr.text).toContain('Sign in now? [y/N] ');
    stdin.write('\u0003');
    expect(await running).toBe(130);
    expect(stderr.text).toContain('error: Interrupted.');
  });

  test('call reports the end of the input as no sign-in', async () => {
    const home = newHome();
    const { host, stderr } = fakeHost({ cwd: home, home, env: {} });
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end();
    expect(await main(['call', servers.url], { ...host, stdin })).toBe(1);
    expect(stderr.text).toContain('Not signed in.');
  });
});

describe('logout', () => {
  test('revokes and deletes the tokens', async () => {
    const home = newHome();
    await logIn(home);
    const tokens = storedTokens(home);
    const { code, stderr } = await runCli(['logout', servers.url], { home });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `Signed out of ${servers.url}. The tokens are deleted from this machine.\n${servers.issuer} has revoked them.\n`,
    });
    for (const token of tokens) expect(filesWith(home, token)).toEqual([]);
    const again = await runCli(['logout', servers.url], { home });
    expect(again).toMatchObject({ code: 0, stderr: `You are not signed in to ${servers.url}.\n` });
    const called = await runCli(['call', servers.url, 'list_tickets'], { home });
    expect(called.stderr).toContain(`Run: agenttools login ${servers.url}`);
  });
});
