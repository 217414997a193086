import path from 'node:path';
import { rethrowAsUserError } from '../base/file-fault.js';
import { isInside } from '../base/files/path-containment.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile, type TextFile } from '../base/files/text-file.js';
import type { Fix } from '../extension/diagnostics.js';
import { editDocument } from './edit-document.js';

/** A file of a package, with its text after fixes. */
export interface FixedFile {
  readonly before: TextFile;
  readonly after: string;
  readonly applied: readonly Fix[];
}

/** Plans the fixes of a package. Skips files outside of it. @throws AgentToolsError `refused` if a file cannot be read */
export async function planFixes(directory: string, fixes: readonly Fix[]): Promise<readonly FixedFile[]> {
  const planned: FixedFile[] = [];
  for (const name of new Set(fixes.map(({ file }) => file))) {
    const file = path.join(directory, name);
    if (!(await isInside(directory, file))) continue;
    const before = await rethrowAsUserError(() => readTextFile(file));
    if (before.text === null) continue;
    const { text, applied } = editDocument(
      before.text,
      fixes.filter((fix) => fix.file === name),
    );
    if (applied.length > 0) planned.push({ before, after: text, applied });
  }
  return planned;
}

/** Writes planned files. @throws AgentToolsError `refused` if a file cannot be written */
export async function writeFixes(files: readonly FixedFile[]): Promise<void> {
  for (const { before, after } of files) await rethrowAsUserError(() => replaceTextFile(before, after));
}
