import type { RemoteLaunch } from './client.js';
import type { ConfigEntry } from './edit/editor.js';
import { isMap } from './edit/merge-entry.js';
import type { TextEscaping } from './entry-shapes.js';
import type { WriteHeaderReference } from './header-references.js';
import { type RemoteContent, readRemoteEntry } from './read-remote-entry.js';

type Transport = RemoteLaunch['transport'];

/** Form in which a client writes a remote server. */
export interface RemoteShape {
  readonly transports: readonly Transport[];
  readonly entry: (remote: RemoteLaunch, key: string) => ConfigEntry;
  /** Adds references as headers, without escapes. */
  readonly withReferences: (entry: ConfigEntry, references: RemoteLaunch['headers']) => ConfigEntry;
  /**
   * Returns the server of an entry: the inverse of `entry`. Reads the dialects of other clients, too. Undefined if
   * the entry has no address.
   */
  readonly remoteOf: (entry: ConfigEntry) => RemoteContent | undefined;
  /** Makes the client take the value of a header from elsewhere; absent: headers can only be texts. */
  readonly headerReference?: WriteHeaderReference;
  /** Headers that the client does not accept as texts. */
  readonly refusedHeaders?: RegExp;
}

/** Parts of an entry in which clients differ. */
export interface RemoteForm {
  /** Default: both. */
  readonly transports?: readonly Transport[];
  /** Field for the address, or a field for each transport. Default: `url` */
  readonly url?: string | Readonly<Record<Transport, string>>;
  /**
   * Field for the transport, and its values; without a value, a transport is named by the absence of the field.
   * Absent: the client finds out the transport.
   */
  readonly named?: { readonly field: 'type' | 'transport' } & Readonly<Partial<Record<Transport, string>>>;
  /** True if the entry holds its key as `name`. */
  readonly keyed?: boolean;
  /** Fields before and after the address. */
  readonly before?: ConfigEntry;
  readonly after?: ConfigEntry;
  /** Path of the headers. Default: `headers` */
  readonly headers?: readonly [string] | readonly [string, string];
  /** Escapes of addresses and headers, which the client would otherwise interpret. */
  readonly escapes?: { readonly url?: TextEscaping; readonly header: TextEscaping };
  readonly headerReference?: WriteHeaderReference;
  readonly refusedHeaders?: RegExp;
}

/** Builds the shape of a client's remote entries. */
export function remoteShape(form: RemoteForm): RemoteShape {
  const { transports = ['http', 'sse'], url: urlField = 'url', named, keyed = false, escapes } = form;
  const {
    before = {},
    after = {},
    headers: headerPath = ['headers'],
    headerReference,
    refusedHeaders,
  } = form;
  const fieldOf = (transport: Transport) => (typeof urlField === 'string' ? urlField : urlField[transport]);
  const implied = impliedTransports(form);
  return {
    transports,
    entry: ({ url, transport, headers }, key) => ({
      ...before,
      ...(keyed && { name: key }),
      ...(named?.[transport] !== undefined && { [named.field]: named[transport] }),
      [fieldOf(transport)]: escapes?.url?.write(url) ?? url,
      ...after,
      ...headerFields(headerPath, mapValues(headers, escapes?.header.write)),
    }),
    withReferences: (entry, references) => ({
      ...entry,
      ...headerFields(headerPath, { ...heldHeaders(entry, headerPath), ...references }),
    }),
    remoteOf: (entry) => {
      const read = readRemoteEntry(entry, implied);
      return (
        read && {
          ...read,
          url: escapes?.url?.read(read.url) ?? read.url,
          headers: mapValues(read.headers, escapes?.header.read),
        }
      );
    },
    ...(headerReference && { headerReference }),
    ...(refusedHeaders && { refusedHeaders }),
  };
}

/** Transports by the field for the address, of entries that do not name one. */
function impliedTransports({ url = 'url', named }: RemoteForm): Readonly<Record<string, Transport>> {
  if (typeof url !== 'string') return { [url.sse]: 'sse', [url.http]: 'http' };
  const unnamed = named && (['http', 'sse'] as const).find((transport) => named[transport] === undefined);
  return unnamed ? { [url]: unnamed } : {};
}

type HeaderPath = NonNullable<RemoteForm['headers']>;

function headerFields([field, nested]: HeaderPath, headers: RemoteLaunch['headers']): ConfigEntry {
  if (Object.keys(headers).length === 0) return {};
  return { [field]: nested === undefined ? headers : { [nested]: headers } };
}

function heldHeaders(entry: ConfigEntry, [field, nested]: HeaderPath): RemoteLaunch['headers'] {
  const held = entry[field];
  const headers = nested === undefined ? held : isMap(held) ? held[nested] : undefined;
  return isMap(headers) ? (headers as RemoteLaunch['headers']) : {};
}

function mapValues(
  headers: RemoteLaunch['headers'],
  change: ((text: string) => string) | undefined,
): RemoteLaunch['headers'] {
  if (!change) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
}
