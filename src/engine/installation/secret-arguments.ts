import { AgentToolsError } from '../base/errors.js';
import type { Launch, RemoteLaunch } from '../clients/client.js';
import { findSecretEnding } from '../extension/upstream-secrets.js';
import type { Scope } from './entry-target.js';

/**
 * Clients take references to secrets in variables and headers only, so an argument cannot hold one. `names`: inputs with
 * secrets in the arguments or the URL.
 * @throws AgentToolsError if others may read the file
 */
export function refuseSecretArguments(
  launch: Launch | RemoteLaunch,
  names: readonly string[],
  { kind }: Scope,
): void {
  if (kind === 'user') return;
  const found = [...names, ...('url' in launch ? [] : inArguments(launch))];
  if (found.length === 0) return;
  const [what, them] = found.length === 1 ? ['a secret', 'it'] : ['secrets', 'them'];
  const message = `${found.join(', ')}: ${what} in the command line or the address of the server, and others may read this file. Leave out --project and --config, or leave ${them} out. If the server reads a variable instead, use --env.`;
  throw new AgentToolsError('refused', message);
}

function inArguments({ args }: Launch): readonly string[] {
  return args.flatMap((word, index) => {
    const before = args[index - 1];
    // These words name variables.
    if (/^--(?:arg|header)-env$/.test(before ?? '')) return [];
    const secret = findSecretEnding(word, before === '--arg' ? undefined : before);
    return secret ? [secret.name === '' ? 'an argument' : secret.name] : [];
  });
}
