import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

// Kept before extension code loads, which may replace these.
const { getOwnPropertyDescriptor } = Object;
const { ownKeys } = Reflect;

const recorders = new WeakSet();
const { has } = WeakSet.prototype;
const { apply } = Reflect;

/** True for the object that replaces `process.env` while reads are recorded. */
export function isEnvRecorder(env: object): boolean {
  return apply(has, recorders, [env]) as boolean;
}

/** Records the environment variables that code reads while it is watched. `process.env` works as usual. */
export class EnvReads {
  readonly #names: Record<string, true> = Object.create(null);
  #hasReadAll = false;
  #watches = 0;
  #real = process.env;
  #recorder = process.env;

  /** Names of the variables that were read, also of unset ones. Undefined: the code listed all variables. */
  get names(): readonly string[] | undefined {
    return this.#hasReadAll ? undefined : Object.keys(this.#names);
  }

  /** Watches until the work ends. Calls may overlap. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#watches === 0) this.#begin();
    this.#watches += 1;
    try {
      return await work();
    } finally {
      this.#watches -= 1;
      if (this.#watches === 0) this.#end();
    }
  }

  #begin(): void {
    try {
      this.#real = process.env;
      this.#recorder = this.#record(this.#real);
      recorders.add(this.#recorder);
      process.env = this.#recorder;
      syncBuiltinESMExports();
    } catch {
      this.#hasReadAll = true;
    }
  }

  #end(): void {
    // Code may have replaced the object.
    if (process.env !== this.#recorder) return;
    try {
      // `structuredClone` accepts only the original object.
      process.env = this.#real;
      syncBuiltinESMExports();
    } catch {
      // The recorder works as well as the original.
    }
  }

  #record(real: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const note = (name: string | symbol) => {
      if (typeof name === 'string' && this.#watches > 0) this.#names[name] = true;
    };
    return new Proxy(real, {
      get(env, name) {
        note(name);
        return env[name as string];
      },
      has(env, name) {
        note(name);
        return name in env;
      },
      getOwnPropertyDescriptor(env, name) {
        note(name);
        return getOwnPropertyDescriptor(env, name);
      },
      ownKeys: (env) => {
        if (this.#watches > 0) this.#hasReadAll = true;
        return ownKeys(env);
      },
      set(env, name, value) {
        env[name as string] = value;
        return true;
      },
    });
  }
}
