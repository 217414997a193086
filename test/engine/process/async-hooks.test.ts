import { createHook } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';
import { expect, test, vi } from 'vitest';
import { guardAsyncHooks } from '../../../src/engine/process/async-hooks.js';

// Vitest runs each module with bindings of its own, so the modules themselves are asked.
const modules = {
  v8: process.getBuiltinModule('v8'),
  async_hooks: process.getBuiltinModule('async_hooks'),
};

test('hooks of asynchronous resources that throw fail no other code, and are reported once', async () => {
  const before = [promiseHooks.onInit, createHook];
  const report = vi.fn<(line: string) => void>();
  guardAsyncHooks(report);
  expect([modules.v8.promiseHooks.onInit, modules.async_hooks.createHook]).not.toEqual(before);
  let runs = 0;
  const fail = () => {
    runs += 1;
    throw new Error('no');
  };
  const stop = modules.v8.promiseHooks.onInit(fail);
  const hook = modules.async_hooks.createHook({ init: fail }).enable();
  try {
    await Promise.resolve().then(() => new Promise((resolve) => setTimeout(resolve, 1)));
  } finally {
    (stop as unknown as () => void)();
    hook.disable();
  }
  expect(runs).toBeGreaterThan(4);
  const line = expect.stringContaining('A hook of asynchronous resources failed: Error: no');
  expect(report.mock.calls).toEqual([[line], [line]]);
});

test('a hook that is not a function is refused, as by Node', () => {
  guardAsyncHooks(() => {});
  expect(() => modules.async_hooks.createHook({ init: 5 as never })).toThrow('must be a function');
});
