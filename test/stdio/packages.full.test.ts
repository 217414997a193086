import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment, programFile } from '../support/program.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { packageMachine, publishBrokenOff, versionThere } from './support/package-machine.js';

let registry: Registry;

beforeAll(async () => {
  registry = await startRegistry();
  await publishBrokenOff(registry);
});

describe('killed at any moment', () => {
  it('add leaves what was there, or what was to be there', async () => {
    const here = packageMachine(registry);
    const start = performance.now();
    await packageMachine(registry).run('add', 'broken-off@1.0.0');
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

    // The files that a living npm still writes to are swept later.
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
