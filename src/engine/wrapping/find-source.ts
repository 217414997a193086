import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { statFile } from '../base/files/disk.js';
import { type ExistingDeps, resolveDeps } from '../bridge/open-existing.js';
import { createDocumentReader } from '../bundles/create-file-reader.js';
import { resolvePath } from '../bundles/read-bundle.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { resolveCommand } from '../existing-servers/resolve-command.js';
import { type ExistingReference, resolveExisting } from '../existing-servers/resolve-existing.js';
import { pinNpm } from '../existing-servers/resolve-npm.js';
import { programName } from '../existing-servers/runner-words.js';
import {
  formatReference,
  type ServerReference,
  shownReference,
} from '../existing-servers/server-reference.js';
import { isAddress, publicAddress } from './literal-secrets.js';
import { clientPlaces } from './private-files.js';
import { readPlugin } from './read-plugin.js';
import type { WrapSource } from './wrap-source.js';

/** Folder in an extension for the content of a bundle. */
const bundleFolder = 'bundle';

/**
 * Finds the servers that a reference names: all servers of a file, and the skills of a plugin. Starts nothing.
 * @throws AgentToolsError if there is no server
 */
export async function findWrapSource(reference: ServerReference, deps: ExistingDeps): Promise<WrapSource> {
  const resolving = resolveDeps(deps);
  if (reference.kind === 'path') {
    const folder = resolvePath(reference.path, {
      cwd: deps.cwd,
      machine: { ...deps.surroundings, node: deps.node },
    });
    if (!statFile(folder)?.isDirectory())
      throw new AgentToolsError(
        'not-found',
        `${folder} is no folder of a plugin. Give a plugin, a file or a package.`,
      );
    return await readPlugin(folder, {
      home: deps.surroundings.home,
      platform: deps.surroundings.platform,
      pin: async (server) => await pinNpm(server, resolving),
      resolveCommand: async (words, cwd) => await resolveAnyCommand(words, cwd, deps),
    });
  }
  if (reference.kind === 'name' && (!reference.npm || reference.isBare)) {
    const { text } = reference;
    const message = `"${text}" names no existing MCP server. Expected an npm package such as npm:${text}, a file such as ./mcp.json, or the folder of a plugin such as ./${text}.`;
    throw new AgentToolsError('usage', message);
  }
  const meant: ExistingReference = reference.kind === 'name' ? reference.npm! : reference;
  const servers =
    meant.kind === 'document'
      ? await createDocumentReader(
          { ...deps, sha256: undefined },
          async (words, cwd) => await resolveAnyCommand(words, cwd, deps),
        )(meant, resolving)
      : [await resolveExisting(meant, resolving)];
  const label =
    meant.kind === 'document' ? meant.place : (formatReference(meant) ?? shownReference(meant) ?? '');
  const unpacked =
    meant.kind === 'document' && servers[0]?.source === 'bundle'
      ? resolveFolder(meant.place, deps)
      : undefined;
  return fromServers(servers, servers.length === 1 ? servers[0]!.reference : label, unpacked);
}

/** Folder of a file. */
function resolveFolder(place: string, { cwd, surroundings, node }: ExistingDeps): string {
  return path.dirname(resolvePath(place, { cwd, machine: { ...surroundings, node } }));
}

function fromServers(
  servers: readonly ExistingServer[],
  label: string,
  unpacked: string | undefined,
): WrapSource {
  const [first, second] = servers;
  const folder = first!.content?.folder ?? unpacked;
  return {
    label: shownLabel(label, servers),
    name: first!.name,
    ...(!second && { description: first!.description }),
    servers,
    folders: folder === undefined ? {} : { [bundleFolder]: folder },
    isExcluded: (file) => clientPlaces.has(path.basename(file)),
    skills: {},
    notes: [],
  };
}

/** A reference for people: no path of this machine, and no secret. */
function shownLabel(label: string, [first]: readonly ExistingServer[]): string {
  if (isAddress(label)) return publicAddress(label);
  const { source, name } = first!;
  if (source === 'bundle' && !/\.(?:mcpb|dxt)$/i.test(label)) return `the bundle ${name}`;
  return ['client-config', 'bundle', 'server-json'].includes(source) ? path.basename(label) : label;
}

/** Resolves a command. A program that is missing here may exist on the machines of the users. */
async function resolveAnyCommand(
  words: readonly [string, ...string[]],
  cwd: string,
  deps: ExistingDeps,
): Promise<ExistingServer> {
  const resolving = resolveDeps(deps);
  const resolve = async (one: Parameters<typeof resolveExisting>[0]) => await resolveExisting(one, resolving);
  try {
    return await resolveCommand(words, {
      cwd,
      env: deps.surroundings.env,
      hasOwnPaths: true,
      resolve: async (one) => await resolve(one as ExistingReference),
    });
  } catch (error) {
    const [command, ...args] = words;
    if (!(error instanceof AgentToolsError) || error.code !== 'not-found' || /[\\/]/.test(command))
      throw error;
    return {
      source: 'command',
      reference: words.join(' '),
      name: programName(command),
      inputs: [],
      template: {
        kind: 'program',
        runner: { by: 'command', command },
        args: args.map((word) => ({ words: [[word]] })),
        env: {},
      },
      notes: [`${command} is not on the PATH of this machine.`],
    };
  }
}
