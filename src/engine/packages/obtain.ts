import path from 'node:path';
import { AgentToolsError } from '../errors.js';
import type { Obtain } from '../extension/obtain.js';
import { asUserError } from '../file-fault.js';
import { withLock } from '../files/lock.js';
import { addPackage } from './add.js';
import type { PackagesSetting } from './setting.js';
import { Shelf } from './shelf.js';

/** Longest time that another process is waited for, and that packages then may take to be had, all together. */
const patienceMs = 120_000;

/**
 * Gets packages by name, in their latest version, and makes them ones that are found everywhere. One process does so at
 * a time; what another one has got meanwhile is not got again. No script and no code of them is run. Only the user's own
 * settings say where packages come from: clients start servers in whatever folder.
 */
export function obtainWith(setting: PackagesSetting): Obtain {
  const { cwd: _, ...npm } = setting.npm;
  return async (names, { signal }) => {
    const missing = new Map<string, string>();
    const getAll = async () => {
      const late = AbortSignal.timeout(patienceMs);
      const either = signal ? AbortSignal.any([signal, late]) : late;
      for (const name of new Set(names)) {
        const reason = await reasonAgainst(() => getOne(name, { ...setting, npm, signal: either }), either);
        if (reason !== undefined) missing.set(name, reason);
      }
    };
    const lockFile = path.join(path.dirname(setting.packagesFolder), 'obtaining.lock');
    const locking = () => withLock(lockFile, getAll, { waitMs: patienceMs, signal });
    const reason = await reasonAgainst(() => asUserError(locking), signal);
    return reason === undefined ? missing : new Map(names.map((name) => [name, reason]));
  };
}

/** Gets a package, unless it is there. */
async function getOne(name: string, setting: PackagesSetting): Promise<void> {
  if (await new Shelf(setting.packagesFolder).find(name)) return;
  setting.signal?.throwIfAborted();
  await addPackage({ kind: 'registry', name, wanted: 'latest' }, setting);
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
