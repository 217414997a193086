import { stat } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import type { Launch } from '../clients/client.js';
import { toStartable } from '../clients/entry-shapes.js';
import { inNpxCache, inProjectFolder } from '../existing-servers/node-link.js';
import { type Adapt, serverKeyVariable } from '../runtime/adapt.js';
import type { ToolOptionValues } from '../runtime/tool-options.js';
import { appsVariable } from './apps-setting.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import type { InstallableServer } from './installable-server.js';

export interface LaunchRequest {
  /** Argument for `start` or `dev`. */
  readonly argument: string;
  /** True for an entry that serves changes of the files. Default: false. */
  readonly dev?: boolean;
  readonly qualifiedName: string;
  readonly by: InstallRequest['by'];
  readonly program: InstallDeps['program'];
  readonly version: string;
  readonly inProject: boolean;
  readonly frozen?: boolean;
  readonly adapt?: Adapt | undefined;
  /** Options for the sandbox. Default: none. */
  readonly sandbox?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly toolOptions: Readonly<Record<string, unknown>>;
  readonly apps: boolean | undefined;
  readonly cwd: string | undefined;
  /** Data folder that the entry must name; undefined: the default folder. */
  readonly dataFolder: string | undefined;
}

/**
 * Builds the launch for a client. Desktop clients have no shell PATH, so all paths are absolute by default.
 */
export function buildLaunch(request: LaunchRequest): Launch {
  const { argument, qualifiedName, by, program, version, inProject, cwd } = request;
  const start = [
    ...(request.dev ? ['dev', '--stdio'] : ['start']),
    ...(inProject ? ['--project'] : []),
    ...(request.frozen ? ['--frozen'] : []),
    ...adaptWords(request.adapt),
    ...sandboxWords(request.sandbox ?? [], Object.keys(request.env)),
    argument,
  ];
  const { MCP_SERVER_NAME: _, ...given } = request.env;
  const env = {
    MCP_SERVER_NAME: qualifiedName,
    ...(request.apps === false && { [appsVariable]: 'false' }),
    ...(Object.keys(request.toolOptions).length > 0 && {
      MCP_TOOL_OPTIONS: JSON.stringify(request.toolOptions),
    }),
    ...(request.dataFolder !== undefined && { AGENTTOOLS_HOME: request.dataFolder }),
    ...given,
  };
  const command = by === 'npx' ? 'npx' : program.command;
  const args = by === 'npx' ? ['-y', `agenttools@${version}`, ...start] : [...program.args, ...start];
  return { command, args, env, ...(cwd !== undefined && { cwd }) };
}

/**
 * Adds the key of the entry, if it is longer than the key that `start` assumes. Clients put the key before names of tools, so
 * shorter names have to replace them.
 */
export function withKey(launch: Launch, key: string, ownKey: string): Launch {
  if (key.length <= ownKey.length) return launch;
  return { ...launch, env: { [serverKeyVariable]: key, ...launch.env } };
}

/** The option for the adaptation. */
export function adaptWords(adapt: Adapt | undefined): readonly string[] {
  if (adapt === undefined) return [];
  return [adapt === 'on' ? '--adapt' : `--adapt=${adapt}`];
}

/** The options for the sandbox. It permits the variables that the entry sets. */
export function sandboxWords(options: readonly string[], variables: readonly string[]): readonly string[] {
  if (!options.some((option) => /^--sandbox(?:=|$)/.test(option))) return options;
  return [...options, ...variables.flatMap((name) => ['--allow-env', name])];
}

/** Builds the launch for an install. */
export function resolveLaunch(
  {
    candidate,
    toolOptions,
  }: { readonly candidate: InstallableServer; readonly toolOptions: ToolOptionValues },
  request: InstallRequest,
  setting: InstallDeps,
): Launch {
  // A launch that others share must not contain details of this machine.
  const isShared = request.scope.kind === 'project' && request.by === 'npx';
  const launch = buildLaunch({
    argument: candidate.argument,
    qualifiedName: candidate.spec.qualifiedName,
    by: request.by,
    program: setting.program,
    version: setting.version,
    inProject: request.scope.kind === 'project' && !candidate.byPath,
    dev: request.dev,
    frozen: request.frozen,
    adapt: request.adapt,
    sandbox: request.sandbox,
    env: Object.fromEntries(request.variables.map(({ name, value }) => [name, value])),
    toolOptions,
    apps: request.apps,
    cwd: resolveLaunchCwd(request, setting),
    dataFolder: isShared ? undefined : setting.dataFolder,
  });
  return isShared ? launch : toStartable(launch, setting.surroundings.platform);
}

/** @throws AgentToolsError if the working directory of the server does not exist. */
export async function requireCwd(request: InstallRequest, setting: InstallDeps): Promise<void> {
  const folder = resolveLaunchCwd(request, setting);
  if (folder === undefined) return;
  const info = await stat(folder).catch(() => undefined);
  if (info?.isDirectory()) return;
  const message = `The working directory of the server, ${folder}, is not a folder.`;
  throw new AgentToolsError('not-found', message);
}

function resolveLaunchCwd({ cwd }: InstallRequest, { workspace }: InstallDeps): string | undefined {
  return cwd === undefined ? undefined : path.resolve(workspace.cwd, cwd);
}

/** Folders that are removed when another tool cleans up, by a part of their path. */
type PassingFolder = readonly [RegExp, string];

const npxFolder: PassingFolder = [
  inNpxCache,
  "AgentTools runs from npx's cache, which npm may clear. Install it for good with: npm install --global agenttools. Then install again.",
];

const nodeFolder: PassingFolder = [
  /[\\/](?:\.nvm|nvm|\.volta|\.fnm|fnm|\.nodenv|\.asdf|mise)[\\/].*\d+\.\d+/,
  'This Node belongs to a version manager. After you remove this version, install again with another one.',
];

const projectFolder: PassingFolder = [
  inProjectFolder,
  'AgentTools runs from the node_modules of a project and goes with it. Install it for good with: npm install --global agenttools. Then install again.',
];

/**
 * Notes on a launch that may stop working by itself. A file of a project is removed together with the
 * project's packages. `linked`: the script that a link in the launch points at, which follows a new Node.
 */
export function unstablePaths(
  { command, args }: Launch,
  { inProject, linked }: Pick<LaunchRequest, 'inProject'> & { readonly linked?: string | undefined },
): readonly string[] {
  const words = [command, ...args];
  const folders = [npxFolder, nodeFolder, ...(inProject ? [] : [projectFolder])];
  return folders.flatMap((folder) => {
    const [part, note] = folder;
    const all = linked === undefined || folder === nodeFolder ? words : [...words, linked];
    return all.some((word) => part.test(word)) ? [note] : [];
  });
}
