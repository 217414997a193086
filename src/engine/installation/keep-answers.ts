import { hasSecretReference } from '../base/secret-reference.js';
import type { ExistingServer, InputValues } from '../existing-servers/existing-server.js';
import type { SecretStore } from '../secrets/secret-store.js';
import type { InstallUser } from './ask-inputs.js';
import { storeSecret } from './store-secret.js';

interface KeepDeps {
  readonly user?: InstallUser | undefined;
  readonly secrets: SecretStore;
}

/**
 * Offers to keep secret answers in the secret store. Returns the answers with references in place of stored values.
 * @throws AgentToolsError if the store cannot be written
 */
export async function keepAnswers(
  server: Pick<ExistingServer, 'name' | 'inputs'>,
  answers: InputValues,
  { user, secrets }: KeepDeps,
): Promise<InputValues> {
  const found = server.inputs.flatMap(({ id, name, isSecret }) => {
    const value = answers[id];
    return isSecret && typeof value === 'string' && !hasSecretReference(value) ? [{ id, name, value }] : [];
  });
  if (!user || found.length === 0) return answers;
  const names = found.map(({ name }) => name).join(', ');
  const question = `Keep ${names} in the secret store, not in the config file?`;
  if (!(await user.confirm(question, { preset: true }))) return answers;
  const kept = new Map(Object.entries(answers));
  for (const { id, name, value } of found) {
    const secret = await storeSecret(secrets, { name, server: server.name, value });
    kept.set(id, `secret:${secret}`);
  }
  return Object.fromEntries(kept);
}
