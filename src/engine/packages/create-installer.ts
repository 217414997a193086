import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { rethrowAsUserError } from '../base/file-fault.js';
import { withLock } from '../base/files/lock.js';
import { withTimeLimit } from '../base/time-limit-signal.js';
import type { InstallMissing } from '../extension/installer.js';
import { addPackage } from './add.js';
import { PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';

/** Time limits for the lock of another process and then for all installs together, in milliseconds. */
const patienceMs = 120_000;

/** Number of parallel installs. */
const maxParallelInstalls = 3;

/**
 * Creates an installer that adds packages by name in their latest version. Only one process installs at a
 * time; packages that another process has added in the meantime are skipped. Runs no scripts and no code of
 * packages. Uses only the user's own npm settings, not the project's: clients start servers in any folder.
 */
export function createInstaller(setting: PackagesDeps): InstallMissing {
  const { cwd: _, ...npm } = setting.npm;
  return async (names, { signal, onSettled = () => {} }) => {
    const missing = new Map<string, string>();
    const getAll = async () => {
      const either = withTimeLimit(signal, patienceMs);
      const waiting = new Set(names).values();
      const getInTurn = async () => {
        for (const name of waiting) {
          const get = async () => {
            const version = await addIfMissing(name, { ...setting, npm, signal: either });
            if (version !== undefined) onSettled({ name, version });
          };
          const reason = await failureReason(get, either);
          if (reason === undefined) continue;
          missing.set(name, reason);
          onSettled({ name, reason });
        }
      };
      // A slow registry does not delay packages of other registries.
      const turns = await Promise.allSettled(Array.from({ length: maxParallelInstalls }, getInTurn));
      for (const turn of turns) if (turn.status === 'rejected') throw turn.reason;
    };
    const lockFile = path.join(path.dirname(setting.packagesFolder), 'obtaining.lock');
    const locking = () => withLock(lockFile, getAll, { waitMs: patienceMs, signal });
    const reason = await failureReason(() => rethrowAsUserError(locking), signal);
    if (reason !== undefined) return new Map(names.map((name) => [name, reason]));
    return new Map([...missing].sort(([one], [other]) => names.indexOf(one) - names.indexOf(other)));
  };
}

/** Adds a package unless it is installed. Returns the version; undefined if it was installed already. */
async function addIfMissing(name: string, setting: PackagesDeps): Promise<string | undefined> {
  if (await new PackageStore(setting.packagesFolder).find(name)) return undefined;
  setting.signal?.throwIfAborted();
  const { added } = await addPackage({ kind: 'registry', name, wanted: 'latest' }, setting);
  return added.record.version;
}

/** Returns the reason of a failure; undefined on success. */
async function failureReason(
  work: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (signal?.aborted) return 'it could not be installed in time';
    if (error instanceof AgentToolsError) return error.message;
    throw error;
  }
}
