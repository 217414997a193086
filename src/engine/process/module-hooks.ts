import module, { syncBuiltinESMExports } from 'node:module';

/** Longest load of a module through all hooks, in milliseconds. */
const limitMs = 2000;

const { setTimeout, clearTimeout } = globalThis;

export interface ModuleHooks {
  /** True if no hook was registered since the last check. */
  readonly isChecked: boolean;
  /** Loads a module through all hooks. Resolves with the fault, or with undefined. Never rejects. */
  check(): Promise<string | undefined>;
}

/**
 * Watches for hooks that code registers with `module.register` or `module.registerHooks`. Hooks take part in every later
 * import of the process, so a hook that throws or hangs breaks other modules.
 * @see https://nodejs.org/docs/latest-v24.x/api/module.html#customization-hooks
 */
export function watchModuleHooks(): ModuleHooks {
  let isChecked = true;
  let checks = 0;
  const register = module as unknown as Record<string, ((...args: unknown[]) => unknown) | undefined>;
  for (const name of ['register', 'registerHooks']) {
    const original = register[name];
    if (!original) continue;
    register[name] = (...args) => {
      isChecked = false;
      return original(...args);
    };
  }
  syncBuiltinESMExports();
  return {
    get isChecked() {
      return isChecked;
    },
    check() {
      isChecked = true;
      checks += 1;
      // The authoring API has no side effects. Each URL loads another module.
      return findFault(new URL(`./index.js?hooks=${checks}`, import.meta.url).href);
    },
  };
}

function findFault(address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(`do not end within ${limitMs / 1000} s`), limitMs);
    const settle = (fault: string | undefined) => {
      clearTimeout(timer);
      resolve(fault);
    };
    import(address).then(
      () => settle(undefined),
      () => settle('fail'),
    );
  });
}
