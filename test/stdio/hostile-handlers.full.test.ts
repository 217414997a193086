import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileCode } from '../support/hostile-code.js';
import { writePackage } from '../support/packages.js';
import { openProgram, type Program } from '../support/program.js';

const directory = writePackage(
  { tools: ['run', 'ok', 'sound'], resources: ['fact'] },
  {
    'agenttools/tools.json': {
      run: { description: 'Runs code.', handler: './run.js#run', timeoutMs: 1000 },
      ok: { description: 'Answers.', handler: './run.js#ok' },
      sound: { description: 'Uses what all code shares.', handler: './run.js#sound' },
    },
    'agenttools/resources/fact.json': { uri: 'acme://fact', description: 'A fact.', text: 'Water is wet.' },
    'run.js': `
      import { AsyncLocalStorage } from 'node:async_hooks';
      import { randomUUID } from 'node:crypto';
      import { readFileSync } from 'node:fs';
      import { stat } from 'node:fs/promises';
      import module from 'node:module';
      import path from 'node:path';
      import { setTimeout as sleep } from 'node:timers/promises';
      import util from 'node:util';
      import { pathToFileURL } from 'node:url';
      const folder = process.cwd();
      const { platform } = process;
      const mask = process.umask();
      export const sound = async () => {
        setTimeout(() => {}).unref();
        await sleep(0);
        await stat(path.join(folder, 'package.json'));
        const uses = [
          readFileSync(path.resolve('package.json'), 'utf8').length > 0,
          util.inspect({ a: 1 }) === '{ a: 1 }' && !util.types.isProxy({}),
          module.createRequire(import.meta.url)('./package.json').name !== undefined,
          new AsyncLocalStorage().run(1, () => 1) === 1,
          randomUUID().length === 36,
          performance.now() > 0 && new Map([[1, 1]]).get(1) === 1,
          new Error('x').stack.includes('run.js'),
          process.cwd() === folder && process.umask() === mask && process.env.PATH !== undefined,
          path.sep.length === 1 && process.platform === platform && Buffer.from('a').length === 1,
          (await crypto.subtle.digest('SHA-256', new Uint8Array(1))).byteLength === 32,
          new Intl.NumberFormat('en').formatToParts(1).length === 1 && pathToFileURL('/a').pathname.endsWith('a'),
          Object.isExtensible(globalThis) && Object.isExtensible(process),
        ];
        return uses.every(Boolean) ? 'sound' : JSON.stringify(uses);
      };
      const AsyncFunction = (async () => {}).constructor;
      export const run = async ({ body }, ctx) => await new AsyncFunction('args', 'ctx', body)({ body }, ctx);
      export const ok = () => 'ok';`,
  },
);

describe('hostile handlers', () => {
  let program: Program;

  beforeAll(async () => {
    program = await openProgram(directory, { env: { NODE_OPTIONS: '--max-old-space-size=256' } });
  });

  afterAll(async () => {
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  test.each(hostileCode)('survives $family: $name', async ({ body }) => {
    const result = await program.call('run', { body });
    expect(Array.isArray(result.content)).toBe(true);
    expect((await program.request('tools/list')).tools).toHaveLength(3);
    expect((await program.request('resources/read', { uri: 'acme://fact' })).contents[0].text).toBe(
      'Water is wet.',
    );
    expect(await program.textOf('ok')).toBe('ok');
    expect(await program.textOf('sound')).toBe('sound');
  });
});
