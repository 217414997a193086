import { AgentToolsError } from '../base/errors.js';
import type { RemoteLaunch, WritableClient } from '../clients/client.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import type { EntryAddition } from '../clients/receipt.js';
import { remoteShapeOf } from '../clients/table/remote-shapes.js';
import type { Scope } from './entry-target.js';
import type { SecretPlaceholders } from './secrets.js';

export interface RemoteEntryOptions {
  readonly client: WritableClient;
  readonly scope: Scope;
  readonly key: string;
  /** Names of headers with secrets. */
  readonly secretNames: readonly string[];
}

/** An entry for a remote server, and the places of its secrets. */
export interface RemoteEntry {
  readonly entry: ConfigEntry;
  readonly hidden: SecretPlaceholders;
}

/**
 * Builds the entry for a remote server. A file that others may read gets references in place of secrets.
 * The client reaches servers with this transport.
 * @throws AgentToolsError if its file cannot hold a reference to a secret
 */
export function buildRemoteEntry(remote: RemoteLaunch, options: RemoteEntryOptions): RemoteEntry {
  const { client, scope, key, secretNames } = options;
  const shape = remoteShapeOf(client)!;
  const hiddenNames =
    scope.kind === 'user' ? [] : secretNames.filter((name) => Object.hasOwn(remote.headers, name));
  const plain = Object.entries(remote.headers).filter(([name]) => !hiddenNames.includes(name));
  const references = hiddenNames.map((name) => referenceFor(name, options));
  const filled = references.flatMap(({ header, value }) =>
    value === undefined ? [] : [[header, value] as const],
  );
  const fromEnv = references.flatMap(({ header, variable, value }) =>
    value === undefined ? [[header, variable] as const] : [],
  );
  return {
    entry: {
      ...shape.entry(remote, key),
      ...headersField(shape.headers, Object.fromEntries([...plain, ...filled])),
      ...(fromEnv.length > 0 && { [shape.headersFromEnv!]: Object.fromEntries(fromEnv) }),
    },
    hidden: {
      names: hiddenNames,
      env: {},
      fields: {},
      additions: references.flatMap(({ additions }) => additions),
      notes: references.map(({ header, hint }) => `The header ${header} is a secret. ${hint}`),
    },
  };
}

function headersField(field: string, headers: Readonly<Record<string, string>>): ConfigEntry {
  if (Object.keys(headers).length === 0) return {};
  return field === 'requestOptions' ? { requestOptions: { headers } } : { [field]: headers };
}

interface HeaderReference {
  readonly header: string;
  readonly variable: string;
  /** Value of the header in the entry; undefined: the client takes it from the variable. */
  readonly value: string | undefined;
  readonly hint: string;
  readonly additions: readonly EntryAddition[];
}

function referenceFor(header: string, { client, key }: RemoteEntryOptions): HeaderReference {
  const shape = remoteShapeOf(client)!;
  const variable = `${key}_${header}`.toUpperCase().replace(/\W/g, '_');
  if (shape.headersFromEnv !== undefined) {
    const hint = `Set ${variable} in the environment that ${client.name} starts from.`;
    return { header, variable, value: undefined, hint, additions: [] };
  }
  const reference = shape.fillsHeaders ? client.secretReference?.(variable, key, client.name) : undefined;
  if (reference?.value === undefined) {
    const message = `The header ${header} is a secret, and others may read this file. ${client.name} has no reference for it: leave out --project and --config, or leave out the header.`;
    throw new AgentToolsError('refused', message);
  }
  return {
    header,
    variable,
    value: reference.value,
    hint: reference.hint,
    additions: reference.additions ?? [],
  };
}
