import type { Environment } from '../base/environment.js';
import { AgentToolsError } from '../base/errors.js';
import { fillSecretReferences, findSecretReferences } from '../base/secret-reference.js';
import type { SecretStore } from './secret-store.js';

/**
 * Replaces references to secrets in a text. Values are encoded for a URL, and checked for a header.
 * @throws AgentToolsError if a secret is missing, or does not fit
 */
export type Reveal = (text: string, place?: 'url' | 'header') => Promise<string>;

/** Returns a function that takes values from a store, which it opens on first use. */
export function createReveal(open: () => SecretStore): Reveal {
  let store: SecretStore | undefined;
  return async (text, place) => {
    const names = findSecretReferences(text);
    if (names.length === 0) return text;
    store ??= open();
    const values = new Map<string, string>();
    for (const name of names) {
      const value = await requireSecret(store, name);
      // Errors of HTTP libraries quote such a value.
      if (place === 'header' && /[\r\n]/.test(value)) throw lineBreakError(name);
      values.set(name, place === 'url' ? encodeURIComponent(value) : value);
    }
    return fillSecretReferences(text, (name) => values.get(name)!);
  };
}

async function requireSecret(store: SecretStore, name: string): Promise<string> {
  const value = await store.get(name);
  if (value !== undefined) return value;
  const message = `The secret ${name} is not set. Set it with: agenttools secret set ${name}`;
  throw new AgentToolsError('not-found', message);
}

function lineBreakError(name: string): AgentToolsError {
  const message = `The secret ${name} has a line break, which a header cannot hold. Set it again without one.`;
  return new AgentToolsError('refused', message);
}

/** Replaces references in the values of variables. @throws AgentToolsError if a secret is missing */
export async function revealVariables(variables: Environment, reveal: Reveal): Promise<Environment> {
  const pairs = Object.entries(variables).map(
    async ([name, value]) => [name, value === undefined ? undefined : await reveal(value)] as const,
  );
  return Object.fromEntries(await Promise.all(pairs));
}
