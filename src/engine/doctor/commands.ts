import { shellWord } from '../base/shell-word.js';
import { isOwnVariable } from '../base/variable-name.js';
import { isSecret } from '../extension/upstream-secrets.js';
import type { InstalledEntry } from '../installation/installed.js';
import { wordsOf } from '../installation/installed-reference.js';
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
  if (config.isLocal && !installed)
    return `claude mcp remove --scope local ${shellWord(key)}, in ${config.project}`;
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

/** The command that installs the server of an entry again, with its variables. Secrets come from the environment. */
export function againCommand(
  entry: Pick<EntryPicture, 'config' | 'key'>,
  { receipt }: InstalledEntry,
  ...options: readonly string[]
): string {
  const { client } = entry.config;
  const { env = {} } = client.launchOf(receipt.entry) ?? {};
  const variables = Object.entries(env)
    .filter(([name]) => !isOwnVariable(name))
    .flatMap(([name, value]) => ['--env', isSecret(name, value) ? name : `${name}=${value}`]);
  const words = receipt.kind === 'command' ? wordsOf(receipt) : undefined;
  const all = ['--name', entry.key, ...variables, ...options];
  const reference = receipt.existing ? receipt.server : receipt.argument;
  return words
    ? commandLine('install', ...placeWords(entry), ...all, '--', ...words)
    : commandLine('install', ...placeWords(entry, reference), ...all);
}

function placeWords(
  { config }: Pick<EntryPicture, 'config' | 'key'>,
  ...words: readonly string[]
): readonly string[] {
  const { client, scope, file, project } = config;
  if (scope === 'config') return [...words, '--config', file, '--client', client.id];
  return [client.id, ...words, ...(scope === 'project' ? [`--project=${project}`] : [])];
}
