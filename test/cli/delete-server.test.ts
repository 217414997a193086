import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { addFiles, packageJson, writeFolder } from '../support/packages.js';
import { runCli } from '../support/run-cli.js';

let home: string;
let cwd: string;

beforeEach(async () => {
  home = writeFolder();
  cwd = writeFolder();
  await run('create-server', 'trip', '--tool=catalog');
});

const run = (...words: readonly string[]) => runCli(words, { home, cwd });
const install = (...words: readonly string[]) => run('install', ...words, '--no-verify');
const cursor = () => path.join(home, '.cursor/mcp.json');
const own = () => path.join(cwd, 'own.json');
const project = () => path.join(cwd, '.mcp.json');
const definition = () => path.join(home, 'agenttools/servers/agenttools/servers/trip.json');
const textOf = (file: string) => readFileSync(file, 'utf8');

/** Puts the server into a client's own file, into a project's and into a file of its own. */
async function installEverywhere(): Promise<void> {
  mkdirSync(path.dirname(cursor()));
  writeFileSync(cursor(), '{ "mine": 1 }');
  for (const words of [
    ['cursor', 'trip'],
    ['claude-code', 'trip', '--project'],
    ['--config', 'own.json', '--client=cursor', 'trip'],
  ])
    expect((await install(...words)).code).toBe(0);
}

describe('delete-server', () => {
  it('takes a server out of every client and project, and deletes it', async () => {
    await installEverywhere();
    await install('--config', 'own.json', '--client=cursor', 'agenttools');
    const { code, stdout, stderr } = await run('delete-server', 'trip');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.match(/^Removed "trip"/gm)).toHaveLength(3);
    expect(stderr).toContain(`Deleted "trip" (${definition()}).`);
    expect(textOf(cursor())).toBe('{ "mine": 1 }');
    expect(existsSync(project())).toBe(false);
    expect(Object.keys(JSON.parse(textOf(own())).mcpServers)).toEqual(['agenttools']);
    expect(existsSync(definition())).toBe(false);
    expect((await run('show', 'trip')).code).toBe(1);
  });

  it('takes the name in any case, as uninstall does', async () => {
    await install('cursor', 'TRIP');
    expect((await run('uninstall', 'cursor', 'Trip')).stderr).toContain('Removed "trip"');
    expect((await run('delete-server', 'tRip')).stderr).toContain(`Deleted "trip" (${definition()}).`);
  });

  it('leaves other servers alone', async () => {
    await run('create-server', 'other', '--tool=catalog');
    await run('delete-server', 'trip');
    expect((await run('show', 'other', 'name')).stdout).toBe('other\n');
  });

  it('prints the result as JSON', async () => {
    await install('cursor', 'trip');
    const { stdout } = await run('delete-server', 'trip', '--json');
    const entry = { client: 'cursor', scope: 'user', file: cursor(), key: 'trip', server: 'trip' };
    expect(JSON.parse(stdout)).toEqual({
      name: 'trip',
      deleted: true,
      uninstalled: [{ ...entry, changed: true }],
    });
  });

  it('shows what would go, and changes nothing', async () => {
    await installEverywhere();
    const before = [cursor(), project(), own(), definition()].map(textOf);
    const { code, stdout, stderr } = await run('delete-server', 'trip', '--dry-run');
    expect(code).toBe(0);
    expect(stderr.match(/^Would remove "trip"/gm)).toHaveLength(3);
    expect(stderr).toContain('Would delete "trip"');
    expect(stdout.match(/^--- a/gm)).toHaveLength(5);
    expect([cursor(), project(), own(), definition()].map(textOf)).toEqual(before);
  });
});

describe('an entry that cannot be taken out', () => {
  const edit = () => writeFileSync(own(), textOf(own()).replace('"start"', '"start", "--strict"'));

  it('keeps everything as it is', async () => {
    await installEverywhere();
    edit();
    const before = [cursor(), project(), own(), definition()].map(textOf);
    const { code, stdout, stderr } = await run('delete-server', 'trip', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'refused' } });
    expect(stderr).toContain('--force');
    expect(stderr).toContain('"trip" was not deleted');
    expect(stderr).not.toContain('Removed');
    expect([cursor(), project(), own(), definition()].map(textOf)).toEqual(before);
    expect((await run('delete-server', 'trip', '--dry-run')).code).toBe(1);
  });

  it('goes with --force when it was edited', async () => {
    await installEverywhere();
    edit();
    expect((await run('delete-server', 'trip', '--force')).code).toBe(0);
    expect(textOf(own())).not.toContain('trip');
    expect([project(), definition()].filter(existsSync)).toEqual([]);
  });

  it('keeps the server also with --force when its file is damaged', async () => {
    await install('cursor', 'trip');
    writeFileSync(cursor(), '{ "mcpServers": {');
    const { code, stderr } = await run('delete-server', 'trip', '--force');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(cursor()) });
    expect(existsSync(definition())).toBe(true);
  });

  it('may be unreadable', async () => {
    await install('cursor', 'trip');
    const folder = path.join(home, 'agenttools/receipts');
    for (const name of readdirSync(folder)) writeFileSync(path.join(folder, name), '{');
    const { code, stderr } = await run('delete-server', 'trip');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('warning: ') });
    expect(stderr).toContain('Use --force');
    expect((await run('delete-server', 'trip', '--force')).code).toBe(0);
    expect(existsSync(definition())).toBe(false);
  });
});

describe('names that are not a server of the user', () => {
  beforeEach(() => {
    const files = { 'agenttools/tools/hi.json': { handler: './hi.js' }, 'hi.js': 'export default () => 1;' };
    const manifest = packageJson({ tools: ['hi'] });
    for (const folder of [
      path.join(home, 'agenttools/packages/node_modules/@acme/kit'),
      path.join(cwd, 'plugin'),
    ])
      addFiles(folder, { 'package.json': manifest, ...files });
    addFiles(path.join(cwd, 'node_modules/local'), {
      'package.json': packageJson({ tools: ['hi'] }, { name: 'local' }),
      ...files,
    });
  });

  it.each([
    ['agenttools', '"agenttools" is built in'],
    ['agenttools', 'agenttools uninstall --all agenttools'],
    ['@acme/kit', 'belongs to the package @acme/kit'],
    ['@acme/kit/kit', 'agenttools remove @acme/kit'],
    ['@acme/kit/kit', 'agenttools uninstall --all @acme/kit/kit'],
    ['local', 'npm uninstall local'],
    ['./plugin', 'belongs to the package in '],
    ['tripp', 'You have no server "tripp". Did you mean "trip"? Yours: trip.'],
  ])('is not deleted, with advice: %s', async (name, expected) => {
    const { code, stderr } = await run('delete-server', name);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(expected) });
  });

  it('may be one by its path', async () => {
    const { code, stderr } = await run('delete-server', path.join(home, 'agenttools/servers/trip'));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('delete-server trip') });
  });
});

it('deletes a server whose definition is gone already', async () => {
  rmSync(definition());
  expect((await run('delete-server', 'trip')).code).toBe(0);
  expect((await run('show', 'trip')).code).toBe(1);
});

it('servers are made and deleted at the same time, and none is lost', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `server${index}`);
  await Promise.all(names.map((name) => run('create-server', name, '--tool=catalog')));
  const [doomed, kept] = [names.slice(0, 4), names.slice(4)];
  const more = ['more1', 'more2'];
  await Promise.all([
    ...doomed.map((name) => run('delete-server', name)),
    ...more.map((name) => run('create-server', name, '--tool=catalog')),
  ]);
  const { agenttools } = JSON.parse(textOf(path.join(home, 'agenttools/servers/package.json')));
  expect(agenttools.servers.toSorted()).toEqual([...kept, ...more, 'trip'].toSorted());
});

describe('a server of the user in a client', () => {
  it('is not started by npx, which has it nowhere else', async () => {
    const { code, stderr } = await install('cursor', 'trip', '--command=npx');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('A server that you made') });
  });

  it('is listed as intact, and as missing once it is gone', async () => {
    await install('cursor', 'trip');
    expect((await run('list-installed')).stdout).toContain('intact');
    writeFileSync(
      path.join(home, 'agenttools/servers/package.json'),
      JSON.stringify({ agenttools: { servers: [] } }),
    );
    expect((await run('list-installed')).stdout).toContain('server missing');
  });
});
