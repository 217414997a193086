import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withLock } from '../../../src/engine/base/files/lock.js';
import { Extension } from '../../../src/engine/extension/extension.js';
import type { InstallOutcome } from '../../../src/engine/extension/installer.js';
import type { NpmDeps } from '../../../src/engine/npm/npm-dependencies.js';
import { readSpec } from '../../../src/engine/npm/package-spec.js';
import { addPackage } from '../../../src/engine/packages/add.js';
import { createInstaller } from '../../../src/engine/packages/create-installer.js';
import { describeDrift } from '../../../src/engine/packages/drift.js';
import { PackageStore } from '../../../src/engine/packages/package-store.js';
import type { PackagesDeps } from '../../../src/engine/packages/packages-dependencies.js';
import { removePackages } from '../../../src/engine/packages/remove.js';
import { applyUpdate, discardUpdates, planUpdates } from '../../../src/engine/packages/update.js';
import { npmInProcess } from '../../support/npm-in-process.js';
import { addFiles, openWorkspace, packageJson, writeFolder } from '../../support/packages.js';
import { type Registry, startRegistry } from '../../support/registry.js';

vi.mock('../../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let registry: Registry;
const cache = writeFolder();

beforeAll(async () => {
  registry = await startRegistry();
  for (const name of ['first', 'second']) await registry.publish(kit(name));
}, 60_000);

const kit = (name: string, version = '1.0.0') => ({
  'package.json': packageJson({ tools: ['tell', 'code'] }, { name, version }),
  'agenttools/tools/tell.json': { description: 'Tells', handler: './tell.js' },
  'agenttools/tools/code.js': 'export default { handler: () => 1 };',
  'tell.js': 'export default () => 1;',
});

function setting(more: Partial<PackagesDeps> = {}): PackagesDeps {
  const home = writeFolder({ '.npmrc': registry.settings() });
  return {
    packagesFolder: path.join(home, 'data/packages/node_modules'),
    npm: {
      env: {
        ...npmInProcess,
        PATH: process.env.PATH,
        HOME: home,
        npm_config_cache: cache,
        npm_config_fetch_retries: '0',
      },
      home,
      platform: process.platform,
      execPath: process.execPath,
    },
    now: () => new Date(0),
    onProgress: () => {},
    ...more,
  };
}

/** A machine without npm. */
function withoutNpm(npm: NpmDeps): NpmDeps {
  return { ...npm, env: { ...npm.env, PATH: '' }, execPath: '/nowhere/bin/node' };
}

/** A machine whose npm is a program, which can be ended. */
function withNpmProgram(npm: NpmDeps): NpmDeps {
  const { env } = npm;
  const inherited = Object.entries(env).filter(([name]) => !Object.hasOwn(npmInProcess, name));
  return { ...npm, env: Object.fromEntries(inherited) };
}

/** A registry that takes every question and never answers. */
async function silentRegistry(): Promise<string> {
  const server = createServer(() => {});
  onTestFinished(() => server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const lockFileOf = ({ packagesFolder }: PackagesDeps) => path.join(packagesFolder, '../obtaining.lock');

const add = async (word: string, where: PackagesDeps) => await addPackage(await readSpec(word, '/'), where);

/** Who needs no package. */
const nobody = {
  userServers: async () => undefined,
  needsOf: async () => ({ references: [], unreadable: [] }),
};

describe('the package installer', () => {
  it('installs missing packages and explains the failures of others', async () => {
    const here = setting();
    await add('first@1.0.0', here);
    const missing = await createInstaller(here)(['first', 'second', 'second', 'third'], {});
    expect([...missing.keys()]).toEqual(['third']);
    expect(missing.get('third')).toMatch(/no such package|not found|not in|404/i);
    const packages = await new PackageStore(here.packagesFolder).all();
    expect(packages.map(({ name, record }) => [name, record.wanted.wanted])).toEqual([
      ['first', '1.0.0'],
      ['second', 'latest'],
    ]);
  }, 30_000);

  it('reports the outcome of each package, except for installed ones', async () => {
    const here = setting();
    await add('first@1.0.0', here);
    const settled: InstallOutcome[] = [];
    const onSettled = (one: InstallOutcome) => void settled.push(one);
    await createInstaller(here)(['third', 'first', 'second'], { onSettled });
    expect(settled.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
      { name: 'second', version: '1.0.0' },
      { name: 'third', reason: expect.any(String) },
    ]);
  }, 30_000);

  it('installs available packages without waiting for slow ones', async () => {
    const control = new AbortController();
    const settled: InstallOutcome[] = [];
    const npmrc = `@slow:registry=${await silentRegistry()}\n${registry.settings()}`;
    const home = writeFolder({ '.npmrc': npmrc });
    const npm = withNpmProgram(setting().npm);
    const here = setting({ npm: { ...npm, home, env: { ...npm.env, HOME: home } } });
    const onSettled = (one: InstallOutcome) => {
      settled.push(one);
      control.abort();
    };
    await createInstaller(here)(['@slow/one', 'first'], { onSettled, signal: control.signal });
    expect(settled[0]).toEqual({ name: 'first', version: '1.0.0' });
  }, 30_000);

  it('is done once, however many ask', async () => {
    const here = setting();
    const told: string[] = [];
    const obtain = createInstaller({ ...here, onProgress: (text) => told.push(text) });
    const found = await Promise.all([obtain(['first'], {}), obtain(['first'], {}), obtain(['first'], {})]);
    expect(found.map(({ size }) => size)).toEqual([0, 0, 0]);
    expect(told).toEqual(['Getting first@latest …']);
  }, 30_000);

  it('ends on an abort signal', async () => {
    const here = setting({ npm: withNpmProgram(setting().npm) });
    const missing = await createInstaller(here)(['first', 'second'], { signal: AbortSignal.timeout(50) });
    expect([...missing]).toEqual([
      ['first', 'it could not be installed in time'],
      ['second', 'it could not be installed in time'],
    ]);
    expect(await new PackageStore(here.packagesFolder).all()).toEqual([]);
  }, 30_000);

  it('stops waiting for another process on an abort signal', async () => {
    const here = setting();
    const control = new AbortController();
    const missing = await withLock(lockFileOf(here), async () => {
      const asked = createInstaller(here)(['first'], { signal: control.signal });
      control.abort();
      return await asked;
    });
    expect([...missing]).toEqual([['first', 'it could not be installed in time']]);
  }, 30_000);

  it('has all its time after it has waited for another process', async () => {
    const here = setting({ npm: withoutNpm(setting().npm) });
    const clock = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => clock.mockRestore());
    const limits = () => clock.mock.calls.filter(([, ms]) => ms === 120_000);
    const asked = await withLock(lockFileOf(here), async () => {
      const asking = createInstaller(here)(['first'], {});
      expect(limits()).toHaveLength(0);
      return { asking };
    });
    expect((await asked.asking).get('first')).toMatch(/^npm cannot be found/);
    expect(limits()).toHaveLength(1);
  }, 30_000);

  it('throws defects of AgentTools', async () => {
    const here = setting({
      onProgress: () => {
        throw new TypeError('a bug');
      },
    });
    await expect(createInstaller(here)(['first'], {})).rejects.toThrow(TypeError);
  });

  it('ignores the .npmrc of the project at the working directory', async () => {
    const project = writeFolder({ 'package.json': '{}', '.npmrc': 'registry=http://127.0.0.1:9/\n' });
    const here = setting();
    const missing = await createInstaller({ ...here, npm: { ...here.npm, cwd: project } })(['first'], {});
    expect([...missing]).toEqual([]);
  }, 30_000);

  it.each(['--userconfig=evil', '_evil', 'e'.repeat(215)])('hands npm no %s', async (name) => {
    const here = setting({ npm: withoutNpm(setting().npm) });
    const missing = await createInstaller(here)([name], {});
    expect(missing.get(name)).toBe(`"${name}" is not a name that a package in a registry can have.`);
  });

  it('reports a missing npm', async () => {
    const here = setting();
    const npm = withoutNpm(here.npm);
    const missing = await createInstaller({ ...here, npm })(['first'], {});
    expect(missing.get('first')).toMatch(/^npm cannot be found/);
    expect(readdirSync(path.join(here.packagesFolder, '../../installed'))).toEqual([]);
  });
});

describe('adding a folder', () => {
  it('reports a dependency by a path that does not resolve, and a fix', async () => {
    const manifest = packageJson({ tools: [] }, { name: '@acme/kit', dependencies: { dx: 'file:../x.tgz' } });
    const folder = writeFolder({ 'package.json': manifest });
    await expect(add(folder, setting())).rejects.toThrow(
      '@acme/kit depends on dx by the path file:../x.tgz, which does not resolve from the installed package. Give an absolute path (file:/…), or a version of dx that a registry has.',
    );
  }, 30_000);
});

describe('adding a package from a registry', () => {
  it('refuses the published version with a blank in it', async () => {
    await registry.publish(kit('blank', '1. 0.0'), { document: { version: '1.0.0' } });
    await expect(add('blank', setting())).rejects.toThrow(
      'blank 1.0.0 calls itself blank 1. 0.0 in its package.json.',
    );
  }, 30_000);
});

describe('drift', () => {
  it('is reported in one line for each difference, and for packages that were not added', async () => {
    const here = setting();
    await add('first', here);
    await add('second', here);
    const workspace = openWorkspace({ packagesFolder: here.packagesFolder });
    const open = async () => [
      (await workspace.findPackage('first'))!,
      (await workspace.findPackage('second'))!,
    ];
    expect(await describeDrift([...(await open()), ...(await open())], here)).toEqual([]);
    const folder = path.join(here.packagesFolder, 'second');
    addFiles(folder, { 'tell.js': 'other', 'agenttools/tools/code.js': 'other', 'new.js': '' });
    const stranger = writeFolder({ 'package.json': packageJson({ tools: ['x'] }) });
    const extensions = [...(await open()), await Extension.open(stranger)];
    expect(await describeDrift(extensions, here)).toEqual([
      'second: tool "tell" has another tell.js',
      'second: tool "code" has another definition',
      'second: new.js is new',
      `@acme/kit was not added by agenttools add: ${stranger}`,
    ]);
    addFiles(folder, { 'package.json': '{' });
    expect(await describeDrift(extensions.slice(1, 2), here)).toEqual([
      'second: its manifest cannot be read',
    ]);
  }, 30_000);

  it('excludes dependencies that came with a package, unless they were replaced', async () => {
    const here = setting();
    await registry.publish(kit('beneath'));
    await registry.publish({ 'package.json': { name: 'plain', version: '1.0.0' }, 'index.js': '' });
    const fields = { name: 'above', version: '1.0.0', dependencies: { beneath: '*', plain: '*' } };
    await registry.publish({ ...kit('above'), 'package.json': packageJson({ tools: ['tell'] }, fields) });
    await add('above', here);
    const workspace = openWorkspace({ packagesFolder: here.packagesFolder });
    const above = (await workspace.findPackage('above'))!;
    const beneath = (await workspace.findPackage('beneath', above))!;
    expect(beneath.name).toBe('beneath');
    expect(await describeDrift([above, beneath], here)).toEqual([]);

    const modules = path.join(beneath.manifest.directory, '..');
    addFiles(modules, {
      'beneath/tell.js': 'other',
      'plain/package.json': { name: 'plain', version: '1.0.1' },
      'plain/node_modules/deep/index.js': '',
    });
    const expected = [
      'above: dependency beneath 1.0.0 has other files',
      'above: dependency plain is 1.0.1 instead of 1.0.0',
      'above: dependency plain/node_modules/deep without a version is new',
    ];
    expect(await describeDrift([beneath], here)).toEqual(expected);
    expect(await describeDrift([above, beneath], here)).toEqual(expected);
    rmSync(path.join(modules, 'plain'), { recursive: true });
    expect(await describeDrift([above], here)).toEqual([
      expected[0],
      'above: dependency plain 1.0.0 is gone',
    ]);
  }, 60_000);

  it('includes a link to another package or to a part of one', async () => {
    const here = setting();
    for (const name of ['first', 'second']) await add(name, here);
    const link = path.join(here.packagesFolder, 'first');
    const second = realpathSync(path.join(here.packagesFolder, 'second'));
    const workspace = openWorkspace({ packagesFolder: here.packagesFolder });
    for (const target of [second, path.join(second, 'agenttools')]) {
      rmSync(link);
      symlinkSync(target, link, 'junction');
      const found = (await workspace.findPackage('first')) ?? (await Extension.open(second));
      expect(await describeDrift([found], here)).toEqual(['first: it leads to a part of second']);
    }
  }, 30_000);

  it('is nothing of bundled extensions and of servers of the user', async () => {
    const folder = writeFolder({ 'package.json': packageJson({ tools: [] }) });
    const own = await Promise.all(
      (['builtin', 'user'] as const).map((origin) => Extension.open(folder, { origin })),
    );
    expect(await describeDrift(own, setting())).toEqual([]);
  });
});

describe('the shelf', () => {
  it('keeps replaced versions for a week for running servers', async () => {
    const here = setting();
    await registry.publish(kit('mover', '1.0.0'));
    await add('mover', here);
    const old = realpathSync(path.join(here.packagesFolder, 'mover'));
    await registry.publish(kit('mover', '1.1.0'));
    await add('mover', here);
    expect(realpathSync(path.join(here.packagesFolder, 'mover'))).not.toBe(old);
    expect(existsSync(path.join(old, 'tell.js'))).toBe(true);
    await registry.publish(kit('mover', '1.2.0'));
    await add('mover', here);
    await add('first', here);
    expect(existsSync(path.join(old, 'tell.js'))).toBe(true);
    const installed = path.join(here.packagesFolder, '../../installed');
    expect(readdirSync(installed)).toHaveLength(4);

    const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 60 * 60;
    utimesSync(path.join(old, '../../superseded'), eightDaysAgo, eightDaysAgo);
    await add('second', here);
    expect(existsSync(old)).toBe(false);
    expect(readdirSync(installed)).toHaveLength(4);

    const shelf = new PackageStore(here.packagesFolder);
    await shelf.exclusively(async () => await shelf.delete((await shelf.find('mover'))!));
    expect(
      readdirSync(installed)
        .map((name) => name.replace(/-\w+$/, ''))
        .sort(),
    ).toEqual(['first-1.0.0', 'second-1.0.0']);
  }, 60_000);

  it('may be moved, with all that is on it', async () => {
    const here = setting();
    await add('first', here);
    const data = path.resolve(here.packagesFolder, '../..');
    renameSync(data, `${data}-moved`);
    const packagesFolder = path.join(`${data}-moved`, 'packages/node_modules');
    const workspace = openWorkspace({ packagesFolder });
    expect(await describeDrift([(await workspace.findPackage('first'))!], { packagesFolder })).toEqual([]);
  }, 30_000);

  it('is repaired after an interrupted change', async () => {
    const here = setting();
    await add('first', here);
    const installed = path.join(here.packagesFolder, '../../installed');
    // Two that no link leads to, a link that leads nowhere, and one that a dead process was about to make.
    addFiles(installed, { 'left-1-01234567/package.json': '{}', 'left-2-89abcdef/added.json': '{' });
    const dead = /^(\.agenttools-\w+-).*$/.exec(
      path.basename(await new PackageStore(here.packagesFolder).makeInstallation()),
    )![1];
    addFiles(installed, { [`${dead}999999999-1-0123456789ab.tmp/package.json`]: '{}' });
    symlinkSync('../../installed/nowhere', path.join(here.packagesFolder, 'second'));
    symlinkSync(
      '../../installed/nowhere',
      path.join(here.packagesFolder, `${dead}999999999-1-0123456789ab.tmp`),
    );
    await add('second', here);
    expect(readdirSync(here.packagesFolder).sort()).toEqual(['first', 'second']);
    const left = readdirSync(installed).filter((name) => !name.startsWith('.'));
    expect(left.map((name) => name.replace(/-\w+$/, '')).sort()).toEqual(['first-1.0.0', 'second-1.0.0']);
  }, 30_000);

  it('keeps foreign folders', async () => {
    const here = setting();
    addFiles(here.packagesFolder, { 'first/package.json': packageJson({ tools: ['mine'] }) });
    await expect(add('first', here)).rejects.toMatchObject({ code: 'refused' });
    expect(existsSync(path.join(here.packagesFolder, 'first/package.json'))).toBe(true);
    expect(await new PackageStore(here.packagesFolder).all()).toEqual([]);
  }, 30_000);

  it('keeps packages from importing what was added beside them', async () => {
    const here = setting();
    const { directory } = (await add('first', here)).added;
    await add('second', here);
    const imported = createRequire(path.join(directory, 'tell.js')).resolve.paths('second')!;
    expect(imported).toContain(path.dirname(directory));
    expect(imported.filter((folder) => existsSync(path.join(folder, 'second')))).toEqual([]);
  }, 30_000);

  it('knows what was installed in its former place, and clears that away', async () => {
    const here = setting();
    for (const name of ['first', 'second']) await add(name, here);
    const former = path.join(here.packagesFolder, '../installed');
    const installed = path.join(here.packagesFolder, '../../installed');
    renameSync(installed, former);
    for (const name of ['first', 'second']) {
      const link = path.join(here.packagesFolder, name);
      const { 0: kept } = readdirSync(former).filter((one) => one.startsWith(name));
      rmSync(link);
      symlinkSync(path.join(former, kept!, 'node_modules', name), link, 'junction');
    }
    const shelf = new PackageStore(here.packagesFolder);
    expect((await shelf.all()).map(({ name }) => name)).toEqual(['first', 'second']);
    expect((await add('first', here)).changed).toBe(false);
    addFiles(path.join(here.packagesFolder, 'first'), { 'tell.js': 'other' });
    expect((await add('first', here)).changed).toBe(true);
    expect(readdirSync(installed).filter((name) => name.startsWith('first'))).toHaveLength(1);
    await removePackages(['first', 'second'], { force: true }, { ...here, ...nobody });
    expect(existsSync(former)).toBe(false);
    expect(readdirSync(installed)).toEqual([]);
  }, 60_000);

  it('removes nothing that others put there, nor what a link leads to', async () => {
    const here = setting();
    await add('first', here);
    const precious = writeFolder({ 'added.json': '{}', 'sub/file': 'important' });
    const mine = { 'mine/added.json': '{}', 'mine-0123abcd/notes.txt': '', 'file-0123abcd': '' };
    const installed = path.join(here.packagesFolder, '../../installed');
    addFiles(installed, mine);
    const links = ['elsewhere', 'first-1.0.0-0123abcd'];
    for (const name of links) symlinkSync(precious, path.join(installed, name));
    await add('second', here);
    await removePackages(['second'], { force: true }, { ...here, ...nobody });
    expect(readFileSync(path.join(precious, 'sub/file'), 'utf8')).toBe('important');
    expect(readdirSync(installed)).toEqual(expect.arrayContaining([...links, 'mine']));
    for (const file of Object.keys(mine)) expect(existsSync(path.join(installed, file))).toBe(true);
  }, 30_000);

  it('works with any odd entry in it', async () => {
    const here = setting();
    await add('first', here);
    const installed = path.join(here.packagesFolder, '../../installed');
    symlinkSync('/nowhere', path.join(installed, 'dangling-1.0.0-01234567'));
    symlinkSync('loop', path.join(here.packagesFolder, 'loop'));
    symlinkSync('@loop', path.join(here.packagesFolder, '@loop'));
    addFiles(here.packagesFolder, { '@file': '', file: '' });
    await add('second', here);
    const shelf = new PackageStore(here.packagesFolder);
    expect((await shelf.all()).map(({ name }) => name)).toEqual(['first', 'second']);
    const plans = await planUpdates({ names: [], load: false }, here);
    await discardUpdates(plans);
    expect(plans.map(({ before, drift, next }) => [before.name, drift, next])).toEqual([
      ['first', [], undefined],
      ['second', [], undefined],
    ]);
    await removePackages(['second'], { force: false }, { ...here, ...nobody });
    expect(readdirSync(installed).filter((name) => name.startsWith('second'))).toEqual([]);
  }, 30_000);

  it('skips a package with an invalid record', async () => {
    const here = setting();
    await add('first', here);
    const { record, installation } = await add('second', here).then(({ added }) => added);
    const { fingerprint } = record;
    const broken = [
      { ...record, name: '../first' },
      { ...record, wanted: {} },
      { ...record, source: 5 },
      { ...record, dependencies: { left: null } },
      { ...record, fingerprint: { ...fingerprint, files: { 'tell.js': 5 } } },
      ...[null, { ...fingerprint.items[0], uses: undefined }, { ...fingerprint.items[0], kind: 'x' }].map(
        (item) => ({ ...record, fingerprint: { ...fingerprint, items: [item] } }),
      ),
    ];
    for (const value of broken) {
      addFiles(installation, { 'added.json': value });
      const plans = await planUpdates({ names: [], load: false }, here);
      expect(plans.map(({ before }) => before.name)).toEqual(['first']);
    }
    expect((await add('second', here)).changed).toBe(true);
    expect((await new PackageStore(here.packagesFolder).all()).length).toBe(2);
  }, 60_000);

  // Other systems have no such names.
  it.runIf(process.platform === 'linux')(
    'reports the unreadable part of each package, and update repairs it',
    async () => {
      const here = setting();
      await add('first', here);
      const { directory } = (await add('second', here)).added;
      writeFileSync(Buffer.concat([Buffer.from(`${directory}/odd-`), Buffer.from([0xff])]), '');
      expect((await describeDrift([await Extension.open(directory)], here)).join()).toMatch(
        /^second: .*odd-\uFFFD cannot be read: its name is not UTF-8$/,
      );
      const [first, second] = await planUpdates({ names: [], load: false }, here);
      expect([first!.drift, first!.next, first!.error]).toEqual([[], undefined, undefined]);
      expect(second!.drift).toHaveLength(1);
      await applyUpdate(second!, { dryRun: false, ask: async () => true }, here);
      const [now] = await planUpdates({ names: ['second'], load: false }, here);
      expect([now!.drift, now!.next]).toEqual([[], undefined]);
    },
    60_000,
  );

  it('reports that it is not writable', async () => {
    const here = setting();
    const data = path.resolve(here.packagesFolder, '../..');
    rmSync(data, { recursive: true, force: true });
    addFiles(path.dirname(data), { data: 'a file' });
    await expect(add('first', here)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/a part of its path is a file/),
    });
  }, 30_000);
});

describe('applying an update', () => {
  const cases = [
    ['asked for by somebody', true, 'd', 'updated'],
    ['refused by somebody', false, 'd', 'declined'],
    ['nobody is asked about, and the model would see', undefined, 'd', 'held'],
    ['nobody is asked about, and the model would not see', undefined, 'Tells', 'updated'],
  ] as const;

  it.each(cases)('%s', async (_, answer, description, state) => {
    const here = setting();
    const folder = writeFolder({
      'package.json': packageJson({ tools: ['tell'] }, { name: 'asked' }),
      'agenttools/tools/tell.json': { description: 'Tells', handler: './tell.js' },
      'tell.js': '',
    });
    await add(folder, here);
    const changed = { description, handler: './tell.js' };
    addFiles(folder, { 'tell.js': 'export default () => 1;', 'agenttools/tools/tell.json': changed });
    const [plan] = await planUpdates({ names: ['asked'], load: false }, here);
    const result = await applyUpdate(plan!, { dryRun: false, ask: async () => answer }, here);
    expect(result.state).toBe(state);
    const handler = readFileSync(path.join(here.packagesFolder, 'asked/tell.js'), 'utf8');
    expect(handler !== '').toBe(state === 'updated');
    await discardUpdates([plan!]);
  });
});
