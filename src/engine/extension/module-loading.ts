/** All copies of AgentTools in a process share the number of modules that are loading. */
const key: unique symbol = Symbol.for('agenttools/loading') as never;

const shared: { [key]?: number } = globalThis as never;

/** Runs work that loads a module of an extension. */
export async function whileLoading<T>(work: () => Promise<T>): Promise<T> {
  shared[key] = (shared[key] ?? 0) + 1;
  try {
    return await work();
  } finally {
    shared[key] -= 1;
  }
}

/** True while AgentTools loads a module. Faulty schemas then wait for the checks of definitions, so that other tools load. */
export function isLoadingModule(): boolean {
  return (shared[key] ?? 0) > 0;
}
