import type { WritableClient } from '../clients/client.js';
import type { ConfigValue, Entry } from '../clients/edit/editor.js';
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
  /** The variables that are secrets, none of which may stand there as it is. */
  readonly names: readonly string[];
  /** What the client is to take for them. */
  readonly env: Readonly<Record<string, string>>;
  readonly fields: Entry;
  readonly additions: readonly Addition[];
  readonly notes: readonly string[];
}

export interface HidingPlace {
  readonly client: WritableClient;
  readonly scope: Scope;
  readonly key: string;
}

/**
 * Keeps secrets out of files that others may read, such as a project's: the client's own reference stands for each, or,
 * where it has none, the user is told.
 */
export function hideSecrets(variables: readonly Variable[], { client, scope, key }: HidingPlace): Hidden {
  const secrets = scope.kind === 'user' ? [] : variables.filter(({ isSecret }) => isSecret);
  const names = secrets.map(({ name }) => name);
  const references = names.map((name) => ({ name, reference: client.secretReference?.(name, key) }));
  return {
    names,
    env: Object.fromEntries(
      references.flatMap(({ name, reference }) =>
        reference?.value === undefined ? [] : [[name, reference.value]],
      ),
    ),
    fields: joinFields(references.map(({ reference }) => reference?.fields ?? {})),
    additions: references.flatMap(({ reference }) => reference?.additions ?? []),
    notes: references.map(({ name, reference }) =>
      reference
        ? `${name} is a secret. ${reference.hint}`
        : `${name} is a secret and is not written into ${scopeName(scope)}. Set it in the environment that ${client.name} starts from.`,
    ),
  };
}

/** One entry's fields of several; lists of one name are joined. */
function joinFields(all: readonly Entry[]): Entry {
  const joined = new Map<string, ConfigValue>();
  for (const [name, value] of all.flatMap((fields) => Object.entries(fields))) {
    const held = joined.get(name);
    joined.set(name, Array.isArray(held) && Array.isArray(value) ? [...held, ...value] : value);
  }
  return Object.fromEntries(joined);
}

function scopeName({ kind }: Scope): string {
  return kind === 'project' ? "the project's file" : 'a file that others may read';
}
