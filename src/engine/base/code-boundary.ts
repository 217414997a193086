import { types } from 'node:util';

// Kept before code of extensions loads.
const { isProxy } = types;
const { apply } = Reflect;

let undo: (() => void) | undefined;

/** Sets the function that undoes changes of built-ins. Call it before code of extensions loads. */
export function onCodeReturn(undoChanges: () => void): void {
  undo = undoChanges;
}

/**
 * Undoes changes that code of an extension made to built-ins. Call it where that code gives back control, before the code
 * of AgentTools runs on. Has no effect outside of an extension host.
 */
export function restoreBuiltIns(): void {
  undo?.();
}

/** Wraps a function of an extension: {@link restoreBuiltIns} runs when it returns, and when its promise settles. */
export function guardCode<Code>(code: Code): Code {
  if (!undo || typeof code !== 'function') return code;
  const guarded = (...args: readonly unknown[]): unknown => {
    let returned: unknown;
    try {
      returned = apply(code, undefined, args);
    } finally {
      restoreBuiltIns();
    }
    return mayBeThenable(returned) ? settled(returned) : returned;
  };
  return guarded as Code;
}

async function settled(returned: unknown): Promise<unknown> {
  try {
    return await returned;
  } finally {
    restoreBuiltIns();
  }
}

/** True if `await` may wait for the value. Reads no member: a getter may return something else the next time. */
export function mayBeThenable(value: unknown): boolean {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false;
  return isProxy(value) || 'then' in value;
}
