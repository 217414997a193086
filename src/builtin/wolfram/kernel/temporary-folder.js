import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** Those of work that has not ended. They go with the process, too. */
const folders = new Set();

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder for the time of some work. */
export async function inTemporaryFolder(work) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agenttools-wolfram-'));
  folders.add(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    folders.delete(folder);
  }
}
