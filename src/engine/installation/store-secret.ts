import { isSecretName } from '../base/secret-reference.js';
import type { SecretStore } from '../secrets/secret-store.js';

/**
 * Stores a value under the first free name, or the first with the same value: `API_KEY`, else `server_API_KEY`. Returns the
 * name.
 * @throws AgentToolsError if the store cannot be written
 */
export async function storeSecret(
  secrets: SecretStore,
  { name, server, value }: { readonly name: string; readonly server: string; readonly value: string },
): Promise<string> {
  const [first, second] = [toSecretName(name), toSecretName(`${server}_${name}`)];
  for (let number = 0; ; number += 1) {
    const tried = [first, second][number] ?? `${second}_${number}`;
    const held = await secrets.update(tried, async (current) => current ?? value);
    if (held === value) return tried;
  }
}

/** `API_KEY` for `--api-key`. */
export function toSecretName(text: string): string {
  const name = text.replace(/^-+/, '').toUpperCase().replace(/\W+/g, '_').slice(0, 100);
  return isSecretName(name) ? name : `_${name}`;
}
