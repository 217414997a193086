import { visibleLine, visibleTexts } from '../../../engine/base/visible-text.js';
import { hyperlink } from '../../shared/text/hyperlink.js';
import { formatCount, paint, styleFor } from '../../shared/text/style.js';
import { renderCost } from '../../shared/text/token-costs.js';
import type { FormatOptions, RenderValidation } from './renderer.js';
import { runNotes } from './run-notes.js';
import type { FileDiagnostic, ReportedSubject, ValidatedExtension, Validation } from './validation.js';

/** Output for people: problems with their places, and a summary. A clean extension takes one line. */
export const renderPretty: RenderValidation = (found, options) => {
  const validation = visibleTexts(found);
  const { extensions, configs } = validation;
  const parts = [
    ...extensions.map((one) => renderExtension(one, options)),
    ...configs.map((one) => renderFaulty(one, options)),
    ...extensions.flatMap(({ costs = [] }) => costs).map((cost) => renderCost(cost, options)),
  ];
  const style = styleFor(options);
  const isClean = [...extensions, ...configs].every(({ diagnostics }) => diagnostics.length === 0);
  const notes = runNotes(validation).map((line) => `${style.dim(line)}\n`);
  return [...parts, isClean ? '' : renderSummary(validation, options), ...notes].join('');
};

function renderExtension(extension: ValidatedExtension, options: FormatOptions): string {
  const { name, diagnostics } = extension;
  const style = styleFor(options);
  if (diagnostics.length > 0) return renderFaulty(extension, options);
  return `${style.green('valid')} ${style.bold(name)}${holdings(extension)}\n`;
}

function renderFaulty({ name, path, diagnostics }: ReportedSubject, options: FormatOptions): string {
  const files = [...new Set(diagnostics.map(({ place }) => place))];
  const blocks = files.map((file) =>
    renderRows(
      diagnostics.filter(({ place }) => place === file),
      options,
    ),
  );
  return `${styleFor(options).bold(name)} (${path})\n\n${blocks.join('\n')}\n`;
}

/** Item counts of a clean extension: `: 1 server, 2 tools` */
function holdings({ servers, tools, prompts, resources, apps }: ValidatedExtension): string {
  const counts = Object.entries({
    server: servers,
    tool: tools,
    prompt: prompts,
    resource: resources,
    app: apps,
  })
    .filter(([, list]) => list.length > 0)
    .map(([noun, list]) => formatCount(list.length, noun));
  return counts.length === 0 ? '' : `: ${counts.join(', ')}`;
}

/** Diagnostics of one file. Terminals of editors make `file:line:column` a link. */
function renderRows(diagnostics: readonly FileDiagnostic[], options: FormatOptions): string {
  const style = styleFor(options);
  const rows = diagnostics.map((one) => ({ ...one, at: position(one) }));
  const width = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
  const atWidth = width(rows.map(({ at }) => at));
  const severityWidth = width(rows.map(({ severity }) => severity));
  const codeWidth = width(rows.map(({ code }) => code));
  const indent = `\n${' '.repeat(2)}`;
  return rows
    .map(({ at, url, line, severity, code, message }) => {
      const shown = style.underline(at);
      const isFile = url.startsWith('file:');
      const linked = options.hyperlinks && isFile ? hyperlink(shown, `${url}#${line}`) : shown;
      const level = paint[severity](style)(severity.padEnd(severityWidth));
      return `${linked}${' '.repeat(atWidth - at.length)}  ${level}  ${style.bold(code.padEnd(codeWidth))}  ${message.replaceAll('\n', indent)}\n`;
    })
    .join('');
}

/** `file:line:column`. The places of existing servers have no lines. */
function position({ place, url, line, column }: FileDiagnostic): string {
  const file = visibleLine(place);
  return url.startsWith('file:') ? `${file}:${line}:${column}` : file;
}

function renderSummary(
  { valid, extensions, configs, errors, warnings }: Validation,
  options: FormatOptions,
): string {
  const style = styleFor(options);
  const noun = extensions.some(({ protocols }) => protocols) ? 'subject' : 'extension';
  const found = `${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')} in ${formatCount(extensions.length, noun)}.`;
  const all = [...extensions, ...configs].flatMap(({ diagnostics }) => diagnostics);
  const explained = all.find(({ severity }) => severity === 'error') ?? all[0];
  const fixable = all.filter(({ fix }) => fix).length;
  const hints = [
    ...(fixable > 0 ? [`To fix ${fixable} of them: agenttools validate --fix`] : []),
    `To explain a code and its fix: agenttools explain ${explained?.code}`,
  ];
  const lines = hints.map((hint) => `${style.dim(hint)}\n`).join('');
  return `${(valid ? style.yellow : style.red)(found)}\n${lines}`;
}
