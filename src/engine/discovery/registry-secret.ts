import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';

/**
 * What nobody else knows: with it, names of files tell nothing of the passwords they stand for. It is made when it is
 * first needed; where it cannot be kept, nothing that is named by it is found again.
 */
export async function readSecret(folder: string | undefined): Promise<string> {
  const made = randomBytes(32).toString('hex');
  if (folder === undefined) return made;
  const file = path.join(folder, 'secret');
  try {
    const before = await readTextFile(file);
    if (isSecret(before.text)) return before.text;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceTextFile(before, made);
    return made;
  } catch {
    // Somebody else may have made one at the same time.
    const { text } = await readTextFile(file).catch(() => ({ text: null }));
    return isSecret(text) ? text : made;
  }
}

function isSecret(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{64}$/.test(text);
}
