import type { WritableClient } from '../clients/client.js';
import type { Entry } from '../clients/edit/editor.js';
import type { Addition } from '../clients/ledger.js';
import { looksSecret } from '../clients/secrets.js';
import { AgentToolsError } from '../errors.js';
import type { Scope } from './place.js';

/** A variable that the server is to get. */
export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

/**
 * Reads `NAME=value`, and `NAME` alone, whose value comes from the environment and counts as a secret.
 * @throws AgentToolsError `usage` for a malformed name; `not-found` for a variable that is not set.
 */
export function readVariables(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly Variable[] {
  return words.map((word) => {
    const equals = word.indexOf('=');
    const name = equals === -1 ? word : word.slice(0, equals);
    if (!/^[A-Za-z_][A-Za-z0-9_()]*$/.test(name)) {
      throw new AgentToolsError(
        'usage',
        `"${word}" names no variable. Expected NAME=value, or NAME alone to hand on its value.`,
      );
    }
    if (equals !== -1) {
      const value = word.slice(equals + 1);
      return { name, value, isSecret: looksSecret(name, value) };
    }
    const value = env[name];
    if (value !== undefined) return { name, value, isSecret: true };
    throw new AgentToolsError(
      'not-found',
      `The variable ${name} is not set here. Set it, or give its value: --env ${name}=value`,
    );
  });
}

/** What stands in an entry instead of secrets. */
export interface Hidden {
  readonly env: Readonly<Record<string, string>>;
  /** Variables that must not stand in the entry at all. */
  readonly left: readonly string[];
  readonly fields: Entry;
  readonly additions: readonly Addition[];
  readonly notes: readonly string[];
}

/**
 * Keeps secrets out of files that others may read, such as a project's: the client's own reference stands for each, or,
 * where it has none, the user is told.
 */
export function hideSecrets({
  client,
  scope,
  variables,
  key,
}: {
  readonly client: WritableClient;
  readonly key: string;
  readonly scope: Scope;
  readonly variables: readonly Variable[];
}): Hidden {
  const secrets = scope.kind === 'user' ? [] : variables.filter(({ isSecret }) => isSecret);
  const env: Record<string, string> = {};
  const left: string[] = [];
  const additions: Addition[] = [];
  const notes: string[] = [];
  let fields: Entry = {};
  for (const { name } of secrets) {
    const reference = client.secretReference?.(name, key);
    if (reference?.value === undefined) left.push(name);
    else env[name] = reference.value;
    additions.push(...(reference?.additions ?? []));
    fields = mergeFields(fields, reference?.fields ?? {});
    notes.push(
      reference
        ? `${name} is a secret. ${reference.hint}`
        : `${name} is a secret and is not written into ${scopeName(scope)}. Set it in the environment that ${client.name} starts from.`,
    );
  }
  return { env, left, fields, additions, notes };
}

/** Lists of one field are joined. */
function mergeFields(one: Entry, other: Entry): Entry {
  const merged = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const held = merged[name];
    merged[name] = Array.isArray(held) && Array.isArray(value) ? [...held, ...value] : value;
  }
  return merged;
}

function scopeName({ kind }: Scope): string {
  return kind === 'project' ? "the project's file" : 'a file that others may read';
}
