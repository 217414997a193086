import { visibleTexts } from '../../../engine/base/visible-text.js';
import { formatCount } from '../../shared/text/style.js';
import type { RenderValidation } from './renderer.js';
import { runNotes } from './run-notes.js';
import type { FileDiagnostic, ReportedSubject, Validation } from './validation.js';

/** Diagnostics that a report lists. GitHub limits a step summary to 1 MiB. */
const maxRows = 200;

/** A report for comments and summaries: a table of extensions, and a table of diagnostics. */
export const renderMarkdown: RenderValidation = (found) => {
  const validation: Validation = visibleTexts(found);
  const { valid, extensions, configs, errors, warnings } = validation;
  const subjects: readonly ReportedSubject[] = [...extensions, ...configs];
  const counts = `${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}`;
  const rows = subjects.flatMap(({ diagnostics }) => diagnostics);
  const blocks = [
    `## AgentTools: ${valid ? 'valid' : 'not valid'}`,
    `${counts} in ${formatCount(extensions.length, 'extension')}.`,
    table(['extension', 'errors', 'warnings', 'suppressed'], subjects.map(subjectCells)),
    ...(rows.length > 0
      ? [table(['severity', 'place', 'code', 'message'], rows.slice(0, maxRows).map(diagnosticCells))]
      : []),
    ...(rows.length > maxRows ? [`${rows.length - maxRows} more are not listed.`] : []),
    ...paragraphs(runNotes(validation)),
  ];
  return `${blocks.join('\n\n')}\n`;
};

/** Indented lines belong to the line before them. */
function paragraphs(lines: readonly string[]): readonly string[] {
  return lines
    .join('\n')
    .split(/\n(?! )/)
    .filter((text) => text !== '')
    .map((text) => escapeText(text).replaceAll('\n  ', '\n- ').replace('\n- ', '\n\n- '));
}

function subjectCells({ name, path, diagnostics, suppressed }: ReportedSubject): readonly string[] {
  const count = (severity: string) => `${diagnostics.filter((one) => one.severity === severity).length}`;
  const shown = path === name ? code(name) : `${code(name)} (${escapeText(path)})`;
  return [shown, count('error'), count('warning'), `${suppressed.length}`];
}

function diagnosticCells({
  severity,
  place,
  url,
  line,
  column,
  code: found,
  message,
}: FileDiagnostic): string[] {
  const at = url.startsWith('file:') ? `${place}:${line}:${column}` : place;
  return [severity, code(at), code(found), escapeText(message)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A code span in a cell of a table. */
function code(text: string): string {
  const line = text.replaceAll('\n', ' ').replaceAll('|', '\\|');
  const fence = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  const gap = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${gap}${line}${gap}${fence}`;
}

/** Text of packages in which nothing is markup. A separate `@` mentions no user. */
function escapeText(text: string): string {
  return text
    .replace(/[\\`*_[\]<>&|#~!]/g, '\\$&')
    .replaceAll('@', '<span>@</span>')
    .replaceAll(/\n(?! {2})/g, '<br>');
}
