/** A setting of a project by which a value of the user, or a request with credentials, reaches another host. */
interface OutgoingSetting {
  readonly key: string;
  /** Names of the variables that it fills in. */
  readonly variables: readonly string[];
  /** Host that it names; undefined: none, as in `strict-ssl`. */
  readonly host: string | undefined;
}

/** Outgoing settings of one `.npmrc`. */
export interface OutgoingSettings {
  /** Absolute path of the `.npmrc`. */
  readonly file: string;
  readonly settings: readonly OutgoingSetting[];
}

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
