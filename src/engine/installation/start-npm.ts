import { linkNode, nodeCommand } from '../existing-servers/node-link.js';
import {
  type InstalledNpmServer,
  installNpmServer,
  type NpmServerRequest,
  planNpmServer,
} from '../existing-servers/npm-servers.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import { confirmScripts } from './unrun-scripts.js';

/** The start of an npm server, and its installed package. */
interface NpmStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly installed: InstalledNpmServer;
}

/**
 * Installs the package of a server and links Node. A dry run finds out the same command and writes nothing.
 * @throws AgentToolsError if the package cannot be installed
 */
export async function startNpm(
  server: Omit<NpmServerRequest, 'allowScripts' | 'requireProvenance'>,
  {
    allowScripts,
    requireProvenance,
    dryRun,
  }: Pick<InstallRequest, 'allowScripts' | 'requireProvenance' | 'dryRun'>,
  { existing, program, surroundings, signal, tell, user }: InstallDeps,
): Promise<NpmStart> {
  const { npm, dataFolder } = existing;
  const deps = { npm, dataFolder, signal };
  const node = { dataFolder, execPath: program.command, platform: surroundings.platform };
  const label = `${server.name}@${server.version}`;
  if (dryRun) {
    tell(`Looking up ${label}`);
    const planned = await planNpmServer({ ...server, allowScripts }, deps);
    return { command: nodeCommand(node), args: [planned.file], installed: planned };
  }
  tell(`Installing ${label}`);
  const first = await installNpmServer({ ...server, allowScripts, requireProvenance }, deps);
  const confirmed = await confirmScripts(first.scripted, user);
  const installed =
    confirmed.length === 0
      ? first
      : await installNpmServer({ ...server, allowScripts: [...allowScripts, ...confirmed] }, deps);
  return { command: await linkNode(node), args: [installed.file], installed };
}
