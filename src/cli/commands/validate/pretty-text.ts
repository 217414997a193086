import { visibleLine, visibleTexts } from '../../../engine/base/visible-text.js';
import { type ColorOption, formatCount, paint, styleFor } from '../../shared/text/style.js';
import { renderCost } from '../../shared/text/token-costs.js';
import type { RenderValidation } from './renderer.js';
import type { FileDiagnostic, ValidatedExtension, Validation } from './validation.js';

/** Output for people: problems by file, and a summary. A clean extension takes one line. */
export const renderPretty: RenderValidation = (found, { color }) => {
  const validation = visibleTexts(found);
  const parts = validation.extensions.map((extension) => renderExtension(extension, { color }));
  const isClean = validation.extensions.every(({ diagnostics }) => diagnostics.length === 0);
  const costs = validation.extensions.flatMap(({ costs: found = [] }) => found);
  if (costs.length > 0) parts.push(...costs.map((cost) => renderCost(cost, { color })));
  return parts.join('') + (isClean ? '' : renderSummary(validation, { color }));
};

function renderExtension(extension: ValidatedExtension, options: ColorOption): string {
  const { name, path, diagnostics } = extension;
  const style = styleFor(options);
  if (diagnostics.length === 0) return `${style.green('valid')} ${style.bold(name)}${holdings(extension)}\n`;
  const files = [...new Set(diagnostics.map(({ place }) => place))];
  const blocks = files.map((file) => {
    const held = diagnostics.filter(({ place }) => place === file);
    return `${style.underline(visibleLine(file))}\n${renderRows(held, options)}\n`;
  });
  return `${style.bold(name)} (${path})\n\n${blocks.join('')}`;
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

function renderRows(diagnostics: readonly FileDiagnostic[], options: ColorOption): string {
  const style = styleFor(options);
  const rows = diagnostics.map(({ line, column, ...rest }) => ({ ...rest, at: `${line}:${column}` }));
  const width = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
  const atWidth = width(rows.map(({ at }) => at));
  const severityWidth = width(rows.map(({ severity }) => severity));
  const codeWidth = width(rows.map(({ code }) => code));
  const indent = `\n${' '.repeat(4)}`;
  return rows
    .map(({ at, severity, code, message }) => {
      const position = style.dim(at.padStart(atWidth));
      const level = paint[severity](style)(severity.padEnd(severityWidth));
      return `  ${position}  ${level}  ${style.bold(code.padEnd(codeWidth))}  ${message.replaceAll('\n', indent)}\n`;
    })
    .join('');
}

function renderSummary({ valid, extensions, errors, warnings }: Validation, options: ColorOption): string {
  const style = styleFor(options);
  const found = `${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')} in ${formatCount(extensions.length, extensions.some(({ protocols }) => protocols) ? 'subject' : 'extension')}.`;
  const codes = extensions.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code));
  const hint = `To explain a code and its fix: agenttools explain ${codes[0]}`;
  return `${(valid ? style.yellow : style.red)(found)}\n${style.dim(hint)}\n`;
}
