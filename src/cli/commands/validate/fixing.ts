import type { Fix } from '../../../engine/extension/diagnostics.js';
import { planFixes, writeFixes } from '../../../engine/fixes/fix-package.js';
import type { ExtensionReport } from '../../../engine/validate/validate.js';
import type { DescribedFileChange } from '../../shared/text/diff.js';
import type { SettledReport } from './settings.js';
import { displayPath, type MadeFix } from './validation.js';

/** `propose`: prints the changes of `write`. */
export type FixMode = 'write' | 'propose';

/** A fix can uncover the next fault, such as a key below a misspelled one. */
const maxRounds = 5;

/**
 * Changes the files of packages by the fixes of their reports, and reports again until there are no fixes.
 * @throws AgentToolsError `refused` if a file cannot be written
 */
export async function fixReports(
  reports: readonly SettledReport[],
  again: (directory: string) => Promise<SettledReport>,
  cwd: string,
): Promise<{ readonly reports: readonly SettledReport[]; readonly fixed: readonly MadeFix[] }> {
  const fixed: MadeFix[] = [];
  const after: SettledReport[] = [];
  for (const first of reports) {
    let report = first;
    for (let round = 0; round < maxRounds && first.directory !== undefined; round++) {
      const planned = await planFixes(first.directory, fixesOf(report.report));
      if (planned.length === 0) break;
      await writeFixes(planned);
      for (const { before, applied } of planned)
        fixed.push(...applied.map(({ what }) => ({ file: displayPath(cwd, before.file), what })));
      report = await again(first.directory);
    }
    after.push(report);
  }
  return { reports: after, fixed };
}

/** The changes of the first round of fixes. */
export async function proposeFixes(
  reports: readonly SettledReport[],
  cwd: string,
): Promise<readonly DescribedFileChange[]> {
  const planned = await Promise.all(
    reports.map(async ({ directory, report }) =>
      directory === undefined ? [] : await planFixes(directory, fixesOf(report)),
    ),
  );
  return planned.flat().map(({ before, after, applied }) => ({
    file: displayPath(cwd, before.file),
    before: before.text,
    after,
    what: applied.map(({ what }) => what).join(', '),
  }));
}

function fixesOf({ diagnostics, spellings = [] }: ExtensionReport): readonly Fix[] {
  return [...diagnostics.flatMap(({ fix }) => fix ?? []), ...spellings];
}
