import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { addFiles } from '../support/packages.js';
import { bareEnvironment, openProgram, programFile, startProgram } from '../support/program.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { kit, packageMachine, publishBrokenOff, versionThere } from './support/package-machine.js';

let registry: Registry;

beforeAll(async () => {
  registry = await startRegistry();
  await publishBrokenOff(registry);
});

describe('from add to remove', () => {
  it('a package is served, frozen, updated and gone', async () => {
    const here = packageMachine(registry);
    await registry.publish(kit('1.0.0'));
    expect(await here.run('add', '@acme/kit')).toMatchObject({ code: 0 });
    const options = { env: here.env, flags: ['--frozen'] };
    const served = await openProgram('@acme/kit/main', options);
    expect(await served.textOf('tell')).toBe('told by 1.0.0');

    await registry.publish(kit('1.1.0', { comment: '// said otherwise' }));
    const held = await here.runHere('update');
    expect(held.code).toBe(1);
    expect(held.stderr).toContain('It is defined by code. Compare its values with --load.');
    const loaded = await here.runHere('update', '--load');
    expect(loaded.stderr).toMatch(
      /agenttools\/tools\/tell\.js has changed\n {2}Nothing that the model sees changes\.\nUpdated @acme\/kit from 1\.0\.0 to 1\.1\.0\./,
    );
    expect(loaded.code).toBe(0);
    expect(await served.textOf('tell')).toBe('told by 1.0.0');
    expect(await served.end()).toEqual({ code: 0, signal: null });

    await registry.publish(kit('2.0.0', { description: 'Tells all' }));
    const seen = await here.runHere('update', '--load');
    expect(seen.code).toBe(1);
    expect(seen.stderr).toContain('description: "Tells" → "Tells all"');
    expect(await here.runHere('update', '--yes')).toMatchObject({ code: 0 });
    const next = await openProgram('@acme/kit/main', options);
    expect(await next.textOf('tell')).toBe('told by 2.0.0');
    await next.end();

    addFiles(path.join(here.packages, '@acme/kit'), { 'agenttools/tools/tell.js': 'export default {}' });
    const refused = startProgram('@acme/kit/main', options);
    expect((await refused.ended()).code).toBe(1);
    expect(refused.stderr).toContain('@acme/kit: tool "tell" has another definition');

    expect(await here.runHere('remove', '@acme/kit')).toMatchObject({ code: 0 });
    const gone = startProgram('@acme/kit/main', options);
    expect((await gone.ended()).code).toBe(1);
  }, 60_000);
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
