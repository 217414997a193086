import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { describeThrown } from '../base/line-reporter.js';

type Callback = (...args: unknown[]) => unknown;
type HookRegistry = Record<string, Callback>;

const { apply } = Reflect;

/**
 * Keeps hooks of asynchronous resources from failing other code: Node runs them whenever any code makes or settles a
 * promise. An error of such a hook would appear there, or would end the process. `report` gets the first error of each hook.
 * Call it before code of extensions loads.
 * @see https://nodejs.org/api/v8.html#promise-hooks
 */
export function guardAsyncHooks(report: (line: string) => void): void {
  const { promiseHooks } = process.getBuiltinModule('v8') as unknown as {
    readonly promiseHooks: HookRegistry;
  };
  for (const name of ['onInit', 'onBefore', 'onAfter', 'onSettled']) {
    const register = promiseHooks[name]!;
    promiseHooks[name] = (callback) => register(guarded(callback, report));
  }
  for (const owner of [promiseHooks, process.getBuiltinModule('async_hooks') as unknown as HookRegistry]) {
    const create = owner.createHook!;
    owner.createHook = (hooks) => create(guardedMembers(hooks, report));
  }
  syncBuiltinESMExports();
}

/** Members of the hooks that Node reads, also inherited ones. */
const hookNames = ['init', 'before', 'after', 'destroy', 'promiseResolve', 'settled', 'trackPromises'];

function guardedMembers(hooks: unknown, report: (line: string) => void): unknown {
  if (typeof hooks !== 'object' || hooks === null) return hooks;
  const members: Record<string, unknown> = {};
  for (const name of hookNames) members[name] = guarded((hooks as Record<string, unknown>)[name], report);
  return members;
}

function guarded(hook: unknown, report: (line: string) => void): unknown {
  if (typeof hook !== 'function') return hook;
  let hasFailed = false;
  return function (this: unknown, ...args: readonly unknown[]) {
    try {
      apply(hook, this, args);
    } catch (error) {
      // A report makes asynchronous resources too.
      if (hasFailed) return;
      hasFailed = true;
      report(`A hook of asynchronous resources failed: ${describeThrown(error)}`);
    }
  };
}
