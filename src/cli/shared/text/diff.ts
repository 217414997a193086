import { sep } from 'node:path';
import { createTwoFilesPatch } from 'diff';

/** A file before and after a change; null if it does not exist. */
export interface FileVersions {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** One of several changes, with a label for messages. */
export interface DescribedFileChange extends FileVersions {
  readonly what: string;
}

/**
 * A unified diff that `patch -d / -p1` applies, in the format of `git diff`: `/dev/null` for a missing file.
 * Empty if nothing differs.
 */
export function renderDiff({ file, before, after }: FileVersions): string {
  if (before === after) return '';
  const name = file.split(sep).join('/').replace(/^\//, '');
  const patch = createTwoFilesPatch(
    before === null ? '/dev/null' : `a/${name}`,
    after === null ? '/dev/null' : `b/${name}`,
    before ?? '',
    after ?? '',
    undefined,
    undefined,
    { context: 3 },
  );
  const [, oldName = '', newName = '', ...hunks] = patch.split('\n');
  return [endedByTab(oldName), endedByTab(newName), ...hunks].join('\n');
}

/** Without a tab at the end, `patch` reads only the first word of a name. */
function endedByTab(line: string): string {
  const [mark, ...words] = line.trimEnd().split(' ');
  return `${mark} ${words.join(' ')}${words.length > 1 ? '\t' : ''}`;
}

/**
 * Joins the diffs of several changes. A dry run plans each change on the current file, so of two changes to
 * one file only the first would apply; later ones are omitted.
 */
export function renderDiffs(changes: readonly DescribedFileChange[]): string {
  return firstOfEach(changes).map(renderDiff).join('');
}

/** One sentence per file about the changes that `renderDiffs` omits. */
export function leftOutOfDiffs(changes: readonly DescribedFileChange[]): readonly string[] {
  return firstOfEach(changes).flatMap(({ file, what }) => {
    const later = fileChanges(file, changes).slice(1);
    if (later.length === 0) return [];
    const others = later.map((one) => one.what).join(', ');
    return [
      `${file} would be written more than once; the diff shows ${what} alone, and leaves out ${others}.`,
    ];
  });
}

function firstOfEach(changes: readonly DescribedFileChange[]): readonly DescribedFileChange[] {
  const files = new Set(changes.filter(isChange).map(({ file }) => file));
  return [...files].flatMap((file) => fileChanges(file, changes).slice(0, 1));
}

function fileChanges(file: string, changes: readonly DescribedFileChange[]): readonly DescribedFileChange[] {
  return changes.filter((one) => one.file === file && isChange(one));
}

function isChange({ before, after }: FileVersions): boolean {
  return before !== after;
}
