import { expect, test, vi } from 'vitest';
import { Extension } from '../../../src/engine/extension/extension.js';
import { writePackage } from '../../support/packages.js';

// The module of Deno has no named export `features`, and older versions have no list of features at all.
vi.mock('node:process', () => {
  const versions = { ...process.versions, deno: '2.4.0' };
  const get = (target: object, key: string | symbol): unknown => {
    if (key === 'features') return undefined;
    return key === 'versions' ? versions : Reflect.get(target, key, target);
  };
  return { default: new Proxy(Object.create(process) as object, { get }) };
});

test('runs definitions in TypeScript on Deno', async () => {
  const folder = writePackage({ tools: ['x'] }, { 'agenttools/tools/x.ts': '' });
  const extension = await Extension.open(folder, { loadCode: async () => ({ live: { title: 'x' } }) });
  expect((await extension.definition('tools', 'x')).value.title).toBe('x');
});
