import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { workspaceFolders } from '../../src/engine/base/folders.js';
import { listServers } from '../../src/engine/discovery/list-servers.js';
import { publishedExtensions } from '../../src/engine/discovery/published-lookup.js';
import { show } from '../../src/engine/discovery/show-reference.js';
import { Workspace } from '../../src/engine/extension/workspace.js';
import { writeFolder } from '../support/packages.js';
import { registryPrograms } from '../support/registries.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { publishAll, registryPackages } from '../support/registry-packages.js';
import { type Run, type RunOptions, runCli } from '../support/run-cli.js';
import { fullTest } from '../support/tier.js';

interface Listed {
  readonly name: string;
  readonly source: string;
  readonly description: string | null;
  readonly version: string;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly location: string | null;
  readonly publisher: string | null;
  readonly published: string | null;
  readonly provenance: boolean;
}

const traces = writeFolder();
const packages = registryPackages(traces);
const allServers = packages.flatMap(({ servers }) => servers).sort();
const isPrivate = (name: string) => name.startsWith('@private/');
const openServers = allServers.filter((name) => !isPrivate(name));
/** Enough where it does not matter how many there are. */
const few = [
  ...packages.slice(0, 2),
  ...packages.filter(({ servers }) => servers.some((name) => name.startsWith('odd-two/'))),
];
const leftOut = packages.flatMap(({ leftOut: reason }) => reason ?? []);

/** Where nobody answers. */
const nowhere = 'http://127.0.0.1:9/';

describe.each(registryPrograms.filter(({ isWanted }) => isWanted))('$name', ({ prepare }) => {
  let registry: Registry;
  let small: Registry;

  beforeAll(async () => {
    registry = await startRegistry(await prepare());
    await publishAll(registry, packages);
    usual = home();
    offered = await list(['--remote'], { home: usual });
    small = await startRegistry(await prepare());
    await publishAll(small, few);
  });

  /** The home of a user whose npm is set so. */
  const home = (npmrc = registry.settings()) => writeFolder({ '.npmrc': npmrc });

  const run = async (words: readonly string[], options: RunOptions = {}): Promise<Run> =>
    await runCli(words, { home: home(), ...options });

  const list = async (words: readonly string[], options: RunOptions = {}) => {
    const { code, stdout, stderr } = await run(['list-servers', '--json', ...words], options);
    expect(code).toBe(0);
    const servers = JSON.parse(stdout) as readonly Listed[];
    return { servers, names: servers.map(({ name }) => name), notes: stderr };
  };

  /** A user who has listed before, and what that was. */
  let usual: string;
  let offered: Awaited<ReturnType<typeof list>>;

  const server = async (name: string) => {
    const { servers } = await list(['--remote', name], { home: usual });
    expect(servers.map((one) => one.name)).toEqual([name]);
    return servers[0]!;
  };

  test('lists what is offered', () => {
    const { servers, names } = offered;
    expect(names).toEqual(openServers);
    const { published, ...good } = servers.find(({ name }) => name === '@acme/good-07/main')!;
    expect(good).toEqual({
      name: '@acme/good-07/main',
      source: 'remote',
      description: 'Server 7.',
      version: '1.2.3',
      tools: ['@acme/good-07/look'],
      prompts: [],
      location: null,
      publisher: null,
      provenance: false,
    });
    expect(new Date(published!).toISOString()).toBe(published);
  });

  test('prints skipped packages and their reasons in one line', () => {
    const { notes } = offered;
    expect(notes).toMatch(/^note: 7 packages of 127\.0\.0\.1:\d+ left out \(.*\)\. .*; and 2 more\n$/);
    expect(notes).toContain('5 broken');
    expect(notes).toContain('2 too large');
    expect(leftOut.filter((reason) => notes.includes(reason)).length).toBe(6);
  });

  test('runs nothing of them, and writes nothing but its cache', () => {
    expect(readdirSync(traces)).toEqual([]);
    expect(readdirSync(path.join(usual, 'agenttools'))).toEqual(['cache']);
  });

  test('a pattern is looked for in what was found', async () => {
    const named = async (pattern: string) => (await list(['--remote', pattern], { home: usual })).names;
    expect(await named('@odd/*')).toEqual(['@odd/attested/attested', '@odd/path/main']);
    expect(await named('odd/path')).toEqual(['@odd/path/main']);
    expect(await named('odd-two')).toEqual(['odd-two/main', 'odd-two/second']);
    expect(await named('no-such-*')).toEqual([]);
  });

  test('sends no request without --remote', async () => {
    const before = registry.requests().length;
    expect((await list([])).names).toEqual([]);
    expect(registry.requests().slice(before)).toEqual([]);
  });

  test('reads manifests in files, other spellings and the publisher of the registry', async () => {
    expect((await server('@odd/path/main')).tools).toEqual(['@odd/path/look']);
    expect((await server('odd-ported/main')).tools).toEqual(['odd-ported/look']);
    expect((await server('odd-implicit/odd-implicit')).prompts).toEqual(['odd-implicit/ask']);
    expect((await server('@odd/attested/attested')).publisher).toBe('grace');
  });

  fullTest('goes through all pages', async () => {
    const user = home();
    const env = { AGENTTOOLS_HOME: path.join(user, 'agenttools') };
    const { platform, execPath } = process;
    const before = registry.requests().length;
    const { servers } = await listServers({
      folders: { ...workspaceFolders({ cwd: user, env, home: user, platform }), cwd: user },
      remote: { npm: { env, home: user, platform, execPath }, pageSize: 7, mcpRegistry: 'none' },
    });
    expect(servers.map(({ name }) => name)).toEqual(openServers);
    const pages = registry.requests().filter((one, index) => index >= before && one.includes('size=7'));
    expect(pages.length).toBeGreaterThan(8);
  });

  describe('texts that mean harm', () => {
    test('are shortened', async () => {
      const { description } = await server('hostile-megabyte/main');
      expect(description).toMatch(/^long .*…$/);
      expect(description!.length).toBeLessThan(1100);
    });

    test('are visible', async () => {
      const { stdout } = await run(['list-servers', '--remote'], { home: usual });
      expect(stdout).toMatch(/^[\n\P{Cc}]*$/u);
      expect(stdout).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      expect(stdout).toContain('a\\u001b[2J\\u001b]0;owned');
      expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
      const { tools } = await server('hostile-control/main');
      expect(tools).toEqual(['look']);
    });

    test('do not change a prototype', async () => {
      const { tools } = await server('hostile-proto/__proto__');
      expect(tools).toEqual(['hostile-proto/__proto__', 'hostile-proto/toString']);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    });
  });

  describe('a cached list', () => {
    test('is listed again without asking, until it is to be refreshed', async () => {
      const again = await list(['--remote'], { home: usual });
      expect(again).toEqual(offered);
      const user = home(small.settings());
      const first = await list(['--remote'], { home: user });
      const before = small.requests().length;
      const second = await list(['--remote'], { home: user });
      expect(small.requests().length).toBe(before);
      expect(second).toEqual(first);
      await small.publish({
        'package.json': {
          name: 'late',
          version: '1.0.0',
          keywords: ['agenttools-extension'],
          agenttools: { tools: ['x'] },
        },
      });
      expect((await list(['--remote', 'late'], { home: user })).names).toEqual([]);
      expect((await list(['--refresh', 'late'], { home: user })).names).toEqual(['late/late']);
    });

    test('is fetched again if it is unreadable', async () => {
      const user = home(small.settings());
      const { names } = await list(['--remote'], { home: user });
      expect(names).not.toEqual([]);
      const folder = path.join(user, 'agenttools/cache/listings');
      const [file] = readdirSync(folder);
      const text = readFileSync(path.join(folder, file!), 'utf8');
      for (const broken of ['{', '[]', text.replace('"format":1', '"format":0')]) {
        writeFileSync(path.join(folder, file!), broken);
        expect((await list(['--remote'], { home: user })).names).toEqual(names);
      }
    });

    test('is listed with its age when the registry is gone', async () => {
      const other = await startRegistry();
      await publishAll(other, packages.slice(0, 2));
      const user = home(other.settings());
      await list(['--remote'], { home: user });
      await other.stop();
      const { names, notes } = await list(['--refresh'], { home: user });
      expect(names).toEqual(['@acme/good-00/main', '@acme/good-01/main']);
      expect(notes).toMatch(
        /^note: The registry 127\.0\.0\.1:\d+ cannot be reached\. Its servers are listed as they were less than a minute ago\.\n$/,
      );
    });
  });

  test('prints the local servers and one note if the registry is unreachable', async () => {
    const cwd = writeFolder({
      'package.json': { name: '@acme/here', version: '1.0.0', agenttools: { tools: ['x'] } },
    });
    const { names, notes } = await list(['--remote'], { cwd, home: home(`registry=${nowhere}`) });
    expect(names).toEqual(['@acme/here/here']);
    expect(notes).toBe('note: The registry 127.0.0.1:9 cannot be reached. Its servers are not listed.\n');
  });

  test('skips packages that are installed', async () => {
    const broken = { name: 'odd-two', version: '1.0.0', agenttools: 3 };
    const cwd = writeFolder({
      'node_modules/@acme/good-00/package.json': {
        name: '@acme/good-00',
        version: '0.1.0',
        agenttools: { tools: ['x'] },
      },
      'node_modules/odd-two/package.json': broken,
    });
    const { servers, notes } = await list(['--remote'], { cwd, home: usual });
    const [here] = servers;
    expect(here).toMatchObject({ name: '@acme/good-00/good-00', source: 'project', version: '0.1.0' });
    expect(servers.some(({ name }) => name === '@acme/good-00/main')).toBe(false);
    expect(servers.some(({ name }) => name.startsWith('odd-two/'))).toBe(false);
    expect(notes).toContain('odd-two is left out: ');
  });

  describe('show of what is not installed', () => {
    const facts = async (reference: string, user = home()) => {
      const env = { AGENTTOOLS_HOME: path.join(user, 'agenttools') };
      const { platform, execPath } = process;
      const folders = workspaceFolders({ cwd: user, env, home: user, platform });
      return await show(reference, {
        workspace: new Workspace({ ...folders, cwd: user }),
        cwd: user,
        homeDirectory: user,
        published: publishedExtensions({ npm: { cwd: user, env, home: user, platform, execPath } }),
      });
    };

    test('prints the facts of the registry, also from a manifest in a file', async () => {
      expect(await facts('@acme/good-00/look')).toMatchObject({
        kind: 'tool',
        installed: false,
        version: '1.2.3',
        parameters: [{ name: 'what' }],
        published: expect.stringMatching(/^2\d{3}-/),
      });
      expect(await facts('@odd/path')).toMatchObject({ kind: 'server', name: '@odd/path/main' });
      // Nobody has to want it found.
      expect(await facts('none-keyword')).toMatchObject({ name: 'none-keyword/none-keyword' });
    });

    test('explains why it cannot show a package', async () => {
      await expect(facts('hostile-bomb')).rejects.toThrow('it is too large to be read');
      await expect(facts('none-field')).rejects.toThrow('which is not an extension');
      await expect(facts('@acme/nothing')).rejects.toThrow(
        'The package @acme/nothing is neither installed nor in the registry.',
      );
      await expect(facts('@private/one')).rejects.toThrow('the credentials of npm do not allow it');
    });

    test('uses the credentials that npm has', async () => {
      const user = home(registry.settings({ withCredentials: true }));
      expect(await facts('@private/one', user)).toMatchObject({ name: '@private/one/one', installed: false });
    });

    test('runs nothing of them, and writes nothing', async () => {
      const user = home();
      await facts('@odd/path', user);
      expect(readdirSync(user)).toEqual(['.npmrc']);
      expect(readdirSync(traces)).toEqual([]);
    });
  });

  describe('credentials and scopes', () => {
    test('list private packages for users with credentials only', async () => {
      const user = home(registry.settings({ withCredentials: true }));
      expect((await list(['--remote', '@private/*'], { home: user })).names).toEqual([
        '@private/one/one',
        '@private/two/two',
      ]);
      writeFileSync(path.join(user, '.npmrc'), registry.settings());
      expect((await list(['--remote', '@private/*'], { home: user })).names).toEqual([]);
    });

    test('a registry for a scope is asked for that scope alone', async () => {
      const user = home(`registry=${nowhere}\n${registry.settings({ scope: '@odd' })}`);
      const { names, notes } = await list(['--remote'], { home: user });
      expect(names).toEqual(['@odd/attested/attested', '@odd/path/main']);
      expect(notes).toContain('The registry 127.0.0.1:9 cannot be reached.');
    });

    test('a scope that comes from elsewhere is not taken from the registry for everything', async () => {
      const { names } = await list(['--remote'], {
        home: home(`${registry.settings()}@odd:registry=${nowhere}\n`),
      });
      expect(names.filter((name) => name.startsWith('@odd/'))).toEqual([]);
      expect(names).toContain('odd-two/main');
    });

    test('include the .npmrc of the project', async () => {
      const cwd = writeFolder({ 'package.json': { name: 'x' }, '.npmrc': small.settings() });
      const { names } = await list(['--remote', 'odd-two'], { cwd, home: home(`registry=${nowhere}`) });
      expect(names).toEqual(['odd-two/main', 'odd-two/second']);
    });
  });
});
