import { isRecord, isString, type UnknownRecord } from '../base/value-checks.js';
import type { RemoteLaunch } from './client.js';

type Transport = RemoteLaunch['transport'];

/** Content of an entry for a remote server, in any dialect. References in texts are unchanged. */
export interface RemoteContent extends Omit<RemoteLaunch, 'transport'> {
  /** Absent: the entry names none, and the client finds it out. */
  readonly transport?: Transport;
  /** Headers with values from variables; absent: none. */
  readonly variableHeaders?: Readonly<Record<string, HeaderVariable>>;
}

/** Variable of the environment that holds the value of a header, or the part after its prefix. */
interface HeaderVariable {
  readonly variable: string;
  /** Empty, or `Bearer `. */
  readonly prefix: string;
}

/** Fields for the address, with the transport that they imply. */
const urlFields: Readonly<Record<string, Transport | undefined>> = {
  httpUrl: 'http',
  url: undefined,
  serverUrl: undefined,
  baseUrl: undefined,
  uri: undefined,
};

/** Fields of all clients that hold the address of a remote server. */
export const remoteUrlFields: readonly string[] = Object.keys(urlFields);

/** Values of `type` and `transport`. */
const transports: Readonly<Record<string, Transport>> = {
  sse: 'sse',
  http: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
};

/** Paths of the headers. */
const headerPaths: readonly (readonly string[])[] = [
  ['headers'],
  ['http_headers'],
  ['requestOptions', 'headers'],
  ['requestInit', 'headers'],
];

/** Fields with headers and the names of their variables. */
const variableFields = ['env_http_headers', 'header_env'] as const;

/** Fields with the name of a variable for the token in `Authorization`. */
const bearerFields = [
  'bearer_token_env_var',
  'bearer_token_env',
  'bearerTokenEnvVar',
  'bearerTokenEnv',
] as const;

/** Fields of all clients that define how a remote server is reached, except its transport. */
export const remoteFields: readonly string[] = [
  ...remoteUrlFields,
  ...headerPaths.flatMap(([field]) => (field === undefined ? [] : [field])),
  ...variableFields,
  ...bearerFields,
];

/** The field for the address, and its text; undefined if an entry has none. */
export function findRemoteUrl(
  entry: UnknownRecord,
): { readonly field: string; readonly url: string } | undefined {
  for (const field of remoteUrlFields) {
    const url = fieldOf(entry, field);
    if (isString(url)) return { field, url };
  }
  return undefined;
}

/**
 * Reads an entry for a remote server in the dialect of any client. Undefined if the entry has no address.
 * `implied`: further transports that fields for the address imply.
 */
export function readRemoteEntry(
  entry: UnknownRecord,
  implied: Readonly<Record<string, Transport>> = {},
): RemoteContent | undefined {
  const found = findRemoteUrl(entry);
  if (!found) return undefined;
  const { field, url } = found;
  const named = [entry.type, entry.transport].find(
    (one): one is string => isString(one) && Object.hasOwn(transports, one),
  );
  const transport = named === undefined ? (implied[field] ?? urlFields[field]) : transports[named];
  const variableHeaders = { ...namedVariables(entry), ...bearerVariable(entry) };
  return {
    url,
    ...(transport !== undefined && { transport }),
    headers: Object.fromEntries(headerPaths.flatMap((path) => textsIn(path.reduce(memberOf, entry)))),
    ...(Object.keys(variableHeaders).length > 0 && { variableHeaders }),
  };
}

function namedVariables(entry: UnknownRecord): Readonly<Record<string, HeaderVariable>> {
  const pairs = variableFields.flatMap((field) => textsIn(fieldOf(entry, field)));
  return Object.fromEntries(pairs.map(([name, variable]) => [name, { variable, prefix: '' }]));
}

function bearerVariable(entry: UnknownRecord): Readonly<Record<string, HeaderVariable>> {
  const variable = bearerFields.map((field) => fieldOf(entry, field)).find(isString);
  return variable === undefined ? {} : { Authorization: { variable, prefix: 'Bearer ' } };
}

function textsIn(held: unknown): readonly (readonly [string, string])[] {
  return Object.entries(isRecord(held) ? held : {}).flatMap(([name, value]) =>
    isString(value) ? [[name, value] as const] : [],
  );
}

function memberOf(held: unknown, field: string): unknown {
  return isRecord(held) ? fieldOf(held, field) : undefined;
}

function fieldOf(entry: UnknownRecord, field: string): unknown {
  return Object.hasOwn(entry, field) ? entry[field] : undefined;
}
