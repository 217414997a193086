import { isUnknownName } from '../../../engine/base/errors.js';
import type { Preparation } from '../../../engine/serve/prepare-server.js';
import type { SandboxChoice } from '../../../engine/serve/server-sandbox.js';
import { startServer } from '../../../engine/serve/start-server.js';
import type { CheckDrift } from '../../../engine/server/drift-guard.js';
import type { Host } from '../../../host.js';
import { autoInstallOptions, publishedVersionLookup } from '../../shared/auto-install.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { isScopedPackage, mayBeExisting } from '../../shared/may-be-existing.js';
import type { StartInput } from './arguments.js';

/** Serves a server over stdio until its client disconnects. */
export async function startCommand(input: StartInput, host: Host): Promise<ExitCode> {
  return await startServer({ ...(await preparation(input, host)), host: await withSecrets(host, input) });
}

/**
 * The host with stored secrets in place of their references in variables. Code of extensions in this process reads the
 * variables of the process.
 * @throws AgentToolsError if a secret is missing
 */
export async function withSecrets(host: Host, { inProcess }: Pick<StartInput, 'inProcess'>): Promise<Host> {
  if (!Object.values(host.env).some((value) => value?.includes('secret:'))) return host;
  const { revealHost } = await import('../../shared/secrets.js');
  return await revealHost(host, { inProcess });
}

/** Transport-independent options of a server start. @throws AgentToolsError */
export async function preparation(input: StartInput, host: Host): Promise<Preparation> {
  const server = input.server ?? (host.env.MCP_SERVER_NAME || undefined);
  const sandbox = await sandboxChoice(input, host);
  const mayExist =
    mayBeExisting(server, input.command) || (await isMissingPackage({ ...input, server }, host));
  if (input.existing || mayExist) {
    // Servers of extensions start without this code.
    const [{ findExisting }, { existingPreparation }] = await Promise.all([
      import('../../shared/existing.js'),
      import('./existing-run.js'),
    ]);
    const named = await findExisting(server, input.command, host);
    if (named) return { ...existingPreparation(named, input, host, sandbox), sandbox };
    const { refuseExistingFlags } = await import('../../shared/not-existing.js');
    refuseExistingFlags(input.existing?.flags ?? [], { command: 'start', server });
  }
  return { ...extensionPreparation(input, host), sandbox };
}

/** True for a package that is not installed and may be. */
async function isMissingPackage({ server, autoInstall, frozen }: StartInput, host: Host): Promise<boolean> {
  if (server === undefined || !isScopedPackage(server) || !autoInstall || frozen) return false;
  const { openWorkspace } = await import('../../shared/workspace.js');
  const workspace = openWorkspace(host);
  return await workspace.findServer(server).then(() => false, isUnknownName);
}

/** The sandbox options with absolute paths. */
async function sandboxChoice({ sandbox }: StartInput, host: Host): Promise<SandboxChoice> {
  if (!sandbox) return { use: 'declared' };
  const { readPermissions } = await import('../../../engine/sandbox/permissions.js');
  const { use, level, allowed } = sandbox;
  return { use, level, allowed: readPermissions(allowed, { base: host.cwd, home: host.home }) };
}

function extensionPreparation(
  { autoInstall, frozen, sandbox: _, ...input }: StartInput,
  host: Host,
): Preparation {
  return {
    ...input,
    obtain: autoInstallOptions(host, { wanted: autoInstall && !frozen, tell: () => {} }),
    findVersion: publishedVersionLookup(host),
    ...(frozen && { frozen, checkDrift: createLazyDriftCheck(host) }),
  };
}

/** The drift check is rare, so its modules are loaded on first use. */
function createLazyDriftCheck(host: Host): CheckDrift {
  return async (extensions) => {
    const [{ describeDrift }, { workspaceFolders }] = await Promise.all([
      import('../../../engine/packages/drift.js'),
      import('../../../engine/base/folders.js'),
    ]);
    return await describeDrift(extensions, workspaceFolders(host));
  };
}
