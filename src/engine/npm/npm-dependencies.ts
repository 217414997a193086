/** What npm's settings depend on. */
export interface NpmDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The Node that runs; an npm lies near it. */
  readonly execPath: string;
  /** The folder whose project has a say; absent: only the user's own settings count. */
  readonly cwd?: string;
}
