import { shellWord } from '../base/shell-word.js';
import type { EntryPicture } from './picture.js';

/** A command line for the user. */
export function commandLine(...words: readonly string[]): string {
  return ['agenttools', ...words].map(shellWord).join(' ');
}

/** The command that repairs everything with one right answer in a client. */
export function fixCommand(client: string, ...options: readonly string[]): string {
  return commandLine('doctor', client, '--fix', ...options);
}

/** The command that removes an entry. */
export function removeCommand({ config, key, installed }: EntryPicture): string {
  return commandLine('uninstall', ...placeWords({ config, key }, key), ...(installed ? [] : ['--force']));
}

/** The command that writes a server under the key of an entry. */
export function installCommand(
  entry: Pick<EntryPicture, 'config' | 'key'>,
  server: string,
  ...options: readonly string[]
): string {
  return commandLine('install', ...placeWords(entry, server), '--name', entry.key, ...options);
}

function placeWords({ config }: Pick<EntryPicture, 'config' | 'key'>, word: string): readonly string[] {
  const { client, scope, file, project } = config;
  if (scope === 'config') return [word, '--config', file, '--client', client.id];
  return [client.id, word, ...(scope === 'project' ? [`--project=${project}`] : [])];
}
