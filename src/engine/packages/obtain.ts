import path from 'node:path';
import { AgentToolsError } from '../errors.js';
import type { Obtain } from '../extension/obtain.js';
import { withLock } from '../files/lock.js';
import { addPackage } from './add.js';
import type { PackagesSetting } from './setting.js';
import { Shelf } from './shelf.js';

/** Longest time that packages may take to be had, all together. */
const patienceMs = 120_000;

/**
 * Gets packages by name, in their latest version, and makes them ones that are found everywhere. One process does so at
 * a time; what another one has got meanwhile is not got again. No script and no code of them is run. Only the user's own
 * settings say where packages come from: clients start servers in whatever folder.
 */
export function obtainWith(setting: PackagesSetting): Obtain {
  const { cwd: _, ...npm } = setting.npm;
  return async (names, { signal }) => {
    const late = AbortSignal.timeout(patienceMs);
    const either = signal ? AbortSignal.any([signal, late]) : late;
    const missing = new Map<string, string>();
    const getAll = async () => {
      for (const name of new Set(names)) {
        const reason = await reasonAgainst(name, { ...setting, npm, signal: either });
        if (reason !== undefined) missing.set(name, reason);
      }
    };
    const lockFile = path.join(path.dirname(setting.packagesFolder), 'obtaining.lock');
    try {
      await withLock(lockFile, getAll, { waitMs: patienceMs });
    } catch (error) {
      for (const name of names) missing.set(name, (error as Error).message);
    }
    return missing;
  };
}

/** Gets one package, unless it is there; tells why it cannot be had. */
async function reasonAgainst(name: string, setting: PackagesSetting): Promise<string | undefined> {
  if (await new Shelf(setting.packagesFolder).find(name)) return undefined;
  try {
    setting.signal?.throwIfAborted();
    await addPackage({ kind: 'registry', name, wanted: 'latest' }, setting);
    return undefined;
  } catch (error) {
    if (setting.signal?.aborted) return 'it could not be had in time';
    if (error instanceof AgentToolsError) return error.message;
    throw error;
  }
}
