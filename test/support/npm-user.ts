import { beforeAll } from 'vitest';
import { npmInProcess } from './npm-in-process.js';
import { writeFolder } from './packages.js';
import { type Registry, startRegistry } from './registry.js';
import { type Files, type Run, runCli } from './run-cli.js';

/** A user of npm in a test file, with one registry and one cache for all tests. */
export interface NpmUser {
  /** Available in tests and hooks. */
  readonly registry: Registry;
  /** Folder of the cache. */
  readonly cache: string;
  /** A new home folder with the settings of the registry. */
  newHome(files?: Files): string;
  /** Runs a command line of the user. Default of `cwd`: the home folder. */
  run(
    words: readonly string[],
    place: {
      readonly home: string;
      readonly cwd?: string | undefined;
      readonly env?: Readonly<Record<string, string>> | undefined;
    },
  ): Promise<Run>;
}

/**
 * Starts a registry before the tests of a file. `publish` fills it. npm installs in this process if the file mocks
 * `run-to-exit.js` with `withNpmInProcess`.
 */
export function npmUser(publish: (registry: Registry) => Promise<unknown>): NpmUser {
  let registry: Registry;
  const cache = writeFolder();
  beforeAll(async () => {
    registry = await startRegistry();
    await publish(registry);
  });
  return {
    cache,
    get registry() {
      return registry;
    },
    newHome: (files = {}) => writeFolder({ '.npmrc': registry.settings(), ...files }),
    run: async (words, { home, cwd = home, env = {} }) =>
      await runCli(words, {
        home,
        cwd,
        env: { ...npmInProcess, PATH: process.env.PATH ?? '', npm_config_cache: cache, HOME: home, ...env },
      }),
  };
}
