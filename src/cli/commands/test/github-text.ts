import { surfaceSnapshotFile } from '../../../engine/surface/recorded-surface.js';
import { githubAnnotation } from '../../shared/text/github-annotation.js';
import { changeLine, failedCases, releaseSentences, surfaceSentence } from './failure-lines.js';
import type { RenderReport } from './renderer.js';

/** Annotations of a GitHub Actions run at the failed cases, one line each. */
export const renderGithub: RenderReport = (report, { prefix }) => {
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
  const place = { file: prefix + surfaceSnapshotFile, line: 1, column: 1, title: 'surface' };
  const sentence = surfaceSentence(report);
  if (sentence && surface.state !== 'written') {
    const message = [sentence, ...surface.changes.map(changeLine)].join('\n');
    lines.push(githubAnnotation({ ...place, level: 'error', message }));
  }
  const tells = release && 'changes' in release && release.changes.length > 0;
  if (tells) {
    const level = release.isTooSmall ? 'warning' : 'notice';
    const message = [...releaseSentences(report), ...release.changes.map(changeLine)].join('\n');
    lines.push(githubAnnotation({ ...place, level, title: 'release', message }));
  }
  return lines.join('');
};
