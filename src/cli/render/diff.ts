import { createTwoFilesPatch } from 'diff';

/** A file before and after; null: there is none. */
export interface FileVersions {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * A unified diff that `patch -d / -p1` applies, as `git diff` writes it: `/dev/null` stands for no file. Empty when
 * nothing differs.
 */
export function renderDiff({ file, before, after }: FileVersions): string {
  if (before === after) return '';
  const name = file.replaceAll('\\', '/').replace(/^\//, '');
  const patch = createTwoFilesPatch(
    before === null ? '/dev/null' : `a/${name}`,
    after === null ? '/dev/null' : `b/${name}`,
    before ?? '',
    after ?? '',
    undefined,
    undefined,
    { context: 3 },
  );
  return patch.replace(/^=+\n/, '').replace(/^(---|\+\+\+ )(.*)\t$/gm, '$1$2');
}
