import path from 'node:path';
import { readTextFile } from '../base/files/text-file.js';
import type { ClientEnvironment, SyntaxTolerance, WritableClient } from '../clients/client.js';
import { configValueAt } from '../clients/edit/config-path.js';
import { ConfigError } from '../clients/edit/editor.js';
import { readConfigDocument } from '../clients/edit/entries.js';
import { isMap } from '../clients/edit/merge-entry.js';
import { entryLayoutIn } from '../clients/locate-config.js';
import { readRemoteEntry } from '../clients/read-remote-entry.js';
import { platformPaths } from '../clients/table/folders.js';
import { remoteShapeOf } from '../clients/table/remote-shapes.js';
import type { ConfigPicture, EntryPicture, UnsupportedSyntax } from './picture.js';

/** A place of a config file that may exist. */
export type ConfigPlace = Pick<ConfigPicture, 'client' | 'scope' | 'project' | 'file'>;

/** The files at a path with `<key>`, or the path itself. */
export function filesAt(file: string, surroundings: ClientEnvironment): readonly string[] {
  if (!file.includes('<key>')) return surroundings.exists(file) ? [file] : [];
  const { dirname, join, extname } = platformPaths(surroundings);
  const folder = dirname(file);
  return surroundings
    .namesIn(folder)
    .filter((name) => extname(name) === extname(file))
    .map((name) => join(folder, name));
}

/** Reads a config file with everything that a check needs. Undefined if it does not exist. */
export async function readConfig(place: ConfigPlace): Promise<ConfigPicture | undefined> {
  const { client } = place;
  const closed = { realFile: place.file, mode: undefined, text: null, layout: client, data: undefined };
  const nothing = { unsupported: [], duplicates: [] };
  const read = await readTextFile(place.file).catch((error: unknown) => error as Error);
  if (read instanceof Error) return { ...place, ...closed, ...nothing, fault: { message: read.message } };
  const { text, realFile, mode } = read;
  if (text === null) return undefined;
  const opened = { ...place, realFile, mode, text };
  try {
    const data = await readConfigDocument(text, client.format);
    return { ...opened, layout: entryLayoutIn(client, data), data, ...(await readSyntax(text, client)) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fault = { message: error.message, offset: error.offset };
    return { ...opened, layout: client, data: undefined, ...nothing, fault };
  }
}

/**
 * A file, and the servers of single projects in it, as Claude Code keeps them.
 * @see https://code.claude.com/docs/en/mcp, "Local scope"
 */
export function withLocalScopes(config: ConfigPicture): readonly ConfigPicture[] {
  const { client, scope, data, layout } = config;
  if (client.id !== 'claude-code' || scope !== 'user') return [config];
  const projects = configValueAt(data, ['projects']);
  const local = Object.entries(isMap(projects) ? projects : {}).flatMap(([project, settings]) => {
    const path = ['projects', project, 'mcpServers'];
    const servers = isMap(settings) ? settings.mcpServers : undefined;
    if (!isMap(servers) || Object.keys(servers).length === 0) return [];
    // The faults of the file are reported once.
    const place = { project, isLocal: true as const, unsupported: [], duplicates: [] };
    return [{ ...config, ...place, layout: { ...layout, container: { ...layout.container, path } } }];
  });
  return [config, ...local];
}

async function readSyntax(
  text: string,
  { format, tolerance }: { readonly format: WritableClient['format']; readonly tolerance: SyntaxTolerance },
): Promise<Pick<ConfigPicture, 'unsupported' | 'duplicates'>> {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const mark: readonly UnsupportedSyntax[] =
    start === 1 && !tolerance.bom
      ? [{ kind: 'bom', message: 'The file begins with a byte order mark.', offset: 0 }]
      : [];
  if (format !== 'json' && format !== 'jsonc') return { unsupported: mark, duplicates: [] };
  const { findDuplicateKeys, unsupportedSyntax } = await import('../clients/edit/json.js');
  const body = text.slice(start);
  const others = [...unsupportedSyntax(body, tolerance)].map(({ kind, offset }) => ({
    kind,
    message: kind === 'comment' ? 'There is a comment.' : 'There is a comma after the last value.',
    offset: offset + start,
  }));
  const duplicates = findDuplicateKeys(body).map(({ key, offset }) => ({ key, offset: offset + start }));
  return { unsupported: [...mark, ...others], duplicates };
}

/** The entries of a file, without knowledge of AgentTools' records. */
export function entriesIn(config: ConfigPicture): readonly EntryPicture[] {
  const { container } = config.layout;
  const holder = configValueAt(config.data, container.path);
  const found: readonly (readonly [string | number, string, unknown])[] =
    container.shape === 'list'
      ? (Array.isArray(holder) ? holder : []).map((item, index) => [index, nameOf(item, config), item])
      : Object.entries(isMap(holder) ? holder : {}).map(([key, entry]) => [key, key, entry]);
  return found.flatMap(([step, key, entry]) =>
    isMap(entry) && !isOption(config, key)
      ? [describeEntry({ config, key, path: [...container.path, step], entry })]
      : [],
  );
}

/** Entries of Goose that are part of it, and options beside the servers of a client. */
function isOption({ client, layout }: ConfigPicture, key: string): boolean {
  return layout === client && client.keys?.reserved?.includes(key) === true;
}

function nameOf(item: unknown, { file }: ConfigPicture): string {
  const name = isMap(item) ? item.name : undefined;
  return typeof name === 'string' ? name : path.parse(file).name;
}

function describeEntry(found: Pick<EntryPicture, 'config' | 'key' | 'path' | 'entry'>): EntryPicture {
  const { config, entry } = found;
  const launch = config.layout.launchOf(entry);
  const remote = launch
    ? undefined
    : (remoteShapeOf(config.client)?.remoteOf(entry) ?? readRemoteEntry(entry));
  const disabledBy =
    entry.disabled === true ? '"disabled": true' : entry.enabled === false ? '"enabled": false' : undefined;
  return {
    ...found,
    ...(launch && { launch }),
    ...(remote && { remote }),
    ...(disabledBy !== undefined && { disabledBy }),
  };
}
