import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isDead, thisProcess } from '../../src/engine/files/holder.js';
import { addFiles, type Files, writeFolder } from '../support/packages.js';
import { execute, type Ran } from '../support/packed.js';
import { bareEnvironment, openProgram, type Program, programFile, startProgram } from '../support/program.js';
import { type Registry, startRegistry } from '../support/registry.js';

let registry: Registry;
const cache = writeFolder();

beforeAll(async () => {
  registry = await startRegistry();
});

/** A machine whose npm is set to our registry. */
function machine() {
  const home = writeFolder({ '.npmrc': registry.settings() });
  const env = { HOME: home, AGENTTOOLS_HOME: path.join(home, 'data'), npm_config_cache: cache };
  return {
    env,
    packages: path.join(home, 'data/packages/node_modules'),
    installed: path.join(home, 'data/installed'),
    run: async (...args: string[]): Promise<Ran> =>
      await execute(process.execPath, [programFile, ...args], { cwd: home, env }),
  };
}

/** An extension whose one tool is defined in code. */
function kit(version: string, { description = 'Tells', comment = '', name = '@acme/kit' } = {}): Files {
  return {
    'package.json': { name, version, type: 'module', agenttools: { servers: ['main'], tools: ['tell'] } },
    'agenttools/servers/main.json': { tools: '*' },
    'agenttools/tools/tell.js': `${comment}
      export default { description: ${JSON.stringify(description)}, handler: () => 'told by ${version}' };`,
  };
}

describe('from add to remove', () => {
  it('a package is served, frozen, updated and gone', async () => {
    const here = machine();
    await registry.publish(kit('1.0.0'));
    expect(await here.run('add', '@acme/kit')).toMatchObject({ code: 0 });
    const options = { env: here.env, flags: ['--frozen'] };
    const served = await openProgram('@acme/kit/main', options);
    expect(await served.textOf('tell')).toBe('told by 1.0.0');

    await registry.publish(kit('1.1.0', { comment: '// said otherwise' }));
    const held = await here.run('update');
    expect(held.code).toBe(1);
    expect(held.stderr).toContain('It is defined by code; see what that says with --load.');
    const loaded = await here.run('update', '--load');
    expect(loaded.stderr).toMatch(
      /agenttools\/tools\/tell\.js has changed\n {2}Nothing that the model sees changes\.\nUpdated @acme\/kit from 1\.0\.0 to 1\.1\.0\./,
    );
    expect(loaded.code).toBe(0);
    expect(await served.textOf('tell')).toBe('told by 1.0.0');
    expect(await served.end()).toEqual({ code: 0, signal: null });

    await registry.publish(kit('2.0.0', { description: 'Tells all' }));
    const seen = await here.run('update', '--load');
    expect(seen.code).toBe(1);
    expect(seen.stderr).toContain('description: "Tells" → "Tells all"');
    expect(await here.run('update', '--yes')).toMatchObject({ code: 0 });
    const next = await openProgram('@acme/kit/main', options);
    expect(await next.textOf('tell')).toBe('told by 2.0.0');
    await next.end();

    addFiles(path.join(here.packages, '@acme/kit'), { 'agenttools/tools/tell.js': 'export default {}' });
    const refused = startProgram('@acme/kit/main', options);
    expect((await refused.ended()).code).toBe(1);
    expect(refused.stderr).toContain('@acme/kit: tool "tell" is defined otherwise');

    expect(await here.run('remove', '@acme/kit')).toMatchObject({ code: 0 });
    const gone = startProgram('@acme/kit/main', options);
    expect((await gone.ended()).code).toBe(1);
  }, 60_000);
});

describe('an extension that came with a package', () => {
  it('is served frozen, until anything that came is another', async () => {
    const here = machine();
    const plain = { 'package.json': { name: 'plain', version: '1.0.0' }, 'index.js': '' };
    await registry.publish(plain);
    await registry.publish(kit('1.0.0', { name: 'beneath' }));
    const above = kit('1.0.0', { name: 'above' });
    await registry.publish({
      ...above,
      'package.json': { ...(above['package.json'] as object), dependencies: { beneath: '*', plain: '*' } },
      'agenttools/servers/main.json': { tools: ['beneath/tell'] },
    });
    expect(await here.run('add', 'above')).toMatchObject({ code: 0 });
    const options = { env: here.env, flags: ['--frozen'] };
    const served = await openProgram('above/main', options);
    expect(await served.textOf('tell')).toBe('told by 1.0.0');
    await served.end();

    const modules = path.join(realpathSync(path.join(here.packages, 'above')), '..');
    addFiles(modules, { 'plain/index.js': 'other' });
    const refused = startProgram('above/main', options);
    expect((await refused.ended()).code).toBe(1);
    expect(refused.stderr).toContain('above: dependency plain 1.0.0 has other files');
  }, 60_000);
});

describe('killed at any moment', () => {
  /** The version that is there, which is all there; undefined: nothing is. */
  function versionThere(here: ReturnType<typeof machine>): string | undefined {
    const folder = path.join(here.packages, 'broken-off');
    if (!existsSync(folder)) return undefined;
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    expect(readFileSync(path.join(folder, 'agenttools/tools/tell.js'), 'utf8')).toContain(version);
    const installation = path.join(realpathSync(folder), '../..');
    expect(readdirSync(installation).sort()).toEqual([
      'added.json',
      'node_modules',
      'package-lock.json',
      'package.json',
    ]);
    expect(existsSync(path.join(installation, 'node_modules/dependency/package.json'))).toBe(true);
    return version;
  }

  it('add leaves what was there, or what was to be there', async () => {
    const here = machine();
    await registry.publish({ 'package.json': { name: 'dependency', version: '1.0.0' } });
    for (const version of ['1.0.0', '2.0.0']) {
      const files = kit(version, { name: 'broken-off' });
      const manifest = files['package.json'] as object;
      await registry.publish({
        ...files,
        'package.json': { ...manifest, dependencies: { dependency: '*' } },
      });
    }
    const start = performance.now();
    await machine().run('add', 'broken-off@1.0.0');
    const duration = performance.now() - start;

    const rounds = 12;
    let before: string | undefined;
    for (let round = 0; round < rounds; round++) {
      const wanted = round % 2 === 0 ? '1.0.0' : '2.0.0';
      const child = spawn(process.execPath, [programFile, 'add', `broken-off@${wanted}`], {
        env: bareEnvironment(here.env),
        stdio: 'ignore',
        detached: true,
      });
      const ended = once(child, 'exit');
      await Promise.race([ended, delay(duration * (0.2 + (0.9 * round) / rounds))]);
      // npm itself dies with it, or lives on.
      if (child.exitCode === null) process.kill(round % 3 === 0 ? child.pid! : -child.pid!, 'SIGKILL');
      await ended;
      const now = versionThere(here);
      expect([before, wanted]).toContain(now);
      before = now;
    }

    // What a living npm still writes to is swept later.
    let staged = ['unknown', 'yet'];
    for (let attempt = 0; staged.length > 0 && attempt < 20; attempt++) {
      expect((await here.run('add', 'broken-off@2.0.0')).code).toBe(0);
      staged = readdirSync(here.installed).filter((name) => name.startsWith('.'));
    }
    expect(versionThere(here)).toBe('2.0.0');
    await here.run('remove', 'broken-off');
    expect(readdirSync(here.installed)).toEqual([]);
  }, 90_000);
});

describe('no npm is left behind', () => {
  /** A machine whose npm would run for an hour, and starts something that does. */
  function slowMachine() {
    const here = machine();
    const home = writeFolder({ npm: '#!/bin/sh\nsleep 3600 & echo $$ $! > "$0.pids"; wait; sleep 3600\n' });
    chmodSync(path.join(home, 'npm'), 0o755);
    const env = {
      ...here.env,
      PATH: `${home}:${process.env.PATH}`,
      AGENTTOOLS_AUTO_INSTALL: 'true',
    };
    const pids = () =>
      vi.waitFor(() => {
        const text = readFileSync(path.join(home, 'npm.pids'), 'utf8');
        expect(text).toMatch(/\n$/);
        return text.trim().split(' ').map(Number);
      }, 20_000);
    return { env, pids };
  }

  async function expectEnd(pids: readonly number[]): Promise<void> {
    const { host, namespace } = thisProcess();
    const isRunning = (pid: number) => !isDead({ host, pid, ...(namespace && { namespace }) });
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 20_000);
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by add that gets %s',
    async (signal) => {
      const { env, pids } = slowMachine();
      const child = spawn(process.execPath, [programFile, 'add', 'slow'], {
        env: bareEnvironment(env),
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      const known = await pids();
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      await expectEnd(known);
    },
    60_000,
  );

  it.each([
    ['gets a signal', (program: Program) => program.child.kill('SIGTERM')],
    ['loses its client', (program: Program) => program.child.stdin.end()],
  ])(
    'by start that %s',
    async (_, end) => {
      const { env, pids } = slowMachine();
      const program = await openProgram('slow/main', { env });
      program.send({ jsonrpc: '2.0', id: 'list', method: 'tools/list' });
      const known = await pids();
      end(program);
      expect(await program.exit).toEqual({ code: 0, signal: null });
      await expectEnd(known);
    },
    60_000,
  );
});
