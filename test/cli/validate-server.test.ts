import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { serveRecordings } from '../support/recorded-servers.js';
import { runCli } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';

let recordings: Awaited<ReturnType<typeof serveRecordings>>;
beforeAll(async () => {
  recordings = await serveRecordings();
});
afterAll(async () => await recordings.close());

const cwd = writeFolder({
  'node_modules/@acme/mcp/package.json': {
    name: '@acme/mcp',
    version: '1.0.0',
    type: 'module',
    bin: 'server.js',
  },
  'node_modules/@acme/mcp/server.js': ticketsServer,
});
const command = ['--', process.execPath, 'node_modules/@acme/mcp/server.js'];
const validate = async (...words: readonly string[]) =>
  await runCli(['validate', ...words], { cwd, home: cwd, env: { PATH: process.env.PATH ?? '', HOME: cwd } });

test('checks a remote server', async () => {
  const { code, stdout } = await validate(
    recordings.urlOf('chrome-devtools'),
    '--rule',
    'wrong-error-code=off',
  );
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(/^valid .*: 1 server, \d+ tools[^\n]*\n$/);
});

test('reports places in items in each format', async () => {
  const json = await validate('--json', ...command);
  const [extension] = JSON.parse(json.stdout).extensions;
  expect(extension).toMatchObject({ valid: true, protocols: ['2025-11-25'], tools: ['tool'] });
  expect(extension.diagnostics).toContainEqual(
    expect.objectContaining({
      code: 'missing-description',
      file: 'tool/tool',
      item: { kind: 'tool', name: 'tool' },
    }),
  );
  expect(json.code).toBe(0);
  expect((await validate('--strict', ...command)).code).toBe(1);
  const github = await validate('--format', 'github', ...command);
  expect(github.stdout).toContain('::warning file=tool/tool,line=1,col=1,title=missing-description::');
  const { stdout } = await validate('--format', 'sarif', ...command);
  const uris = JSON.parse(stdout).runs[0].results.map(
    (result: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }) =>
      result.locations[0]!.physicalLocation.artifactLocation.uri,
  );
  expect(uris).toContain('mcp:tool/tool');
});

test('checks an installed package by its name, and downloads none', async () => {
  expect((await validate('@acme/mcp')).stdout).toContain('missing-description');
  const missing = await validate('@acme/other');
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain('Write npm:@acme/other for the npm package, a URL, or a command');
});

test('checks a server that install wrote, by its package or its key', async () => {
  const home = writeFolder({ 'server.json': { mcpServers: {} } });
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  const run = async (...words: readonly string[]) => await runCli(words, { cwd: home, home, env });
  const url = recordings.urlOf('chrome-devtools');
  expect(await run('install', 'cursor', url, '--name', 'base')).toMatchObject({ code: 0 });
  const { stdout, stderr } = await run('validate', 'base', '--json');
  expect(JSON.parse(stdout).extensions[0]).toMatchObject({
    path: url,
    tools: expect.arrayContaining(['click']),
  });
  expect(stderr).toBe(`base is the installed server ${url}.\n`);
  expect((await run('show', 'base', 'reference')).stdout).toBe(`${url}\n`);
  const { tools } = JSON.parse((await run('show', 'base', '--json')).stdout);
  expect(tools).toContain('click');
  const other = await run('validate', 'basis');
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('basis')]);
  expect(await run('install', 'vscode', `${url}?x=1`, '--name', 'base', '--no-verify')).toMatchObject({
    code: 0,
  });
  const several = await run('validate', 'base');
  expect([several.code, several.stderr]).toEqual([
    1,
    expect.stringContaining('was installed as several servers'),
  ]);
});

test('starts no server with --no-load', async () => {
  const { code, stderr } = await validate('--no-load', ...command);
  expect(code).toBe(2);
  expect(stderr).toContain('an existing server must be started to be checked');
});
