import { visibleText, visibleTexts } from '../../../engine/base/visible-text.js';
import { formatCount, styleFor } from '../../shared/text/style.js';
import { changeLine, failedCases, releaseSentences, surfaceSentence } from './failure-lines.js';
import type { RenderReport } from './renderer.js';

/** Output for people: failures with their places, the surface, and a summary. */
export const renderPretty: RenderReport = (found, options) => {
  const { color } = options;
  const style = styleFor({ color });
  // Cleaned before it is coloured.
  const report = visibleTexts(found);
  const [name, prefix, output] = [options.name, options.prefix, options.output].map(visibleText) as [
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
  const sentence = surfaceSentence(report);
  if (sentence) {
    const paint = surface.state === 'written' ? style.green : style.red;
    lines.push(paint(sentence));
    if (surface.state !== 'written')
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
    ...(filtered > 0 ? [`${formatCount(filtered, 'case')} left out`] : []),
    ...(surface.state === 'same' ? ['the surface is as recorded'] : []),
  ];
  const none = filtered > 0 && results.length === 0 ? 'No case matches the filter. ' : '';
  const state = ok ? style.green('ok') : style.red('failed');
  lines.push(
    `${state} ${style.bold(name)}: ${none}${counts.join(', ') || 'no cases'} (${(ms / 1000).toFixed(1)} s)`,
  );
  return `${lines.join('\n')}\n`;
};
