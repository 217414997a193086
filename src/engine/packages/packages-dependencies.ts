import type { NpmDeps } from '../npm/npm-dependencies.js';

/** Dependencies of the package commands. */
export interface PackagesDeps {
  /** The `node_modules` of the package store. */
  readonly packagesFolder: string;
  readonly npm: NpmDeps;
  /** Codes of findings in texts that the user allows. Default: none. */
  readonly allowFindings?: readonly string[];
  /** Refuses packages without a verified provenance. Default: false. */
  readonly requireProvenance?: boolean;
  readonly now: () => Date;
  /** Receives progress messages. */
  readonly onProgress: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}
