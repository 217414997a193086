import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isDead, thisProcess } from '../../src/engine/base/files/lock-holder.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { bareEnvironment, openProgram, type Program, programFile, startProgram } from '../support/program.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { runsAll } from '../support/tier.js';
import { kit, packageMachine, publishBrokenOff, versionThere } from './support/package-machine.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let registry: Registry;

beforeAll(async () => {
  registry = await startRegistry();
});

const machine = () => packageMachine(registry);

describe('an extension that came with a package', () => {
  it('is served frozen, until anything that came is another', async () => {
    const here = machine();
    const plain = { 'package.json': { name: 'plain', version: '1.0.0' }, 'index.js': '' };
    await registry.publish(plain);
    await registry.publish(kit('1.0.0', { name: 'beneath' }));
    await registry.publish({
      ...kit('1.0.0', { name: 'above', dependencies: { beneath: '*', plain: '*' } }),
      'agenttools/servers/main.json': { tools: ['beneath/tell'] },
    });
    expect(await here.runHere('add', 'above')).toMatchObject({ code: 0 });
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

describe('killed while npm is at work', () => {
  it('add leaves what was there, and the next one clears away what it began', async () => {
    const here = machine();
    await publishBrokenOff(registry);
    expect(await here.runHere('add', 'broken-off@1.0.0')).toMatchObject({ code: 0 });
    const bin = writeFolder({ npm: '#!/bin/sh\nmkdir node_modules\nkill -9 $PPID\n' });
    chmodSync(path.join(bin, 'npm'), 0o755);
    const child = spawn(process.execPath, [programFile, 'add', 'broken-off@2.0.0'], {
      env: { ...bareEnvironment(here.env), PATH: `${bin}:${process.env.PATH}` },
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(versionThere(here)).toBe('1.0.0');
    const staged = () => readdirSync(here.installed).filter((name) => name.startsWith('.'));
    expect(staged()).toHaveLength(1);
    expect(await here.runHere('add', 'broken-off@2.0.0')).toMatchObject({ code: 0 });
    expect(versionThere(here)).toBe('2.0.0');
    expect(staged()).toEqual([]);
    await here.runHere('remove', 'broken-off');
    expect(readdirSync(here.installed)).toEqual([]);
  });
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
    ['gets a signal', (program: Program) => program.child.kill('SIGTERM')] as const,
    ...(runsAll ? [['loses its client', (program: Program) => program.child.stdin.end()] as const] : []),
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
