import type { NpmDeps } from '../npm/npm-dependencies.js';

/** What adding packages stands on. */
export interface PackagesDeps {
  /** The `node_modules` of packages that AgentTools itself installed. */
  readonly packagesFolder: string;
  readonly npm: NpmDeps;
  readonly now: () => Date;
  /** Hears what is being done, for whoever waits. */
  readonly onProgress: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}
