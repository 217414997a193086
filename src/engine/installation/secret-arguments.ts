import { AgentToolsError } from '../base/errors.js';
import { looksSecret } from '../base/looks-secret.js';
import type { Launch, RemoteLaunch } from '../clients/client.js';
import type { Scope } from './entry-target.js';

/**
 * Clients take references to secrets in variables and headers only, so an argument cannot hold one.
 * @throws AgentToolsError if others may read the file
 */
export function refuseSecretArguments(names: readonly string[], { kind }: Scope): void {
  if (kind === 'user' || names.length === 0) return;
  const [what, them] = names.length === 1 ? ['a secret', 'it'] : ['secrets', 'them'];
  const message = `${names.join(', ')}: ${what} in the command line or the address of the server, and others may read this file. Leave out --project and --config, or leave ${them} out.`;
  throw new AgentToolsError('refused', message);
}

/** Notes on arguments that look like secrets, in a file that others may read. */
export function secretArgumentNotes(launch: Launch | RemoteLaunch, { kind }: Scope): readonly string[] {
  if (kind === 'user') return [];
  const found = 'url' in launch ? (looksSecret('', launch.url) ? ['The address'] : []) : inArguments(launch);
  return found.map((what) => `${what} looks like a secret, and others may read this file.`);
}

function inArguments({ args }: Launch): readonly string[] {
  return args.flatMap((word, index) => {
    const before = args[index - 1] ?? '';
    // These words name variables.
    if (/^--(?:arg|header)-env$/.test(before)) return [];
    const [, flag, value] = /^(-{1,2}[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (flag !== undefined) return looksSecret(flag, value!) ? [`The value of ${flag}`] : [];
    const name = /^--?[\w-]+$/.test(before) ? before : '';
    if (word.startsWith('-') || !looksSecret(name, word)) return [];
    return [name === '' ? 'An argument' : `The value of ${name}`];
  });
}
