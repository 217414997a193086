import type { Launch } from '../clients/client.js';
import { toStartable } from '../clients/entry-shapes.js';
import { desktopEnvironment, type Verification, verifyServer } from '../preflight/verify-server.js';
import type { InstallDeps, InstallRequest } from './install-request.js';

/** Servers that have been started, by command, variables and working directory. */
export type VerificationCache = Map<string, Promise<Verification>>;

/** The test start of a dry run leaves no compiled code in the cache folder. */
const withoutCodeCache = { NODE_DISABLE_COMPILE_CACHE: '1' };

/**
 * Starts a server as the client would, once for all clients with the same launch. Returns a sentence
 * for each unavailable upstream.
 */
export async function verifyOnce(
  { launch, verified }: { readonly launch: Launch; readonly verified: VerificationCache },
  request: InstallRequest,
  setting: InstallDeps,
): Promise<readonly string[]> {
  if (request.verifyTimeoutMs === undefined) return [];
  const { home, env, platform } = setting.surroundings;
  const { command, args } = toStartable(launch, platform);
  const cwd = launch.cwd ?? (request.scope.kind === 'project' ? request.scope.folder : home);
  const name = JSON.stringify([command, args, launch.env, cwd]);
  const started =
    verified.get(name) ??
    verifyServer(
      {
        command,
        args,
        cwd,
        env: {
          ...desktopEnvironment(env, { platform, command }),
          ...launch.env,
          ...(request.dryRun && withoutCodeCache),
        },
      },
      { timeoutMs: request.verifyTimeoutMs, signal: setting.signal },
    );
  verified.set(name, started);
  return (await started).absences;
}
