import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { EntryContainer, EntryShape, WritableClient } from '../clients/client.js';
import { configValueAt } from '../clients/edit/config-path.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { isMap } from '../clients/edit/merge-entry.js';
import { goose, opencode, standardShape } from '../clients/entry-shapes.js';
import { entryLayoutIn } from '../clients/locate-config.js';
import { type RemoteContent, readRemoteEntry, remoteUrlFields } from '../clients/read-remote-entry.js';
import { writableClients } from '../clients/table/index.js';
import { remoteShapeOf } from '../clients/table/remote-shapes.js';

/** An entry of a config file. */
export interface ConfigServer {
  readonly name: string;
  readonly path: DocumentPath;
  readonly entry: ConfigEntry;
}

/** Readers of entries. */
export interface EntryReaders {
  /** Shapes that the entry of a program may have, the most likely first. */
  readonly shapes: readonly EntryShape[];
  readonly remoteOf: (entry: ConfigEntry) => RemoteContent | undefined;
}

/** Entries of a config file, and their readers. */
export interface ConfigServers extends EntryReaders {
  readonly servers: readonly ConfigServer[];
}

/** Shapes of all clients without their escapes. */
const usualShapes: readonly EntryShape[] = [standardShape({ cwd: 'cwd' }), opencode({ cwd: 'cwd' }), goose()];

/**
 * Finds the servers in the data of a config file: in the container of its client, in the containers of all other
 * clients, as a map of servers without container, or as one bare entry, which gets the name of the file.
 */
export function findConfigServers(
  data: unknown,
  client: WritableClient | undefined,
  fileName: string,
): ConfigServers {
  const layout = client && entryLayoutIn(client, data);
  const remoteOf = (client && remoteShapeOf(client)?.remoteOf) ?? ((entry) => readRemoteEntry(entry));
  const readers: EntryReaders = { shapes: layout ? [layout, ...usualShapes] : usualShapes, remoteOf };
  const containers = [...(layout ? [layout.container] : []), ...knownContainers()];
  for (const container of containers) {
    const servers = serversIn(data, container);
    if (servers.length > 0) return { servers, ...readers };
  }
  if (isMap(data) && isEntry(data))
    return { servers: [{ name: fileName, path: [], entry: data }], ...readers };
  return { servers: serversIn(data, { path: [], shape: 'map' }), ...readers };
}

/** Containers of all clients, the deepest first: `mcp.servers` is no server of `mcp`. */
function knownContainers(): readonly EntryContainer[] {
  const nested: EntryContainer = { path: ['mcp', 'servers'], shape: 'map' };
  const all = [nested, ...writableClients.map(({ container }) => container)];
  return all
    .filter(({ path, shape }) => path.length > 0 || shape === 'list')
    .toSorted((a, b) => b.path.length - a.path.length);
}

function serversIn(data: unknown, { path, shape }: EntryContainer): readonly ConfigServer[] {
  const held = configValueAt(data, path);
  if (shape === 'map') {
    const entries = Object.entries(isMap(held) ? held : {});
    return entries.flatMap(([name, entry]) =>
      isMap(entry) && isEntry(entry) ? [{ name, path: [...path, name], entry }] : [],
    );
  }
  return (Array.isArray(held) ? held : []).flatMap((entry: unknown, index) =>
    isMap(entry) && isEntry(entry) && isString(entry.name)
      ? [{ name: entry.name, path: [...path, index], entry }]
      : [],
  );
}

/** Fields that name the program or the address of a server. */
const reachFields = ['command', 'cmd', ...remoteUrlFields];

/** True if a value starts or reaches a server. Older Zed files have an object as `command`. */
function isEntry(value: ConfigEntry): boolean {
  return reachFields.some((field) => {
    const held = Object.hasOwn(value, field) ? value[field] : undefined;
    return isString(held) || Array.isArray(held) || (isRecord(held) && isString(held.path));
  });
}
