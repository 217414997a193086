import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { errorMessage } from '../base/thrown-value.js';
import { DefinitionError } from '../extension/extension.js';
import { lazyReference } from '../extension/lazy-reference.js';
import {
  type FoundServer,
  isPathArgument,
  Workspace,
  type WorkspaceOptions,
} from '../extension/workspace.js';
import { composeServer, type ServerSpec } from '../runtime/compose-server.js';
import {
  composeWithInstall,
  findOrInstall,
  type InstallPolicy,
  requireInstalled,
} from '../runtime/install-missing.js';
import { definitionLabel, moduleReferences } from '../runtime/read-definition.js';

export interface InstallableServer {
  readonly spec: ServerSpec;
  /** Argument for `start`: an absolute path for a server given by path, else its qualified name. */
  readonly argument: string;
  readonly byPath: boolean;
}

export interface ServerLookup extends InstallPolicy {
  readonly reference: string;
  readonly workspace: WorkspaceOptions;
  /** Project folder that receives the entry, so that its packages are searched too. */
  readonly project: string | undefined;
}

/** True if no other machine can start the server by its name. */
export function isOnlyHere({ spec, byPath }: InstallableServer): boolean {
  return byPath || spec.extension.origin === 'user';
}

/**
 * Finds a server by reference, with everything that it refers to.
 * @throws AgentToolsError if there is no such server, it is invalid, or something it refers to is
 * unavailable.
 */
export async function findCandidate({
  reference,
  workspace: options,
  project,
  ...obtaining
}: ServerLookup): Promise<InstallableServer> {
  const byPath = isPathArgument(reference);
  // A path is relative to the present folder, and a server given by path refers to nothing of the project.
  const ignoreProject = byPath || project === undefined;
  const workspace = new Workspace({
    ...options,
    cwd: byPath ? options.cwd : (project ?? options.cwd),
    ignoreProject,
  });
  const find = () =>
    workspace.findServer(reference).catch(async (error: unknown) => {
      throw (!byPath && ignoreProject && (await onlyInProject(reference, options))) || error;
    });
  const found = await findOrInstall(find, obtaining);
  const { spec } = await composeWithInstall(
    () => composeFound(found, workspace),
    obtaining,
    requireInstalled,
  );
  requireWhole(spec);
  const { directory } = found.extension.manifest;
  const place = await realpath(directory);
  const argument = !byPath
    ? spec.qualifiedName
    : found.server === undefined
      ? place
      : path.join(place, found.server);
  return { spec, argument, byPath };
}

/** Returns an error if a package is available, but only in this project, where a client does not look. */
async function onlyInProject(
  reference: string,
  options: WorkspaceOptions,
): Promise<AgentToolsError | undefined> {
  const found = await new Workspace(options).findServer(reference).catch((error: unknown) => error);
  if (found instanceof AgentToolsError) return found.code === 'ambiguous' ? found : undefined;
  if (found instanceof Error) return undefined;
  const { extension, server } = found as FoundServer;
  const { name, manifest } = extension;
  const spelled = path.relative(options.cwd, manifest.directory) || '.';
  const local = `./${spelled.split(path.sep).join('/')}`.replace(/^\.\/\./, '.');
  const given = server === undefined ? local : `${local}/${server}`;
  return new AgentToolsError(
    'not-found',
    `${server === undefined ? name : extension.qualify(server)} is a package of this project only, where a client does not look. Add it for all clients with: agenttools add ${name}. Or name this copy by its path: "${given}". Or write it into the project's own file with --project.`,
  );
}

async function composeFound(found: FoundServer, workspace: Workspace): Promise<ServerSpec> {
  try {
    return await composeServer(found, workspace);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    throw new AgentToolsError('invalid-definition', `${error.message} (${error.location.file})`);
  }
}

/** Rejects a server that lacks declared items. */
function requireWhole({ qualifiedName, leftOut: all, extension }: ServerSpec): void {
  // The server works without an app, as in clients without UI.
  const leftOut = all.filter(({ kind }) => kind !== 'apps');
  if (leftOut.length === 0) return;
  const lines = leftOut.map(({ item, message }) => `  ${item}: ${message.trim().split('\n')[0]}`);
  const message = `${qualifiedName} is not complete:\n${lines.join('\n')}\nSee all of it with: agenttools validate ${extension.manifest.directory}`;
  throw new AgentToolsError('invalid-definition', message);
}

/** Reports items that will fail because their code cannot be loaded, in sentences. Runs the code. */
export async function findBrokenCode({ registry }: ServerSpec): Promise<readonly string[]> {
  const items = [...registry.all('tools'), ...registry.all('prompts'), ...registry.all('resources')];
  const notes = await Promise.all(
    items.flatMap(({ definition }) =>
      moduleReferences(definition).map(async ({ key, reference }) => {
        const load = lazyReference(definition.extension.paths, reference, 'function');
        const fault = await load().then(() => undefined, firstErrorLine);
        return fault && `${definitionLabel(definition)} will fail: its ${key} could not be loaded: ${fault}.`;
      }),
    ),
  );
  return notes.filter((note) => note !== undefined);
}

/** First line of the error of a module that could not be loaded. */
function firstErrorLine(error: unknown): string {
  const { cause } = error as Error;
  const [line = ''] = errorMessage(cause ?? error)
    .trim()
    .split('\n');
  return line.replace(/\.$/, '') || 'it threw an error without a message';
}
