import { hasSecretReference, isSecretName } from '../base/secret-reference.js';
import type { ExistingServer, InputValues } from '../existing-servers/existing-server.js';
import type { SecretStore } from '../secrets/secret-store.js';
import type { InstallUser } from './ask-inputs.js';

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
    const secret = await keep(secrets, value, [toName(name), toName(`${server.name}_${name}`)]);
    kept.set(id, `secret:${secret}`);
  }
  return Object.fromEntries(kept);
}

/** Stores a value under the first free name, or the first with the same value. Returns the name. */
async function keep(
  secrets: SecretStore,
  value: string,
  [first, second]: readonly [string, string],
): Promise<string> {
  for (let number = 0; ; number += 1) {
    const name = [first, second][number] ?? `${second}_${number}`;
    const held = await secrets.update(name, async (current) => current ?? value);
    if (held === value) return name;
  }
}

/** `API_KEY` for `--api-key`. */
function toName(text: string): string {
  const name = text.replace(/^-+/, '').toUpperCase().replace(/\W+/g, '_').slice(0, 100);
  return isSecretName(name) ? name : `_${name}`;
}
