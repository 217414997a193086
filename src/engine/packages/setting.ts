import type { NpmSetting } from '../npm/setting.js';

/** What adding packages stands on. */
export interface PackagesSetting {
  /** The `node_modules` of packages that AgentTools itself installed. */
  readonly packagesFolder: string;
  readonly npm: NpmSetting;
  readonly now: () => Date;
  /** Hears what is being done, for whoever waits. */
  readonly tell: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}
