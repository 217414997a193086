import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { AgentToolsError } from '../base/errors.js';
import { guardRead } from '../base/file-fault.js';
import { statFile } from '../base/files/disk.js';
import { readBytes } from '../base/files/text-file.js';
import { archiveLimits } from './archive.js';

/** Reads a bundle file. @throws AgentToolsError if it is missing, no regular file, or too large */
export async function readBundleFile(file: string): Promise<Buffer> {
  const info = statFile(file);
  if (!info) throw new AgentToolsError('not-found', `There is no file ${file}. Give the path of a bundle.`);
  if (!info.isFile())
    throw new AgentToolsError('refused', `${file} is not a regular file. Give the path of a bundle.`);
  return await guardRead(file, async () => {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await readBytes(handle.createReadStream({ autoClose: false }), file, archiveLimits.fileBytes);
    } finally {
      await handle.close();
    }
  });
}
