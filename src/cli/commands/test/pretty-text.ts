import { visibleText, visibleTexts } from '../../../engine/base/visible-text.js';
import { isGoodSurface } from '../../../engine/testing/surface-check.js';
import { formatCount, styleFor } from '../../shared/text/style.js';
import { changeLine, failedCases, releaseSentences, surfaceSentence, warnedCases } from './failure-lines.js';
import type { RenderRuns, TestRun } from './renderer.js';

/** Output for people: failures with their places, the surface, and a summary of each package. */
export const renderPretty: RenderRuns = (runs, { color, isList, skipped }) => {
  const blocks = runs.map((run) => renderRun(run, color));
  if (!isList) return blocks.join('');
  const style = styleFor({ color });
  const failed = runs.filter(({ report }) => !report.ok).length;
  const total = formatCount(runs.length, 'package');
  const state = failed > 0 ? style.red(`${failed} of ${total} failed`) : style.green(`${total} ok`);
  const rest =
    skipped.length > 0
      ? [`Skipped ${formatCount(skipped.length, 'package')} without a server: ${skipped.join(', ')}.`]
      : [];
  return `${[...blocks, [state, ...rest, ''].join('\n')].join('\n')}`;
};

function renderRun(run: TestRun, color: boolean): string {
  const style = styleFor({ color });
  // Cleaned before it is coloured.
  const report = visibleTexts(run.report);
  const [name, prefix, output] = [run.name, run.prefix, run.output].map(visibleText) as [
    string,
    string,
    string,
  ];
  const { results, faults, surface, release, filtered, written, ms, ok } = report;
  const failed = results.filter(({ failures }) => failures.length > 0);
  const lines: string[] = [];
  for (const { file, line, column, message } of faults)
    lines.push(
      `${style.underline(`${prefix}${file}:${line}:${column}`)}`,
      `  ${style.red('error')} ${message}`,
      '',
    );
  for (const { title, place, lines: found } of failedCases(report))
    lines.push(
      style.underline(`${prefix}${place.file}:${place.line}:${place.column}`),
      `  ${style.red('failed')} ${title}`,
      ...found.map((text) => `    ${text.replaceAll('\n', '\n    ')}`),
      '',
    );
  const warned = warnedCases(report);
  for (const { title, place, code, message } of warned)
    lines.push(
      style.underline(`${prefix}${place.file}:${place.line}:${place.column}`),
      `  ${style.yellow('warning')} ${title}: ${message} (${code})`,
      '',
    );
  const sentence = surfaceSentence(report);
  if (sentence) {
    const paint = surface.state === 'written' ? style.green : style.red;
    lines.push(surface.state === 'unrecorded' ? sentence : paint(sentence));
    if (!isGoodSurface(surface))
      for (const change of surface.changes)
        lines.push(`  ${style.bold(change.step.padEnd(5))} ${changeLine(change)}`);
  }
  if (written.length > 0)
    lines.push(style.green(`Written: ${written.map((file) => prefix + file).join(', ')}`));
  const changes = release && 'changes' in release ? release.changes : [];
  lines.push(...releaseSentences(report));
  // The snapshot has just listed the same changes if it is the one of the release.
  if (surface.state !== 'changed' || JSON.stringify(changes) !== JSON.stringify(surface.changes))
    for (const change of changes) lines.push(`  ${style.bold(change.step.padEnd(5))} ${changeLine(change)}`);
  if (output.trim() !== '' && !ok) lines.push('', style.dim('Output of the servers:'), output.trimEnd());
  const passed = results.length - failed.length;
  const counts = [
    ...(failed.length > 0 ? [style.red(`${failed.length} failed`)] : []),
    ...(faults.length > 0 ? [style.red(formatCount(faults.length, 'faulty case'))] : []),
    ...(results.length > 0 || faults.length > 0 ? [`${passed} passed`] : []),
    ...(warned.length > 0 ? [formatCount(warned.length, 'warning')] : []),
    ...(filtered > 0 ? [`${formatCount(filtered, 'case')} left out`] : []),
    ...(surface.state === 'same' ? ['the surface is as recorded'] : []),
  ];
  const none = filtered > 0 && results.length === 0 ? 'No case matches the filter. ' : '';
  const state = ok ? style.green('ok') : style.red('failed');
  lines.push(
    `${state} ${style.bold(name)}: ${none}${counts.join(', ') || 'no cases'} (${(ms / 1000).toFixed(1)} s)`,
  );
  return `${lines.join('\n')}\n`;
}
