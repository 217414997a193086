import type { Launch } from '../clients/client.js';
import { startable } from '../clients/shapes.js';
import { desktopEnvironment, type Verification, verifyServer } from '../server/verify.js';
import type { InstallRequest, InstallSetting } from './request.js';

/** Commands that have been started, by what they are. */
export type Verified = Map<string, Promise<Verification>>;

/** The trial start of a dry run leaves no compiled code in the cache folder. */
const withoutCodeCache = { NODE_DISABLE_COMPILE_CACHE: '1' };

/** Starts what the client would start, once for all clients that would start the same. Gives what it goes without, in sentences. */
export async function verifyOnce(
  { launch, verified }: { readonly launch: Launch; readonly verified: Verified },
  request: InstallRequest,
  setting: InstallSetting,
): Promise<readonly string[]> {
  if (request.verifyTimeoutMs === undefined) return [];
  const { home, env, platform } = setting.surroundings;
  const { command, args } = startable(launch, platform);
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
