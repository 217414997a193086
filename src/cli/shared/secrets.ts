import process from 'node:process';
import { workspaceFolders } from '../../engine/base/folders.js';
import { createReveal, type Reveal, revealVariables } from '../../engine/secrets/reveal.js';
import { openSecretStore, type SecretStore } from '../../engine/secrets/secret-store.js';
import type { Host } from '../../host.js';
import { writeNote } from './write-note.js';

/** The secrets of the user. */
export function hostSecrets(host: Host): SecretStore {
  const { dataFolder } = workspaceFolders(host);
  return openSecretStore({ dataFolder, warn: (note) => writeNote(host, note) });
}

/** Replaces references to secrets of the user. */
export function hostReveal(host: Host): Reveal {
  return createReveal(() => hostSecrets(host));
}

/**
 * The host with the values of secrets in its variables. `inProcess`: code in this process reads them, too.
 * @throws AgentToolsError if a secret is missing
 */
export async function revealHost(
  host: Host,
  { inProcess = false }: { readonly inProcess?: boolean } = {},
): Promise<Host> {
  const env = await revealVariables(host.env, hostReveal(host));
  if (inProcess && host.env === process.env) Object.assign(process.env, env);
  return { ...host, env };
}
