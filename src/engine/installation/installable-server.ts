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

/** A server that can be installed. */
export interface InstallableServer {
  readonly spec: ServerSpec;
  /** What `start` is given: an absolute path for a server given by path, else its qualified name. */
  readonly argument: string;
  readonly byPath: boolean;
}

export interface ServerLookup extends InstallPolicy {
  readonly reference: string;
  readonly workspace: WorkspaceOptions;
  /** The folder whose own file the entry goes into, so that its packages count. */
  readonly project: string | undefined;
}

/** Whether no other machine could start a server by the name it has here. */
export function isOnlyHere({ spec, byPath }: InstallableServer): boolean {
  return byPath || spec.extension.origin === 'user';
}

/**
 * The server a command line names, with everything it refers to.
 * @throws AgentToolsError if there is none, it cannot be used, or something it refers to cannot be had.
 */
export async function findCandidate({
  reference,
  workspace: options,
  project,
  ...obtaining
}: ServerLookup): Promise<InstallableServer> {
  const byPath = isPathArgument(reference);
  // A path is one of where it was typed, and what is there refers to nothing of where it is used.
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

/** Says that a package is there, but only where a client would not look. */
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
    `${server === undefined ? name : extension.qualify(server)} is a package of this project only, where a client does not look. Add it for all of them with: agenttools add ${name}. Or name this copy by its path: "${given}". Or write it into the project's own file with --project.`,
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

/** A user is to get what the author promised. */
function requireWhole({ qualifiedName, leftOut: all, extension }: ServerSpec): void {
  // Without an app everything works, as it does in clients that show none.
  const leftOut = all.filter(({ kind }) => kind !== 'apps');
  if (leftOut.length === 0) return;
  const lines = leftOut.map(({ item, message }) => `  ${item}: ${message.trim().split('\n')[0]}`);
  const message = `${qualifiedName} is not complete:\n${lines.join('\n')}\nSee all of it with: agenttools validate ${extension.manifest.directory}`;
  throw new AgentToolsError('invalid-definition', message);
}

/** What will fail because its code cannot be loaded, in sentences. The code runs. */
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

/** The first line of what a module said that could not be loaded. */
function firstErrorLine(error: unknown): string {
  const { cause } = error as Error;
  const [line = ''] = errorMessage(cause ?? error)
    .trim()
    .split('\n');
  return line.replace(/\.$/, '') || 'it threw nothing that says why';
}
