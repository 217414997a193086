import path from 'node:path';
import type { Host } from '../../host.js';
import { AgentToolsError } from '../base/errors.js';
import { findRealPath } from '../base/files/disk.js';
import { workspaceFolders } from '../base/folders.js';
import { toOneLine } from '../base/to-one-line.js';
import type { Location } from '../extension/diagnostics.js';
import {
  DefinitionError,
  definitionLoading,
  type Extension,
  importDefault,
  type LoadCode,
} from '../extension/extension.js';
import {
  type FoundServer,
  type MissingPackageError,
  serverName,
  Workspace,
  type WorkspaceOptions,
} from '../extension/workspace.js';
import type { ComposedServer } from '../live/live-server.js';
import type { Adapt } from '../runtime/adapt.js';
import { type ComposeOptions, composeServer, type ServerSpec } from '../runtime/compose-server.js';
import { findMissingPackages, loadingKindsOf } from '../runtime/missing-packages.js';
import { Registry } from '../runtime/registry.js';
import { listedKinds } from '../runtime/served-kind.js';
import type { SkippedItem } from '../runtime/skipped-items.js';
import { readToolListVariables } from '../runtime/tool-list-setting.js';
import type { CheckDrift } from './drift-guard.js';

/** Served when neither an argument nor `MCP_SERVER_NAME` names a server. */
const defaultServer = 'agenttools';

/** The server to resolve, and the conditions for it. */
export interface ServerRequest {
  readonly server: string | undefined;
  /** Refuse to start if an item has to be left out. */
  readonly strict: boolean;
  /** Search the project at the working directory, even for an entry that `install` wrote. Default: false. */
  readonly project?: boolean;
  /** Refuse to start if a package has changed since it was added. Default: no check. */
  readonly checkDrift?: CheckDrift;
  /** Adaptation of tools to clients. Default: the choice of the server. */
  readonly adapt?: Adapt | undefined;
  /** Takes each composition, which it may refuse by a rejection, in place of reports of its skipped items. */
  readonly judge?: ((spec: ServerSpec, loadCode: LoadCode) => Promise<void>) | undefined;
}

export interface ResolveSetting {
  readonly host: Pick<Host, 'cwd' | 'env' | 'home' | 'platform'>;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Loads code definitions. Default: into this process. */
  readonly loadCode?: LoadCode | undefined;
  /** Code of extensions runs in another process. */
  readonly isSurface?: boolean | undefined;
  readonly pinned?: WorkspaceOptions['pinned'];
  /** Called with the server before its definitions are read. */
  readonly onFound?: ((found: FoundServer) => Promise<void>) | undefined;
}

/**
 * Finds and composes a server, each time from the same folders. Reports each fault once, missing packages only with
 * `reportsMissing`. With `isFresh`, definitions are read again.
 * @throws AgentToolsError if there is no such server, or it cannot be served.
 */
export type ServerResolver = (options: {
  readonly reportsMissing: boolean;
  readonly isFresh?: boolean;
}) => Promise<ComposedServer>;

export async function createServerResolver(
  request: ServerRequest,
  { host, report, loadCode, isSurface, pinned, onFound }: ResolveSetting,
): Promise<ServerResolver> {
  const { checkDrift } = request;
  const { packagesFolder } = workspaceFolders(host);
  // Few servers are checked, so this code loads on demand.
  const freeze = checkDrift && (await import('./drift-guard.js')).createDriftGuard;
  const code = { ...(loadCode && { loadCode }), ...(isSurface && { isSurface }), pinned };
  const open = () => {
    const frozen = freeze?.(checkDrift!);
    const find = finder(request, host, (options) => {
      const all = { ...options, ...code };
      return frozen?.open(all) ?? new Workspace(all);
    });
    return { frozen, find };
  };
  // A workspace keeps the definitions that it has read.
  let opened = open();
  const told = new Set<string>();
  const { toolList, adapt } = readToolListVariables(host.env, report);
  return async ({ reportsMissing, isFresh = false }) => {
    if (isFresh) opened = open();
    const { frozen, find } = opened;
    const { found, workspace } = await find();
    await onFound?.(found);
    await frozen?.requireUnchanged(serverName(found), [found.extension]);
    const spec = await composeOrThrow(found, workspace, { toolList, adapt: request.adapt ?? adapt });
    await frozen?.requireUnchanged(spec.qualifiedName, participatingExtensions(spec));
    await request.judge?.(spec, loadCode ?? importDefault);
    for (const item of request.judge ? [] : spec.leftOut) {
      if (item.missingPackage !== undefined && !reportsMissing) continue;
      if (item.code === definitionLoading) continue;
      const line = await leftOutLine(item);
      if (told.has(line)) continue;
      told.add(line);
      report(line);
    }
    if (request.strict && spec.leftOut.length > 0) {
      throw new AgentToolsError(
        'invalid-definition',
        `${spec.qualifiedName} is not complete, and --strict was given.`,
      );
    }
    const packages = addedAmong(participatingExtensions(spec), { packagesFolder, pinned });
    return { server: spec, lacks: findMissingPackages(spec), loading: loadingKindsOf(spec), packages };
  };
}

/** Returns the extensions that a server uses, without bundled ones. */
function participatingExtensions({ extension, registry, apps, leftOut }: ServerSpec): readonly Extension[] {
  const definitions = listedKinds.flatMap((kind) => registry.all(kind).map(({ definition }) => definition));
  const pages = [...apps.values()].map(({ definition }) => definition);
  const all = new Set([extension, ...[...definitions, ...pages, ...leftOut].map((one) => one.extension)]);
  return [...all].filter(({ origin }) => origin !== 'builtin');
}

/** Returns the folders, by name, of extensions in the folder of added packages. */
function addedAmong(
  extensions: readonly Extension[],
  { packagesFolder, pinned }: Pick<WorkspaceOptions, 'packagesFolder' | 'pinned'>,
): ReadonlyMap<string, string> {
  const found = extensions.flatMap(({ name, manifest: { directory } }) => {
    const added = findRealPath(pinned?.(name) ?? path.join(packagesFolder, name));
    return added === directory ? [[name, directory] as const] : [];
  });
  return new Map(found);
}

/** An empty server in place of one with a missing package. */
export function placeholderServer(
  { packageName, server }: MissingPackageError,
  version = 'unknown',
): ComposedServer {
  return {
    server: {
      qualifiedName: server,
      info: { name: server, version },
      instructions: undefined,
      registry: new Registry({ tools: [], prompts: [], resources: [] }),
      apps: new Map(),
      skills: [],
      hasUi: false,
      initialize: undefined,
      upstreams: [],
      listHooks: {},
      exposeErrors: false,
      adapt: 'off',
      configKey: server,
      cache: undefined,
    },
    lacks: [{ packageName, kinds: [...listedKinds, 'skills'], neededBy: `the server ${server}` }],
  };
}

interface LocatedServer {
  readonly found: FoundServer;
  readonly workspace: Workspace;
}

/** Returns a function that finds the requested server, and the workspace for its references. */
function finder(
  { server, project = false }: ServerRequest,
  host: ResolveSetting['host'],
  openWorkspace: (options: WorkspaceOptions) => Workspace,
): () => Promise<LocatedServer> {
  const named = host.env.MCP_SERVER_NAME || undefined;
  const options = { ...workspaceFolders(host), cwd: host.cwd };
  const workspace = openWorkspace(options);
  const anywhere = async () => ({
    found: await workspace.findServer(server ?? named ?? defaultServer),
    workspace,
  });
  if (project || server === undefined || named === undefined) return anywhere;
  // An entry that `install` wrote names the server twice. In any folder, it means the server verified then.
  const installed = openWorkspace({ ...options, ignoreProject: true });
  return async () => {
    const finding = installed.findServer(server);
    if (server === named) return { found: await finding, workspace: installed };
    const found = await finding.catch(() => undefined);
    return found && serverName(found) === named ? { found, workspace: installed } : await anywhere();
  };
}

/** A server with an invalid definition cannot be started. @throws AgentToolsError */
async function composeOrThrow(
  found: FoundServer,
  workspace: Workspace,
  options: ComposeOptions,
): Promise<ServerSpec> {
  try {
    return await composeServer(found, workspace, options);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const place = await placeOf(found.extension.manifest.directory, error.location);
    throw new AgentToolsError('invalid-definition', `${place}: ${toOneLine(error.message)}`);
  }
}

/** Start of the line for a skipped item. */
export const skippedPrefix = 'left out: ';

/** Returns one line for a skipped item: name, location, reason. */
export async function leftOutLine({ item, extension, location, message }: SkippedItem): Promise<string> {
  const name = item.includes('/') ? item : extension.qualify(item);
  return `${skippedPrefix}${name} (${await placeOf(extension.manifest.directory, location)}): ${toOneLine(message)}`;
}

/** `file:line` of a location; the line is looked up in the file. */
async function placeOf(directory: string, { file, path, key, position }: Location): Promise<string> {
  if (position) return `${file}:${position.line}`;
  if (!path || !/\.jsonc?$/.test(file)) return file;
  const { readFile } = await import('node:fs/promises');
  const { positionsIn } = await import('../base/files/json-text.js');
  const text = await readFile(`${directory}/${file}`, 'utf8').catch(() => undefined);
  return text === undefined ? file : `${file}:${positionsIn(text)(path, { key: key ?? false }).line}`;
}
