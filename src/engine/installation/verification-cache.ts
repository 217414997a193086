import type { Launch } from '../clients/client.js';
import { toStartable } from '../clients/entry-shapes.js';
import type { ListedItem } from '../preflight/read-record.js';
import { desktopEnvironment, initializing, verifyServer } from '../preflight/verify-server.js';
import type { UpstreamRecord } from '../runtime/upstream-records.js';
import { surfaceTexts } from '../surface/model-surface.js';
import { withSurfaceFile } from '../surface/surface-file.js';
import type { KeyedSurface } from '../surface/surface-records.js';
import type { InstallDeps, InstallRequest } from './install-request.js';

/** A server that was started to check it. */
export interface CheckedStart {
  /** Unavailable upstream servers, one sentence each. */
  readonly absences: readonly string[];
  /** Undefined if AgentTools does not serve it. */
  readonly surface: KeyedSurface | undefined;
  /** Everything that it lists. */
  readonly items: Iterable<ListedItem>;
  /** Names of its items; undefined if AgentTools serves it, or it could not list all of them. */
  readonly record?: UpstreamRecord | undefined;
}

/** A server that was not started. */
export const unchecked: CheckedStart = { absences: [], surface: undefined, items: [] };

/** Servers that have been started, by command, variables and working directory. */
export type VerificationCache = Map<string, Promise<CheckedStart>>;

/** The test start of a dry run leaves no compiled code in the cache folder. */
const withoutCodeCache = { NODE_DISABLE_COMPILE_CACHE: '1' };

interface LaunchToCheck {
  readonly launch: Launch;
  /** True if the launch is `agenttools start`. */
  readonly isOurs: boolean;
  readonly verified: VerificationCache;
}

/** Starts a server as the client would, once for all clients with the same launch. */
export async function verifyOnce(
  { launch, isOurs, verified }: LaunchToCheck,
  request: InstallRequest,
  setting: InstallDeps,
): Promise<CheckedStart> {
  const { verifyTimeoutMs: timeoutMs } = request;
  if (timeoutMs === undefined) return unchecked;
  const { home, env, platform } = setting.surroundings;
  const { command, args } = toStartable(launch, platform);
  const cwd = launch.cwd ?? (request.scope.kind === 'project' ? request.scope.folder : home);
  const name = JSON.stringify([command, args, launch.env, cwd]);
  const verify = async (more: Readonly<Record<string, string>>) => {
    const variables = {
      ...desktopEnvironment(env, { platform, command }),
      ...launch.env,
      ...(request.dryRun && withoutCodeCache),
      ...more,
    };
    const child = { command, args, cwd, env: variables };
    return await verifyServer(child, { timeoutMs, signal: setting.signal });
  };
  const check = async (): Promise<CheckedStart> => {
    if (!isOurs) {
      const { absences, record, items } = await verify({});
      return { ...unchecked, absences, record, items };
    }
    const { result, surface } = await withSurfaceFile((more) =>
      verify({ ...more, ...initializing(timeoutMs / 2) }),
    );
    const items = surface ? [...surfaceTexts(surface.surface)] : result.items;
    return { absences: result.absences, surface, items };
  };
  const started = verified.get(name) ?? check();
  verified.set(name, started);
  return await started;
}
