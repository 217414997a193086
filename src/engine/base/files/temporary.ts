import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDead, thisProcess } from './lock-holder.js';

/** Machine, process id and start time: they show if a temporary file is stale. */
const temporaryName = /^\.agenttools-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{12}\.tmp$/;

/**
 * Unique name in a folder, for a file or a folder. The name identifies its process, so that
 * {@link removeStaleTemporaries} can find stale ones.
 */
export function temporaryFile(folder: string): string {
  const { pid, started = '0' } = thisProcess();
  return path.join(
    folder,
    `.agenttools-${machine()}-${pid}-${started}-${randomBytes(6).toString('hex')}.tmp`,
  );
}

/** Removes the temporary files and folders that dead processes left in a folder. Best effort. */
export async function removeStaleTemporaries(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, where, pid, started] = temporaryName.exec(name) ?? [];
    if (where !== machine()) continue;
    const { host, namespace } = thisProcess();
    const holder = {
      host,
      pid: Number(pid),
      ...(namespace && { namespace }),
      ...(started !== '0' && { started: started! }),
    };
    if (!isDead(holder)) continue;
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function machine(): string {
  const { host, namespace = '' } = thisProcess();
  return createHash('sha256').update(`${host}\n${namespace}`).digest('hex').slice(0, 8);
}
