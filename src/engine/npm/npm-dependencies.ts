/** Inputs of npm's settings. */
export interface NpmDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The running Node binary; an npm is near it. */
  readonly execPath: string;
  /** Folder of the project with npm settings. Default: only the user's settings apply. */
  readonly cwd?: string;
}
