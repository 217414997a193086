import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { guardWrite } from '../base/file-fault.js';

/** Name of the mark in folders that `uninstall` keeps: a pasted entry starts their server. */
export const keptMark = 'agenttools-pasted';

/** Keeps the folder of a server that a pasted entry starts. @throws AgentToolsError */
export async function keepFolder(folder: string): Promise<void> {
  const file = path.join(folder, keptMark);
  await guardWrite(file, () => writeFile(file, ''));
}
