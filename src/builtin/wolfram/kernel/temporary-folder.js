import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** Folders of running work. They are also removed at process exit. */
const folders = new Set();

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** No folder for files of the kernel. */
export class NoTemporaryFolder extends Error {
  name = 'NoTemporaryFolder';
}

/** Runs work with a temporary folder and removes it afterwards. @throws {NoTemporaryFolder} */
export async function inTemporaryFolder(work) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agenttools-wolfram-')).catch((error) => {
    throw new NoTemporaryFolder(
      `No temporary folder can be made in ${os.tmpdir()} (${error.code}). Make room there, or start the server with TMPDIR set to a folder that can be written to.`,
    );
  });
  folders.add(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    folders.delete(folder);
  }
}
