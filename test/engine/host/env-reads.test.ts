import { env as imported } from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import { EnvReads } from '../../../src/engine/host/env-reads.js';

const real = process.env;

afterEach(() => {
  process.env = real;
});

async function readsOf(read: () => unknown): Promise<readonly string[] | undefined> {
  const reads = new EnvReads();
  await reads.during(async () => read());
  return reads.names;
}

describe('the reads of environment variables', () => {
  it.each<[string, () => unknown]>([
    ['a member', () => process.env.AGENTTOOLS_TEST_NAME],
    ['a destructured member', () => (({ AGENTTOOLS_TEST_NAME }) => AGENTTOOLS_TEST_NAME)(process.env)],
    ['the in operator', () => 'AGENTTOOLS_TEST_NAME' in process.env],
    ['Object.hasOwn', () => Object.hasOwn(process.env, 'AGENTTOOLS_TEST_NAME')],
    ['a default', () => (process.env.AGENTTOOLS_TEST_NAME ??= 'x')],
  ])('hold a name read by %s', async (_, read) => {
    expect(await readsOf(read)).toContain('AGENTTOOLS_TEST_NAME');
  });

  it.each<[string, () => unknown]>([
    ['a spread', () => ({ ...process.env })],
    ['Object.keys', () => Object.keys(process.env)],
    [
      'for…in',
      () => {
        for (const name in process.env) return name;
      },
    ],
    ['JSON', () => JSON.stringify(process.env)],
  ])('are all after %s', async (_, read) => {
    expect(await readsOf(read)).toBeUndefined();
  });

  it('hold names that modules read from the import', async () => {
    const module = `data:text/javascript,import { env } from 'node:process'; export default env.AGENTTOOLS_TEST_IMPORT;`;
    expect(await readsOf(async () => await import(/* @vite-ignore */ module))).toContain(
      'AGENTTOOLS_TEST_IMPORT',
    );
    expect(imported).toBe(real);
  });

  it('hold no names that are read before, after or only written', async () => {
    const reads = new EnvReads();
    void process.env.AGENTTOOLS_TEST_BEFORE;
    let kept = process.env;
    await reads.during(async () => {
      kept = process.env;
      process.env.AGENTTOOLS_TEST_WRITTEN = 'x';
    });
    void kept.AGENTTOOLS_TEST_AFTER;
    void Object.keys(kept);
    expect(real.AGENTTOOLS_TEST_WRITTEN).toBe('x');
    delete real.AGENTTOOLS_TEST_WRITTEN;
    expect(reads.names).not.toEqual(expect.arrayContaining([expect.stringContaining('AGENTTOOLS_TEST')]));
  });

  it('last until the last of several works ends', async () => {
    const reads = new EnvReads();
    let end = () => {};
    const long = reads.during(async () => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return process.env.AGENTTOOLS_TEST_LATE;
    });
    await reads.during(async () => {});
    // Assertions list all variables.
    const isWatched = process.env !== real;
    end();
    await long;
    expect(isWatched).toBe(true);
    expect(process.env).toBe(real);
    expect(reads.names).toContain('AGENTTOOLS_TEST_LATE');
  });

  it('leave an environment that code has replaced', async () => {
    const own = { OWN: 'x' };
    await readsOf(() => {
      process.env = own;
    });
    expect(process.env).toBe(own);
  });

  it('leave an environment that works as usual', async () => {
    await readsOf(() => {
      process.env.AGENTTOOLS_TEST_NUMBER = 1 as never;
      expect(process.env.AGENTTOOLS_TEST_NUMBER).toBe('1');
      delete process.env.AGENTTOOLS_TEST_NUMBER;
      expect(process.env.AGENTTOOLS_TEST_NUMBER).toBeUndefined();
      Object.defineProperty(process.env, 'AGENTTOOLS_TEST_NUMBER', {
        value: '2',
        configurable: true,
        enumerable: true,
        writable: true,
      });
    });
    expect(real.AGENTTOOLS_TEST_NUMBER).toBe('2');
    delete real.AGENTTOOLS_TEST_NUMBER;
  });
});
