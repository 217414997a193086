import { formatCount } from '../../shared/text/style.js';
import type { UsedBaseline, Validation } from './validation.js';

/** Sentences about a run, in addition to its diagnostics: suppressions, skipped packages, fixes and baselines. */
export function runNotes({
  suppressed,
  known,
  skipped,
  fixed,
  baselines,
}: Pick<Validation, 'suppressed' | 'known' | 'skipped' | 'fixed' | 'baselines'>): readonly string[] {
  const byReason = suppressed - known;
  const counts = [
    ...(byReason > 0 ? [`${byReason} suppressed with a reason`] : []),
    ...(known > 0 ? [`${known} in the baseline`] : []),
  ];
  return [
    ...fixed.map(({ file, what }) => `Fixed ${file}: ${what}.`),
    ...(counts.length > 0 ? [`Not counted: ${counts.join(', ')}.`] : []),
    ...baselines.flatMap(baselineNotes),
    ...(skipped.length > 0
      ? [`Skipped ${formatCount(skipped.length, 'package')} without an extension: ${skipped.join(', ')}.`]
      : []),
  ];
}

function baselineNotes({ file, outcome, gone }: UsedBaseline): readonly string[] {
  if (outcome === 'written') return [`Wrote the baseline ${file}. Later runs report only what is not in it.`];
  if (outcome === 'updated') return [`Updated the baseline ${file}.`];
  if (gone.length === 0) return [];
  const list = gone.map(({ package: name, code, item, path, count = 1 }) => {
    const subject = item === undefined ? path : `${item} at ${path}`;
    return `  ${name}: ${code}, ${subject}${count > 1 ? ` (${count} times)` : ''}`;
  });
  const noun = gone.length === 1 ? '1 entry' : `${gone.length} entries`;
  return [
    `${noun} of the baseline ${file} no longer ${gone.length === 1 ? 'occurs' : 'occur'}. Remove with --update-baseline:`,
    ...list,
  ];
}
