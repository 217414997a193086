import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isDead, thisProcess } from './lock-holder.js';

/** The machine, the process and when it started: what tells whether a temporary file was left behind. */
const temporaryName = /^\.agenttools-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{12}\.tmp$/;

/** A name in a folder that nobody else uses, for a file or a folder. It tells whose it is, so that {@link removeStaleTemporaries} knows what was left behind. */
export function temporaryFile(folder: string): string {
  const { pid, started = '0' } = thisProcess();
  return path.join(
    folder,
    `.agenttools-${machine()}-${pid}-${started}-${randomBytes(6).toString('hex')}.tmp`,
  );
}

/** Removes the temporary files and folders that dead processes left in a folder; as far as that is possible. */
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
