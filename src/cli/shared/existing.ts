import { AgentToolsError, isUnknownName } from '../../engine/base/errors.js';
import { ownProgram, workspaceFolders } from '../../engine/base/folders.js';
import { visibleText } from '../../engine/base/visible-text.js';
import type { BridgeDeps } from '../../engine/bridge/existing-resolver.js';
import type { NamedReference } from '../../engine/bridge/open-existing.js';
import { type GivenOptions, readHeaders } from '../../engine/existing-servers/given-inputs.js';
import { resolveNpm } from '../../engine/existing-servers/resolve-npm.js';
import {
  commandReference,
  type NpmReference,
  readServerReference,
  type ServerReference,
  shownReference,
} from '../../engine/existing-servers/server-reference.js';
import { installationFolders } from '../../engine/installation/installation-folders.js';
import { installedReference } from '../../engine/installation/installed-reference.js';
import { readVariables } from '../../engine/installation/secrets.js';
import type { Host } from '../../host.js';
import { openHostRegistry } from './mcp-registry.js';
import { npmSetting } from './npm-deps.js';
import { hostReveal } from './secrets.js';
import { openWorkspace, workspaceOptions } from './workspace.js';

interface FindOptions {
  /** True if the command starts the server. Default: true. */
  readonly starts?: boolean;
}

/** The existing server that a command line means; undefined: a server of an extension. */
export async function findExisting(
  server: string | undefined,
  command: readonly string[] | undefined,
  host: Host,
  options: FindOptions = {},
): Promise<NamedReference | undefined> {
  if (!command && !server) return undefined;
  const reference = command ? commandReference(command) : readServerReference(server ?? '');
  if (reference.kind === 'path') return undefined;
  if (reference.kind === 'name') return await findByName(reference, host, options);
  // An installed extension wins over an entry of the MCP Registry with its name.
  if (reference.kind === 'registry' && (await isExtension(reference.name, host))) return undefined;
  return { text: shownReference(reference) ?? server ?? '', meant: reference };
}

/** An existing server that is installed, or an npm package with a scope. An extension wins over both. */
async function findByName(
  { text, npm, isBare }: Extract<ServerReference, { kind: 'name' }>,
  host: Host,
  options: FindOptions,
): Promise<NamedReference | undefined> {
  if (await isExtension(text, host)) return undefined;
  const installed = await findInstalled(text, host, options);
  if (installed) return installed;
  return npm && !isBare && (await isExistingPackage(npm, host)) ? { text, meant: npm } : undefined;
}

/** The existing server that `install` wrote into a client. @throws AgentToolsError `ambiguous` */
export async function findInstalled(
  name: string,
  host: Host,
  { starts = true }: FindOptions = {},
): Promise<NamedReference | undefined> {
  const { receipts } = installationFolders(host);
  const installed = await installedReference(name, { receipts, cwd: host.cwd, home: host.home });
  if (!installed) return undefined;
  const { reference: text, words, hasInputs } = installed;
  const meant = words ? commandReference(words) : readServerReference(text);
  if (meant.kind === 'name' || meant.kind === 'path') return undefined;
  const note =
    hasInputs && starts ? ' Inputs of its entry are not used: give them by --arg, --env and --header.' : '';
  host.stderr.write(visibleText(`${name} is the installed server ${text}.${note}\n`));
  return { text, meant };
}

/** Time limit for the lookup of a package, since the user waits for it. */
const lookupTimeLimitMs = 20_000;

/** True for a published package that is no extension. Failures of the registry are reported by the usual lookup. */
async function isExistingPackage(npm: NpmReference, host: Host): Promise<boolean> {
  const lookup = { npm: npmSetting(host), signal: AbortSignal.timeout(lookupTimeLimitMs) };
  return await resolveNpm(npm, lookup).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AgentToolsError && error.code === 'ambiguous') throw error;
      return false;
    },
  );
}

async function isExtension(name: string, host: Host): Promise<boolean> {
  return await openWorkspace(host)
    .findServer(name)
    .then(
      () => true,
      (error: unknown) => !isUnknownName(error),
    );
}

/** Inputs of an existing server. */
export interface InputOptions {
  /** `NAME=value`, or `NAME` alone. */
  readonly env: readonly string[];
  /** `name=value` of an input, or an argument. */
  readonly args: readonly string[];
  /** `Name: value` */
  readonly headers: readonly string[];
  readonly transport: 'http' | 'sse' | undefined;
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry: string | undefined;
  /** The given options that only existing servers take: `--env`. */
  readonly flags: readonly string[];
}

/** Inputs with the values of variables. @throws AgentToolsError if one is invalid */
export function givenOptions({ env, args, headers }: InputOptions, host: Host): GivenOptions {
  return { env: readVariables(env, host.env), args, headers: readHeaders(headers) };
}

interface ExistingRun extends Pick<BridgeDeps, 'signal' | 'tell' | 'report'> {
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry?: string | undefined;
  /** True to ask the MCP Registry again, also soon after another command. Default: false. */
  readonly refresh?: boolean;
  /** True if settings of npm in the working directory do not apply: the command runs there by chance. Default: false. */
  readonly ignoresProject?: boolean;
}

/** Everything that existing servers are looked up and started with. */
export function existingDeps(
  host: Host,
  { mcpRegistry, refresh, ignoresProject, ...run }: ExistingRun,
): BridgeDeps {
  const { dataFolder, cacheFolder } = workspaceFolders(host);
  const { cwd, ...npm } = npmSetting(host);
  return {
    ...run,
    npm: ignoresProject || cwd === undefined ? npm : { ...npm, cwd },
    openRegistry: async () => await openHostRegistry(mcpRegistry, host, { refresh }),
    dataFolder,
    cacheFolder,
    reveal: hostReveal(host),
    surroundings: installationFolders(host).surroundings,
    cwd: host.cwd,
    node: ownProgram().command,
    workspace: workspaceOptions(host),
  };
}
