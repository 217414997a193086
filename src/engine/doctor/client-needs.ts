import type { VersionSource } from './client-versions.js';
import type { EntryPicture } from './picture.js';

/** Something that entries use and older versions of a client lack. */
export interface ClientNeed {
  readonly client: string;
  /** First version that supports it. */
  readonly since: string;
  /** The use, as the end of a sentence. */
  readonly what: string;
  readonly applies: (entry: EntryPicture) => boolean;
  readonly versionFrom: VersionSource;
  /** Command or action that updates the client. */
  readonly update: string;
  readonly source: string;
}

/** A new need is a new row. */
export const clientNeeds: readonly ClientNeed[] = [
  {
    client: 'codex',
    since: '0.43.0',
    what: 'servers with "url"',
    applies: ({ remote }) => remote !== undefined,
    versionFrom: { program: 'codex' },
    update: 'npm install --global @openai/codex@latest',
    source: 'https://github.com/openai/codex/pull/4317, https://github.com/openai/codex/issues/4496',
  },
  {
    client: 'cline',
    since: '4.0.0',
    what: 'the settings file in ~/.cline',
    applies: ({ config }) => /[\\/]\.cline[\\/]data[\\/]/.test(config.file),
    versionFrom: { extension: 'saoudrizwan.claude-dev' },
    update: 'Update the extension Cline in VS Code.',
    source: 'the extension reads the former path only once, to move it, from version 4 on',
  },
];
