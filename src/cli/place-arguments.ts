/** Which files a command is about, as its words say. */
export interface PlaceInput {
  /** Undefined with `--all`, and with `--config` when the file is to tell. */
  readonly client: string | undefined;
  readonly server: string | undefined;
  /** A folder: the project's own file. */
  readonly project: string | undefined;
  readonly config: string | undefined;
  readonly all: boolean;
}

/**
 * Spells out a bare `--project`: an option that may go without its value would swallow the word after it, which is a
 * client or a server. The folder is given as `--project=<folder>`.
 */
export function spellOutProject(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) =>
    word === '--project' && (end === -1 || index < end) ? '--project=.' : word,
  );
}
