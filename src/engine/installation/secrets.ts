import { isDeepStrictEqual } from 'node:util';
import { AgentToolsError } from '../base/errors.js';
import { looksSecret } from '../base/looks-secret.js';
import type { EntryLayout, WritableClient } from '../clients/client.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { joinFields } from '../clients/header-references.js';
import type { EntryAddition } from '../clients/receipt.js';
import type { ToolOptionValues } from '../runtime/tool-options.js';
import type { Scope } from './entry-target.js';
import { findReference, replacementNote } from './find-reference.js';
import { composeReference, findNamed, type NamedText } from './named-text.js';

/** A variable for the server. */
export interface ServerVariable {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
}

/** Variables that AgentTools sets in an entry, and the way to give their values. */
const reservedVariables: Readonly<Record<string, string>> = {
  MCP_SERVER_NAME: 'The server is the argument after the client.',
  MCP_TOOL_OPTIONS: 'Options of tools are given with --tool-option tool.option=value.',
};

/**
 * Reads `NAME=value`, and `NAME` alone: its value comes from the environment and counts as a secret.
 * @throws AgentToolsError `usage` for a malformed or reserved name; `not-found` for a variable that is not
 * set.
 */
export function readVariables(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly ServerVariable[] {
  return words.map((word) => {
    const equals = word.indexOf('=');
    const name = equals === -1 ? word : word.slice(0, equals);
    // Registry entries may declare names with hyphens and dots.
    if (!/^[A-Za-z_][\w().-]*$/.test(name)) {
      throw new AgentToolsError(
        'usage',
        `"${word}" names no variable. Expected NAME=value, or NAME alone to pass on its value.`,
      );
    }
    if (Object.hasOwn(reservedVariables, name))
      throw new AgentToolsError('usage', `${name} cannot be given by --env. ${reservedVariables[name]}`);
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

/** Variable that holds the tool options. */
export const toolOptionsVariable = 'MCP_TOOL_OPTIONS';

/**
 * Tool options that look like secrets. One variable holds all options, so it counts as a secret as a whole.
 */
export interface SecretOptions {
  /** Empty if no option looks like a secret. */
  readonly variables: readonly ServerVariable[];
  readonly notes: readonly string[];
}

/** Searches tool options for secrets. */
export function secretOptions(options: ToolOptionValues): SecretOptions {
  const found = Object.entries(options).flatMap(([tool, set]) =>
    Object.entries(set).flatMap(([option, value]) =>
      holdsSecret(option, value) ? [`${tool}.${option}`] : [],
    ),
  );
  if (found.length === 0) return { variables: [], notes: [] };
  return {
    variables: [{ name: toolOptionsVariable, value: JSON.stringify(options), isSecret: true }],
    notes: [
      `${toolOptionsVariable} holds what looks like a secret: ${found.join(', ')}. Its value is JSON of tool to option to value.`,
    ],
  };
}

function holdsSecret(name: string, value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'number') return looksSecret(name, String(value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, held]) =>
    holdsSecret(Array.isArray(value) ? name : `${name}.${key}`, held),
  );
}

/** Replacements for secrets in an entry. */
export interface SecretPlaceholders {
  /** Variables that are secrets. The entry must not contain their values. */
  readonly names: readonly string[];
  /** References in place of their values. */
  readonly env: Readonly<Record<string, string>>;
  readonly fields: ConfigEntry;
  readonly additions: readonly EntryAddition[];
  readonly notes: readonly string[];
}

export interface SecretTarget {
  readonly client: WritableClient;
  readonly scope: Scope;
  readonly key: string;
  /** Default: none. */
  readonly named?: readonly NamedText[] | undefined;
}

/**
 * Keeps secrets out of files that others may read, such as a project's file. The client's reference replaces
 * each secret. If the client has none, a note informs the user. Variables of the environment become references in any file.
 */
export function hideSecrets(
  variables: readonly ServerVariable[],
  { client, scope, key, named }: SecretTarget,
): SecretPlaceholders {
  const references = variables.flatMap((variable) => {
    const { name, isSecret } = variable;
    const text = findNamed(variable, named)?.text;
    const composed = text === undefined ? undefined : composeReference({ name, text }, { client, key });
    if (composed) return [{ name, reference: composed, isNamed: true }];
    if (scope.kind === 'user' || !isSecret) return [];
    return [{ name, reference: client.secretReference?.(name, key, client.name), isNamed: false }];
  });
  return {
    names: references.map(({ name }) => name),
    env: Object.fromEntries(
      references.flatMap(({ name, reference }) =>
        reference?.value === undefined ? [] : [[name, reference.value]],
      ),
    ),
    fields: joinFields(references.map(({ reference }) => reference?.fields ?? {})),
    additions: distinct(references.flatMap(({ reference }) => reference?.additions ?? [])),
    notes: references.map(({ name, reference, isNamed }) =>
      reference
        ? `${name} is a ${isNamed ? 'reference' : 'secret'}. ${reference.hint}`
        : `${name} is a secret and is not written into ${scopeName(scope)}. Set it in the environment that ${client.name} starts from.`,
    ),
  };
}

/** Several variables may contain the same one of the environment. */
function distinct(additions: readonly EntryAddition[]): readonly EntryAddition[] {
  return additions.filter(
    (one, index) => additions.findIndex((other) => isDeepStrictEqual(one, other)) === index,
  );
}

export interface EntryToWrite {
  readonly client: WritableClient;
  readonly layout: EntryLayout;
  readonly entry: ConfigEntry;
  readonly key: string;
}

/** Notes on values that the client will read as references in its syntax. */
export function replacedByClient(
  variables: readonly ServerVariable[],
  { client, layout, entry, key }: EntryToWrite,
): readonly string[] {
  const reference = client.secretReference?.('NAME', key, client.name).value;
  const written = entry[layout.env];
  if (typeof written !== 'object' || written === null) return [];
  return variables.flatMap(({ name, value }) => {
    // A shape may have escaped the value.
    const found = (written as ConfigEntry)[name] === value ? findReference(value, reference) : undefined;
    return found === undefined ? [] : [replacementNote(client.name, found, `the value of ${name}`)];
  });
}

function scopeName({ kind }: Scope): string {
  return kind === 'project' ? "the project's file" : 'a file that others may read';
}
