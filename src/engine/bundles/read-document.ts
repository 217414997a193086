import path from 'node:path';
import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import { rethrowAsUserError } from '../base/file-fault.js';
import { statFile } from '../base/files/disk.js';
import { maxDocumentBytes } from '../base/files/document.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { ClientEnvironment, ConfigFormat } from '../clients/client.js';
import { guessClient } from '../clients/guess-client.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { readServerJson, type ServerRoute } from '../existing-servers/server-json.js';
import { readBundleServer } from './bundle-server.js';
import { type EntryContext, readConfigEntry } from './config-entry.js';
import { type ConfigServer, findConfigServers } from './config-servers.js';
import { download } from './download.js';
import { type LocatedDocument, parseConfig } from './locate.js';
import { type BundleDeps, resolvePath } from './read-bundle.js';

/** A file as references name it. `choice`: the server that is meant in it. */
export interface DocumentRequest {
  readonly place: string;
  readonly isRemote: boolean;
  readonly choice?: string | undefined;
}

export interface DocumentDeps extends BundleDeps {
  readonly surroundings: ClientEnvironment;
  readonly resolveCommand: EntryContext['resolveCommand'];
  /** Ways that work on this machine. */
  readonly availableRoutes: () => Promise<readonly ServerRoute[]>;
  /** The only acceptable way for a `server.json` that offers several. Default: any. */
  readonly route?: ServerRoute | undefined;
}

/** A document in a file. */
interface FoundDocument extends LocatedDocument {
  readonly place: string;
  readonly text: string;
  /** Absolute path; undefined for a URL. */
  readonly file: string | undefined;
}

const formats: Readonly<Record<string, ConfigFormat>> = { '.toml': 'toml', '.yaml': 'yaml', '.yml': 'yaml' };

/**
 * Reads a file as an existing server. Its content decides: a `server.json`, the manifest of an unpacked bundle, or a
 * config file of a client. The template of a `server.json` may be a bundle.
 * @throws AgentToolsError if the file contains no server, or several and none is chosen
 */
export async function readServerDocument(
  request: DocumentRequest,
  deps: DocumentDeps,
): Promise<ExistingServer> {
  const [server] = await readDocument(request, deps, (servers) => [
    chooseServer(servers, request.place, request.choice),
  ]);
  return server!;
}

/**
 * Reads all servers of a file; only the chosen one if the request names one.
 * @throws AgentToolsError if the file contains no server
 */
export async function readServerDocuments(
  request: DocumentRequest,
  deps: DocumentDeps,
): Promise<readonly ExistingServer[]> {
  const { place, choice } = request;
  return await readDocument(request, deps, (servers) =>
    choice === undefined && servers.length > 0 ? servers : [chooseServer(servers, place, choice)],
  );
}

async function readDocument(
  request: DocumentRequest,
  deps: DocumentDeps,
  choose: (servers: readonly ConfigServer[]) => readonly ConfigServer[],
): Promise<readonly ExistingServer[]> {
  const document = await findDocument(request, deps);
  const { data, file, locate } = document;
  const { choice, place } = request;
  const serverJson = findServerJson(data);
  if (serverJson) {
    if (choice !== undefined) throw wrongChoice(place, choice, 'a server.json, which describes one server');
    const server = readServerJson(serverJson.document, {
      source: 'server-json',
      reference: file ?? place,
      available: await deps.availableRoutes(),
      ...(deps.route !== undefined && { route: deps.route }),
      locate: (at) => locate([...serverJson.path, ...at]),
    });
    return [server];
  }
  if (file === undefined) throw new AgentToolsError('refused', `${place} is not a server.json.`);
  if (isRecord(data) && ['manifest_version', 'dxt_version'].some((key) => Object.hasOwn(data, key))) {
    if (choice !== undefined) throw wrongChoice(place, choice, 'the manifest of one bundle');
    return [await readUnpacked(document, file, deps)];
  }
  return await readConfigFile(document, { file, choice, choose }, deps);
}

async function findDocument(
  { place, isRemote }: DocumentRequest,
  deps: DocumentDeps,
): Promise<FoundDocument> {
  if (isRemote) {
    const text = (await download(place, maxDocumentBytes, deps)).toString('utf8');
    return { ...(await parseConfig(text, 'json', place)), place, text, file: undefined };
  }
  const file = resolvePath(place, deps);
  const { text } = await rethrowAsUserError(() => readTextFile(file, { maxBytes: maxDocumentBytes }));
  if (text === null)
    throw new AgentToolsError('not-found', `There is no file ${file}. Give the path of an existing file.`);
  const format = formats[path.extname(file).toLowerCase()] ?? 'jsonc';
  return { ...(await parseConfig(text, format, place)), place, text, file };
}

/** A `server.json`, alone or in the envelope of a registry. */
function findServerJson(
  data: unknown,
): { readonly document: unknown; readonly path: readonly string[] } | undefined {
  if (!isRecord(data)) return undefined;
  if (isServerJson(data)) return { document: data, path: [] };
  return isServerJson(data.server) ? { document: data.server, path: ['server'] } : undefined;
}

function isServerJson(data: unknown): boolean {
  if (!isRecord(data)) return false;
  const { $schema: schema, name, packages, remotes } = data;
  if (isString(schema) && /\/server\.schema\.json$/.test(schema)) return true;
  return isString(name) && (Array.isArray(packages) || Array.isArray(remotes));
}

/** An unpacked bundle runs from its folder. */
async function readUnpacked(
  document: FoundDocument,
  file: string,
  { machine }: DocumentDeps,
): Promise<ExistingServer> {
  const folder = path.dirname(file);
  const { server } = await readBundleServer(
    document,
    {
      label: document.place,
      reference: file,
      folderFor: () => folder,
      hasFile: (one) => statFile(path.join(folder, one))?.isFile() === true,
    },
    machine,
  );
  return server;
}

async function readConfigFile(
  { data, text, locate }: FoundDocument,
  {
    file,
    choice,
    choose,
  }: {
    readonly file: string;
    readonly choice: string | undefined;
    readonly choose: (servers: readonly ConfigServer[]) => readonly ConfigServer[];
  },
  { surroundings, resolveCommand }: DocumentDeps,
): Promise<readonly ExistingServer[]> {
  const fileName = path.basename(file).replace(/\.\w+$/, '');
  const { servers, ...readers } = findConfigServers(data, guessClient(file, text, surroundings), fileName);
  const fileFolder = path.dirname(file);
  const read = async (server: ConfigServer) =>
    await readConfigEntry(server, {
      fileFolder,
      projectFolder: projectOf(fileFolder),
      home: surroundings.home,
      platform: surroundings.platform,
      inputs: isRecord(data) ? data.inputs : undefined,
      reference: choice === undefined && servers.length === 1 ? file : `${file}#${server.name}`,
      ...readers,
      locate,
      resolveCommand,
    });
  return await Promise.all(choose(servers).map(read));
}

/** Folder of a project with a file in it, or in a folder such as `.vscode`. */
function projectOf(folder: string): string {
  return path.basename(folder).startsWith('.') ? path.dirname(folder) : folder;
}

function chooseServer(
  servers: readonly ConfigServer[],
  place: string,
  choice: string | undefined,
): ConfigServer {
  const names = servers.map(({ name }) => name);
  if (servers.length === 0) {
    const message = `${place} contains no MCP server. Expected a server.json, or the config file of an MCP client, such as: {"mcpServers": {"github": {"command": "…"}}}`;
    throw new AgentToolsError('not-found', message);
  }
  const references = names.map((name) => `${place}#${name}`).join(', ');
  if (choice === undefined) {
    const [only, second] = servers;
    if (only && !second) return only;
    throw new AgentToolsError('ambiguous', `${place} contains several servers. Choose one: ${references}`);
  }
  const [first, second] = servers.filter(({ name }) => name === choice);
  if (second) throw new AgentToolsError('ambiguous', `${place} contains two servers "${choice}".`);
  if (first) return first;
  const meant = didYouMean(choice, names);
  const hint = meant === undefined ? `It contains: ${references}` : `Did you mean ${place}#${meant}?`;
  throw new AgentToolsError('not-found', `${place} contains no server "${choice}". ${hint}`);
}

function wrongChoice(place: string, choice: string, what: string): AgentToolsError {
  const message = `${place} is ${what}, so "#${choice}" chooses nothing. Leave it out.`;
  return new AgentToolsError('usage', message);
}
