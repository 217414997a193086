import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';

/**
 * Returns the local secret for hashes in file names, so that these names reveal no passwords. Creates it on
 * first use. If it cannot be stored, no cached file is found again.
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
    // Another process may have created one at the same time.
    const { text } = await readTextFile(file).catch(() => ({ text: null }));
    return isSecret(text) ? text : made;
  }
}

function isSecret(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{64}$/.test(text);
}
