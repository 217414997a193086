import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { rethrowAsUserError } from '../base/file-fault.js';
import { statFile } from '../base/files/disk.js';
import { maxDocumentBytes } from '../base/files/document.js';
import { isInside } from '../base/files/path-containment.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isString } from '../base/value-checks.js';
import { shortenText } from '../base/visible-text.js';
import { readUserConfig } from '../bundles/bundle-inputs.js';
import { type EntryContext, readConfigEntry } from '../bundles/config-entry.js';
import { findConfigServers } from '../bundles/config-servers.js';
import { type LocatedDocument, parseConfig } from '../bundles/locate.js';
import type { ExistingServer, ServerInput } from '../existing-servers/existing-server.js';
import { type PluginFormat, pluginFormats } from './plugin-formats.js';
import { readPluginSkills } from './plugin-skills.js';
import { clientPlaces, firstHidden } from './private-files.js';
import type { WrapSource } from './wrap-source.js';

export interface PluginDeps extends Pick<EntryContext, 'home' | 'platform' | 'resolveCommand'> {
  /** Makes versions of npm packages exact. */
  readonly pin: (server: ExistingServer) => Promise<ExistingServer>;
}

/** The format of the plugin in a folder; undefined without a plugin. */
function findPluginFormat(folder: string): PluginFormat | undefined {
  return pluginFormats.find(({ manifest }) => statFile(path.join(folder, manifest))?.isFile());
}

/** Folder in an extension for the files of a plugin. */
const pluginFolder = 'plugin';

/** Reads the servers and skills of a plugin. @throws AgentToolsError if it has none, or a file is malformed */
export async function readPlugin(folder: string, deps: PluginDeps): Promise<WrapSource> {
  const format = findPluginFormat(folder);
  if (!format) {
    const names = [...new Set(pluginFormats.map(({ manifest }) => manifest))].join(', ');
    throw new AgentToolsError('not-found', `${folder} is no plugin. Expected one of: ${names}`);
  }
  const document = (await readJson(folder, format.manifest))!;
  const manifest = isRecord(document.data) ? document.data : {};
  const notes: string[] = [];
  const sources = await findServerSources({ folder, format, document, notes });
  const servers = await readServers(sources, { folder, manifest, notes }, deps);
  const { skills, notes: skillNotes } = await readPluginSkills(folder, manifest.skills);
  if (servers.length === 0 && Object.keys(skills).length === 0)
    throw new AgentToolsError(
      'not-found',
      `The ${format.name} ${folder} has neither MCP servers nor skills.`,
    );
  const text = (key: string): string | undefined => {
    const value = manifest[key];
    return isString(value) && value.trim() !== '' ? shortenText(value, 1000) : undefined;
  };
  const templates = JSON.stringify(servers.map(({ template }) => template)).replaceAll('\\\\', '/');
  const isUsed = (place: string) => templates.includes(`${folder.replaceAll('\\', '/')}${place}`);
  return {
    label: `the ${format.name} ${text('name') ?? path.basename(folder)}`,
    name: text('name') ?? path.basename(folder),
    description: text('description'),
    license: text('license'),
    servers,
    folders: isUsed('') ? { [pluginFolder]: folder } : {},
    isExcluded: excludedFiles(format, manifest, isUsed),
    skills,
    notes: [...notes, ...skillNotes, ...foreignParts(folder, format, manifest)],
  };
}

interface Plugin {
  readonly folder: string;
  readonly format: PluginFormat;
  readonly document: LocatedDocument;
  readonly notes: string[];
}

/** Documents with a map of servers: files, and the manifest itself. */
async function findServerSources({
  folder,
  format,
  document,
  notes,
}: Plugin): Promise<readonly LocatedDocument[]> {
  const files = format.manifest === '.mcp.json' ? [] : format.serverFiles;
  const found = await Promise.all(files.map(async (file) => (await readJson(folder, file)) ?? []));
  if (format.manifest === '.mcp.json') return [document];
  const named = isRecord(document.data) ? document.data.mcpServers : undefined;
  const parts = await Promise.all(
    [named ?? []].flat().map(async (part: unknown): Promise<readonly LocatedDocument[]> => {
      if (isRecord(part)) return [{ ...document, data: { mcpServers: part } }];
      if (!isString(part)) return [];
      if (/\.(?:mcpb|dxt)$/i.test(part)) {
        notes.push(
          `The bundle ${part} of the plugin was left out. Create an extension of it with: --from ${part}`,
        );
        return [];
      }
      const file = part.replace(/^\.\//, '');
      if (files.includes(file)) return [];
      const isOwn = await isInside(folder, path.join(folder, file));
      const read = isOwn ? await readJson(folder, file) : undefined;
      if (!read) notes.push(`The plugin names ${part} for its servers, which is not a file of it.`);
      return read ? [read] : [];
    }),
  );
  return [...found.flat(), ...parts.flat()];
}

async function readJson(folder: string, file: string): Promise<LocatedDocument | undefined> {
  const place = path.join(folder, file);
  if (statFile(place) && !(await isInside(folder, place)))
    throw new AgentToolsError('refused', `${place} is a link that leaves the plugin. Replace it by a copy.`);
  const { text } = await rethrowAsUserError(() => readTextFile(place, { maxBytes: maxDocumentBytes }));
  return text === null ? undefined : await parseConfig(text, 'jsonc', place);
}

async function readServers(
  sources: readonly LocatedDocument[],
  {
    folder,
    manifest,
    notes,
  }: Pick<Plugin, 'folder' | 'notes'> & { readonly manifest: Readonly<Record<string, unknown>> },
  { home, platform, resolveCommand, pin }: PluginDeps,
): Promise<readonly ExistingServer[]> {
  const read = new Map<string, ExistingServer>();
  const declared = declaredInputs(manifest, sources[0]);
  for (const { data, locate } of sources) {
    const { servers, ...readers } = findConfigServers(data, undefined, path.basename(folder));
    for (const entry of servers) {
      if (read.has(entry.name)) {
        notes.push(`The plugin has two servers "${entry.name}". The first is used.`);
        continue;
      }
      const server = await readConfigEntry(entry, {
        ...readers,
        projectFolder: folder,
        isForeign: true,
        fileFolder: folder,
        home,
        platform,
        inputs: undefined,
        reference: `${folder}#${entry.name}`,
        locate,
        resolveCommand,
      });
      read.set(entry.name, await pin(withInputs(server, declared)));
    }
  }
  return [...read.values()];
}

/** Inputs that a manifest describes: `userConfig` of Claude Code, `settings` of Gemini CLI. */
function declaredInputs(
  { userConfig, settings }: Readonly<Record<string, unknown>>,
  document: LocatedDocument | undefined,
): readonly ServerInput[] {
  const locate = document?.locate ?? (() => 'manifest');
  const configured = isRecord(userConfig)
    ? readUserConfig(userConfig, { locate, expand: (text) => text })
    : [];
  const set = (Array.isArray(settings) ? settings : []).flatMap((one: unknown): ServerInput[] => {
    if (!isRecord(one) || !isString(one.envVar)) return [];
    const { envVar: name, description, sensitive } = one;
    return [
      {
        id: `env:${name}`,
        givenBy: 'env',
        name,
        ...(isString(description) && { description }),
        isRequired: true,
        isSecret: sensitive === true,
        isRepeated: false,
        format: 'string',
      },
    ];
  });
  return [...configured, ...set];
}

/** Adds the descriptions of inputs. Settings of Gemini CLI are variables of every server. */
function withInputs(server: ExistingServer, declared: readonly ServerInput[]): ExistingServer {
  const { template } = server;
  const inputs = server.inputs.map((input) => declared.find(({ id }) => id === input.id) ?? input);
  const settings = declared.filter(
    ({ givenBy, id }) => givenBy === 'env' && !inputs.some((one) => one.id === id),
  );
  if (template.kind !== 'program' || settings.length === 0) return { ...server, inputs };
  const env = Object.fromEntries(settings.map(({ id, name }) => [name, [{ input: id }]]));
  return {
    ...server,
    inputs: [...inputs, ...settings],
    template: { ...template, env: { ...env, ...template.env } },
  };
}

/** Folders of the parts of plugins that an extension does not have. */
const otherParts = ['skills', 'commands', 'agents', 'hooks'];

/**
 * Excludes the files with servers of all formats and clients, which may contain secrets, and folders of other parts without
 * files of the servers. `isUsed`: a server names a path in the folder.
 */
function excludedFiles(
  { foreign }: PluginFormat,
  { mcpServers }: Readonly<Record<string, unknown>>,
  isUsed: (place: string) => boolean,
): WrapSource['isExcluded'] {
  const named = [mcpServers ?? []].flat().filter(isString);
  const settings = Object.values(foreign)
    .flat()
    .filter((place) => place.endsWith('.json'));
  const places = [
    ...pluginFormats.flatMap(({ manifest, serverFiles }) => [manifest, ...serverFiles]),
    ...settings,
    ...named,
  ];
  const files = new Set(places.map((place) => path.posix.normalize(place)));
  const folders = new Set([...otherParts, ...[...files].map(firstHidden)]);
  return (relative) => {
    const file = relative.split(path.sep).join('/');
    if (files.has(file)) return true;
    const isOther = folders.has(file) || clientPlaces.has(file) || clientPlaces.has(path.basename(file));
    return isOther && !isUsed(`/${file}/`);
  };
}

/** Sentences about the parts of a plugin that an extension cannot have. */
function foreignParts(
  folder: string,
  { foreign }: PluginFormat,
  manifest: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(foreign).flatMap(([key, places]) => {
    const place = places.find((one) => statFile(path.join(folder, one)) !== undefined);
    if (place === undefined && !Object.hasOwn(manifest, key)) return [];
    return [`"${key}" of the plugin was left out: an extension has no such part.`];
  });
}
