import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { npmInProcess } from '../support/npm-in-process.js';
import { type Files, packageJson, writeFolder } from '../support/packages.js';
import { type Message, openProgram, type Program, programFile, startProgram } from '../support/program.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { runCli } from '../support/run-cli.js';
import { fullTest, runsAll } from '../support/tier.js';
import { modern } from './support/messages.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

const traces = writeFolder();
const cache = writeFolder();
const weather = '@shop/weather/weather';
let registry: Registry;

/** A package with one tool, and a server with that and others. Its scripts would leave a trace. */
const product = (name: string, server: string, tools: readonly string[] = []): Files => ({
  'package.json': packageJson(
    { servers: [server], tools: ['look'] },
    {
      name,
      keywords: ['agenttools-extension'],
      scripts: { postinstall: `node -e "require('fs').writeFileSync('${traces}/ran', '')"` },
    },
  ),
  [`agenttools/servers/${server}.json`]: { tools: [{ use: 'look', name: `look-${server}` }, ...tools] },
  'agenttools/tools/look.json': { description: 'Looks.', handler: './look.js' },
  'look.js': `export default () => 'seen by ${name}';`,
});

beforeAll(async () => {
  registry = await startRegistry();
  await registry.publish(product('@shop/weather', 'weather', ['@shop/units/look', '@shop/nowhere/look']));
  await registry.publish(product('@shop/units', 'units'));
});

afterAll(() => expect(readdirSync(traces)).toEqual([]));

/** A user on a machine with nothing on it, whose npm is set to the registry, or to one that is not there. */
function newUser(npmrc = registry.settings()) {
  const home = writeFolder({ '.npmrc': npmrc });
  const env = {
    HOME: home,
    AGENTTOOLS_HOME: path.join(home, 'agenttools'),
    AGENTTOOLS_AUTO_INSTALL: 'true',
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
  };
  return { home, env, cwd: home, packages: path.join(home, 'agenttools/packages') };
}

const namesIn = ({ tools }: Message) => tools.map(({ name }: Message) => name);
const complaint =
  /^The package @shop\/nowhere could not be installed: [^\n]*\. Needed by the server @shop\/weather\/weather for the tool @shop\/nowhere\/look\.\n$/;

async function endOf(program: Program): Promise<void> {
  expect(await program.end()).toEqual({ code: 0, signal: null });
}

describe('start', () => {
  test('installs a server and the packages that it refers to, reports failures, and keeps it for the next start', async () => {
    const user = newUser();
    const program = await openProgram(weather, user);
    expect(existsSync(user.packages)).toBe(false);
    expect(namesIn(await program.request('tools/list'))).toEqual(['look-weather', 'look']);
    expect(await program.textOf('look')).toBe('seen by @shop/units');
    await endOf(program);
    expect(program.stderr).toMatch(complaint);

    const again = startProgram(weather, { ...user, flags: ['--no-auto-install'] });
    again.send(modern('list', 'tools/list'));
    expect(namesIn((await again.next('list')).result)).toEqual(['look-weather', 'look']);
    await endOf(again);
    expect(again.stderr).toMatch(/^left out: @shop\/nowhere\/look .*agenttools add @shop\/nowhere/);
  });

  fullTest('installs for a call without a list, as entries of install do', async () => {
    const user = newUser();
    const program = await openProgram(weather, { ...user, env: { ...user.env, MCP_SERVER_NAME: weather } });
    expect(await program.textOf('look-weather')).toBe('seen by @shop/weather');
    await endOf(program);
  });

  fullTest('several at once get the same, once', async () => {
    const user = newUser();
    const programs = await Promise.all(
      [weather, weather, '@shop/units/units'].map((name) => openProgram(name, user)),
    );
    const lists = await Promise.all(programs.map((program) => program.request('tools/list')));
    expect(lists.map(namesIn)).toEqual([['look-weather', 'look'], ['look-weather', 'look'], ['look-units']]);
    expect(readdirSync(path.join(user.packages, '../installed'))).toHaveLength(2);
    for (const program of programs) await endOf(program);
  });

  fullTest('exits with its client during an install and does not block the next start', async () => {
    const user = newUser();
    const hasty = await openProgram('@shop/units/units', user);
    hasty.send({ jsonrpc: '2.0', id: 'never', method: 'tools/list' });
    hasty.child.kill('SIGTERM');
    expect(await hasty.ended()).toEqual({ code: 0, signal: null });
    const next = await openProgram('@shop/units/units', user);
    expect(namesIn(await next.request('tools/list'))).toEqual(['look-units']);
    await endOf(next);
  });

  test('serves what it can where the registry is away', async () => {
    const user = newUser('registry=http://127.0.0.1:9/\nfetch-retries=0\n');
    const program = await openProgram(weather, user);
    expect(await program.request('tools/list')).toMatchObject({ tools: [] });
    expect((await program.call('look-weather')).message).toMatch(
      /^Unknown tool: look-weather\. The package @shop\/weather could not be installed: /,
    );
    await endOf(program);
    expect(program.stderr).toMatch(/^The package @shop\/weather could not be installed: [^\n]*\n$/);
  });

  test('serves installed packages with --frozen until they change', async () => {
    const user = newUser();
    const program = await openProgram('@shop/units/units', user);
    await program.request('tools/list');
    await endOf(program);
    const flags = ['--frozen'];
    const frozen = await openProgram('@shop/units/units', { ...user, flags });
    expect(await frozen.textOf('look-units')).toBe('seen by @shop/units');
    await endOf(frozen);
    const handler = path.join(user.packages, 'node_modules/@shop/units/look.js');
    writeFileSync(handler, readFileSync(handler, 'utf8').replace('seen', 'stolen'));
    const refused = startProgram('@shop/units/units', { ...user, flags });
    expect(await refused.ended()).toEqual({ code: 1, signal: null });
    expect(refused.stderr).toMatch(/^error: @shop\/units\/units is not served, .*\n {2}@shop\/units: /);
  });
});

type User = ReturnType<typeof newUser>;

const configOf = ({ home }: User) => path.join(home, '.cursor/mcp.json');

/** Runs `install` with the built program. */
async function install(user: User, ...words: readonly string[]) {
  const command = [process.execPath, programFile, 'install', 'cursor', ...words] as const;
  const program = startProgram(undefined, { ...user, command });
  const { code } = await program.ended();
  return { code, stderr: program.stderr, file: configOf(user) };
}

/**
 * Runs `install` where the program is not the point: in this process. It ends whatever its process has started, so in
 * `npm run test:all`, where this process has started the registry, it runs with the built program.
 */
async function installHere(user: User, ...words: readonly string[]) {
  if (runsAll) return await install(user, ...words);
  const { PATH = '' } = process.env;
  const env = { ...npmInProcess, ...user.env, PATH };
  const { code, stderr } = await runCli(['install', 'cursor', ...words], { ...user, env });
  return { code, stderr, file: configOf(user) };
}

describe('install', () => {
  fullTest('installs missing packages and starts the server', async () => {
    const { code, stderr, file } = await install(newUser(), '@shop/units/units');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Cursor')]);
    expect(stderr).toMatch(/^Added @shop\/units 1\.2\.3, needed by the server @shop\/units\/units\.\n/);
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
    expect(mcpServers.units.args).toContain('@shop/units/units');
  });

  test('writes nothing if a package is unavailable', async () => {
    const { code, stderr, file } = await installHere(newUser(), weather);
    expect(code).toBe(1);
    const lines = stderr.split(/(?<=\n)/);
    expect(lines.splice(0, 2)).toEqual([
      expect.stringMatching(
        /^Added @shop\/weather 1\.2\.3, needed by the server @shop\/weather\/weather\.\n$/,
      ),
      expect.stringMatching(/^Added @shop\/units 1\.2\.3, needed by .* for the tool @shop\/units\/look\.\n$/),
    ]);
    expect(lines.join('').replace(/^error: /, '')).toMatch(complaint);
    expect(existsSync(file)).toBe(false);
  });

  test.each(['--dry-run', '--no-auto-install'])('installs nothing with %s', async (flag) => {
    const user = newUser();
    const { code, stderr } = await installHere(user, weather, flag);
    expect([code, stderr]).toEqual([1, expect.stringContaining('agenttools add @shop/weather')]);
    expect(existsSync(user.packages)).toBe(false);
  });
});
