import type { OutgoingSettings } from './project-settings.js';

/** Inputs of npm's settings. */
export interface NpmDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The running Node binary; an npm is near it. */
  readonly execPath: string;
  /** Folder of the project with npm settings. Default: only the user's settings apply. */
  readonly cwd?: string;
  /** True if outgoing settings of the project apply. Default: they do not. */
  readonly allowOutgoing?: (outgoing: OutgoingSettings) => Promise<boolean>;
}
