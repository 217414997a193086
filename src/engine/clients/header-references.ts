import type { WritableClient } from './client.js';
import type { ConfigEntry, ConfigValue } from './edit/editor.js';
import { isMap } from './edit/merge-entry.js';
import type { EntryAddition } from './receipt.js';

type WriteSecretReference = NonNullable<WritableClient['secretReference']>;

/** A header that must not be a text in a file. */
interface SecretHeader {
  readonly name: string;
  /** Scheme of the value that is no secret, with a space: `Bearer `. Empty: none. */
  readonly prefix: string;
  /** Variable for the value. */
  readonly variable: string;
  /** Key of the entry. */
  readonly key: string;
  /** Name of the client that users see. */
  readonly client: string;
}

/** Makes the client take the value of a header from a source outside the entry. */
export interface HeaderReference {
  /** Value of the header in the entry; absent: the entry must not contain the header. */
  readonly value?: string;
  /** Further fields of the entry. Lists and maps from several headers are joined. */
  readonly fields?: ConfigEntry;
  readonly additions?: readonly EntryAddition[];
  /** Source of the value, in sentences for the user. */
  readonly hint: string;
}

/** Undefined if the client takes the value of this header only as a text. */
export type WriteHeaderReference = (header: SecretHeader) => HeaderReference | undefined;

/** The client fills references in headers, also within a text. */
export function fillHeaders(write: WriteSecretReference): WriteHeaderReference {
  return ({ prefix, variable, key, client }) => {
    const { value, hint, ...rest } = write(variable, key, client);
    return value === undefined
      ? undefined
      : { ...rest, value: `${prefix}${value}`, hint: `${hint}${explainPrefix(prefix)}` };
  };
}

/** Fields of an entry that name variables of the client's environment. */
interface VariableFields {
  /** Field that maps headers to variables with their values. */
  readonly headers?: string;
  /** Field with the variable for the token in `Authorization`. */
  readonly bearer: string;
  /** Headers that are not accepted in `headers`. */
  readonly except?: RegExp;
}

export function nameVariables({ headers, bearer, except }: VariableFields): WriteHeaderReference {
  return ({ name, prefix, variable, client }) => {
    const hint = `Set ${variable} in the environment that ${client} starts from.`;
    if (/^authorization$/i.test(name) && /^bearer $/i.test(prefix))
      return { fields: { [bearer]: variable }, hint: `${hint}${explainPrefix(prefix)}` };
    if (headers === undefined || except?.test(name)) return undefined;
    return { fields: { [headers]: { [name]: variable } }, hint };
  };
}

/** Scheme of a header with credentials, with a space; empty if the whole value is the secret. */
export function schemeOf(name: string, value: string): string {
  if (!/authorization$/i.test(name)) return '';
  const [scheme = ''] = /^[A-Za-z][\w-]* (?=\S+$)/.exec(value) ?? [];
  return scheme;
}

function explainPrefix(prefix: string): string {
  return prefix === '' ? '' : ` The value is the part after "${prefix}".`;
}

/** Merges the fields of several references. Joins lists and maps of the same name. */
export function joinFields(all: readonly ConfigEntry[]): ConfigEntry {
  const joined = new Map<string, ConfigValue>();
  for (const [name, value] of all.flatMap((fields) => Object.entries(fields)))
    joined.set(name, joinValues(joined.get(name), value));
  return Object.fromEntries(joined);
}

function joinValues(held: ConfigValue | undefined, value: ConfigValue): ConfigValue {
  if (Array.isArray(held) && Array.isArray(value)) return [...held, ...value];
  return isMap(held) && isMap(value) ? { ...held, ...value } : value;
}
