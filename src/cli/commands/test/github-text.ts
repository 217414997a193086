import { surfaceSnapshotFile } from '../../../engine/surface/recorded-surface.js';
import { isGoodSurface } from '../../../engine/testing/surface-check.js';
import { githubAnnotation } from '../../shared/text/github-annotation.js';
import { changeLine, failedCases, releaseSentences, surfaceSentence, warnedCases } from './failure-lines.js';
import type { RenderRuns, TestRun } from './renderer.js';

/** Annotations of a GitHub Actions run at the failed cases, one line each. */
export const renderGithub: RenderRuns = (runs) => runs.map(annotationsOf).join('');

function annotationsOf({ report, prefix }: TestRun): string {
  const { faults, surface, release } = report;
  const lines = [
    ...faults.map(({ file, line, column, message }) =>
      githubAnnotation({ level: 'error', file: prefix + file, line, column, title: 'case file', message }),
    ),
    ...failedCases(report).map(({ title, place: { file, line, column }, lines: found }) =>
      githubAnnotation({
        level: 'error',
        file: prefix + file,
        line,
        column,
        title,
        message: found.join('\n'),
      }),
    ),
  ];
  for (const { title, place: at, code, message } of warnedCases(report))
    lines.push(
      githubAnnotation({
        ...at,
        level: 'warning',
        file: prefix + at.file,
        title,
        message: `${message} (${code})`,
      }),
    );
  const place = { file: prefix + surfaceSnapshotFile, line: 1, column: 1, title: 'surface' };
  const sentence = surfaceSentence(report);
  if (sentence && surface.state !== 'written') {
    const message = [sentence, ...surface.changes.map(changeLine)].join('\n');
    lines.push(githubAnnotation({ ...place, level: isGoodSurface(surface) ? 'notice' : 'error', message }));
  }
  const tells = release && 'changes' in release && release.changes.length > 0;
  if (tells) {
    const level = release.isTooSmall ? 'warning' : 'notice';
    const message = [...releaseSentences(report), ...release.changes.map(changeLine)].join('\n');
    lines.push(githubAnnotation({ ...place, level, title: 'release', message }));
  }
  return lines.join('');
}
