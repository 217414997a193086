import { AgentToolsError } from '../base/errors.js';
import type { RemoteLaunch, WritableClient } from '../clients/client.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { type HeaderReference, joinFields, schemeOf } from '../clients/header-references.js';
import { readRemoteEntry } from '../clients/read-remote-entry.js';
import type { RemoteShape } from '../clients/remote-shapes.js';
import { remoteShapeOf } from '../clients/table/remote-shapes.js';
import type { Scope } from './entry-target.js';
import { findReference, replacementNote } from './find-reference.js';
import { type NamedText, splitNamed } from './named-text.js';
import type { SecretPlaceholders } from './secrets.js';

export interface RemoteEntryOptions {
  readonly client: WritableClient;
  readonly scope: Scope;
  readonly key: string;
  /** Names of headers with secrets. */
  readonly secretNames: readonly string[];
  /** Default: none. */
  readonly named?: readonly NamedText[] | undefined;
}

/** An entry for a remote server, and the places of its secrets. */
export interface RemoteEntry {
  readonly entry: ConfigEntry;
  readonly hidden: SecretPlaceholders;
}

/**
 * Builds the entry for a remote server. A file that others may read gets references in place of secrets. Variables of the
 * environment become references in any file.
 * The client reaches servers with this transport.
 * @throws AgentToolsError if its file cannot hold a reference to a secret
 */
export function buildRemoteEntry(remote: RemoteLaunch, options: RemoteEntryOptions): RemoteEntry {
  const { client, scope, key, secretNames } = options;
  const shape = remoteShapeOf(client)!;
  const isHidden = (name: string): boolean =>
    shape.refusedHeaders?.test(name) === true || (scope.kind !== 'user' && secretNames.includes(name));
  const headers = Object.entries(remote.headers).map(([name, value]) => {
    const composed = namedReference({ name, value }, shape, options);
    return {
      name,
      value,
      reference: composed ?? (isHidden(name) && referenceFor({ name, value }, shape, options)),
    };
  });
  const shown = headers.flatMap(({ name, value, reference }) => (reference ? [] : [[name, value] as const]));
  const references = headers.flatMap(({ name, reference }) => (reference ? [{ name, ...reference }] : []));
  const filled = references.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const plain = shape.entry({ ...remote, headers: Object.fromEntries(shown) }, key);
  const written = readRemoteEntry(plain)?.headers ?? {};
  const replaced = shown.flatMap(([name, value]) => {
    const reference = secretReference({ name, value }, shape, options)?.value;
    // A shape may have escaped the value.
    const found = written[name] === value ? findReference(value, reference) : undefined;
    return found === undefined ? [] : [replacementNote(client.name, found, `the header ${name}`)];
  });
  return {
    entry: {
      ...shape.withReferences(plain, Object.fromEntries(filled)),
      ...joinFields(references.map(({ fields = {} }) => fields)),
    },
    hidden: {
      names: references.map(({ name }) => name),
      env: {},
      fields: {},
      additions: references.flatMap(({ additions = [] }) => additions),
      notes: [...references.map(({ name, hint }) => `The header ${name} is a secret. ${hint}`), ...replaced],
    },
  };
}

interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** @throws AgentToolsError if the client takes the header only as a text */
function referenceFor(header: SecretValue, shape: RemoteShape, options: RemoteEntryOptions): HeaderReference {
  const { name } = header;
  const { client } = options;
  const prefix = schemeOf(name, header.value);
  const reference = secretReference({ ...header, prefix }, shape, options);
  if (reference) return reference;
  if (shape.refusedHeaders?.test(name)) {
    const message = `${client.name} takes the header ${name} only as "Bearer" and a token. Choose another client, or leave out the header.`;
    throw new AgentToolsError('refused', message);
  }
  const message = `The header ${name} is a secret, and others may read this file. ${client.name} has no reference for it: leave out --project and --config, or leave out the header.`;
  throw new AgentToolsError('refused', message);
}

/** The reference to the variable in the text of a server set; undefined if the client has none that gives the same value. */
function namedReference(
  { name, value }: SecretValue,
  shape: RemoteShape,
  options: RemoteEntryOptions,
): HeaderReference | undefined {
  const { named = [] } = options;
  const found = named.find((one) => one.givenBy === 'header' && one.name === name && one.value === value);
  const parts = found && splitNamed(found.text);
  const reference = parts && secretReference({ name, value, ...parts }, shape, options);
  if (!reference || reference.value !== undefined || parts.prefix === '') return reference;
  // Fields that name a variable send its value alone, or after "Bearer".
  return /^authorization$/i.test(name) && /^bearer $/i.test(parts.prefix) ? reference : undefined;
}

function secretReference(
  { name, prefix = '', variable }: SecretValue & { readonly prefix?: string; readonly variable?: string },
  shape: RemoteShape,
  { client, key }: RemoteEntryOptions,
): HeaderReference | undefined {
  const own = `${key}_${name}`
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_');
  return shape.headerReference?.({ name, prefix, variable: variable ?? own, key, client: client.name });
}
