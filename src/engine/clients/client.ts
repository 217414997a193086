import type { Entry } from './edit/editor.js';

/** Syntax of a config file. */
export type ConfigFormat = 'json' | 'jsonc' | 'toml' | 'yaml';

/** What starts a server: the part of an entry that is the same for every client. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; absent: the client's own. */
  readonly cwd?: string;
}

/** What decides where a client keeps its files. Everything is handed in, so that any system can be asked about. */
export interface Surroundings {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Whether a file or folder is there. */
  readonly exists: (path: string) => boolean;
  /** Names in a folder; none if there is no such folder. */
  readonly namesIn: (folder: string) => readonly string[];
}

/** Where an entry goes in a file. */
export interface Container {
  /** Keys from the root; none: the root itself. */
  readonly path: readonly string[];
  /** `map`: entries under their keys; `list`: a list of entries that hold their key as `name`. */
  readonly shape: 'map' | 'list';
}

/** What of a lenient syntax the client's own parser takes. */
export interface Tolerance {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly bom: boolean;
}
