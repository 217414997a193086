import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { rethrowAsUserError } from '../base/file-fault.js';
import { withLock } from '../base/files/lock.js';
import type { InstallMissing } from '../extension/installer.js';
import { addPackage } from './add.js';
import { PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';

/** Longest time that another process is waited for, and that packages then may take to be had, all together. */
const patienceMs = 120_000;

/** How many packages are got side by side. */
const maxParallelInstalls = 3;

/**
 * Gets packages by name, in their latest version, and makes them ones that are found everywhere. One process does so at
 * a time; what another one has got meanwhile is not got again. No script and no code of them is run. Only the user's own
 * settings say where packages come from: clients start servers in whatever folder.
 */
export function createInstaller(setting: PackagesDeps): InstallMissing {
  const { cwd: _, ...npm } = setting.npm;
  return async (names, { signal, onSettled = () => {} }) => {
    const missing = new Map<string, string>();
    const getAll = async () => {
      const late = AbortSignal.timeout(patienceMs);
      const either = signal ? AbortSignal.any([signal, late]) : late;
      const waiting = new Set(names).values();
      const getInTurn = async () => {
        for (const name of waiting) {
          const get = async () => {
            const version = await getOne(name, { ...setting, npm, signal: either });
            if (version !== undefined) onSettled({ name, version });
          };
          const reason = await reasonAgainst(get, either);
          if (reason === undefined) continue;
          missing.set(name, reason);
          onSettled({ name, reason });
        }
      };
      // A registry that takes its time does not hold up what others have.
      const turns = await Promise.allSettled(Array.from({ length: maxParallelInstalls }, getInTurn));
      for (const turn of turns) if (turn.status === 'rejected') throw turn.reason;
    };
    const lockFile = path.join(path.dirname(setting.packagesFolder), 'obtaining.lock');
    const locking = () => withLock(lockFile, getAll, { waitMs: patienceMs, signal });
    const reason = await reasonAgainst(() => rethrowAsUserError(locking), signal);
    if (reason !== undefined) return new Map(names.map((name) => [name, reason]));
    return new Map([...missing].sort(([one], [other]) => names.indexOf(one) - names.indexOf(other)));
  };
}

/** Gets a package, unless it is there; tells its version if it was not. */
async function getOne(name: string, setting: PackagesDeps): Promise<string | undefined> {
  if (await new PackageStore(setting.packagesFolder).find(name)) return undefined;
  setting.signal?.throwIfAborted();
  const { added } = await addPackage({ kind: 'registry', name, wanted: 'latest' }, setting);
  return added.record.version;
}

/** Tells why something cannot be had; undefined if it was. */
async function reasonAgainst(
  work: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (signal?.aborted) return 'it could not be had in time';
    if (error instanceof AgentToolsError) return error.message;
    throw error;
  }
}
