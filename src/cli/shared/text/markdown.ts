import { visibleText } from '../../../engine/base/visible-text.js';
import { type ColorOption, styleFor } from './style.js';

/** Readable line length, in columns, also in wide terminals. */
const maxWidth = 100;

interface MarkdownOptions extends ColorOption {
  /** Columns of the terminal. */
  readonly width: number;
}

/** Renders a page of our documentation for a terminal: wraps text, aligns tables, leaves code as it is. */
export function renderMarkdown(text: string, { color, width: columns }: MarkdownOptions): string {
  const width = Math.max(20, Math.min(columns, maxWidth));
  const style = styleFor({ color });
  const inline = (part: string) =>
    part
      .replace(/!?\[([^\]]*)\]\(([^)\s]+)\)/g, (_, label: string, target: string) =>
        /^https?:/.test(target) && target !== label ? `${label} (${target})` : label,
      )
      .replace(/\*\*(.+?)\*\*/g, (_, bold: string) => style.bold(bold))
      .replace(/(?<!`)`([^`]+)`(?!`)/g, (whole, code: string) => (color ? style.cyan(code) : whole))
      .replaceAll('\\|', '|');
  const plain = visibleText(text.replace(/<!--.*?-->\n?/gs, ''));
  const blocks = plain.split(/^(```[^\n]*\n.*?^```)$/ms);
  const lines = blocks.flatMap((block, index) => {
    if (index % 2 === 1)
      return [
        ...block
          .split('\n')
          .slice(1, -1)
          .map((line) => `  ${line}`),
        '',
      ];
    return block.split(/\n{2,}|(?<=^#.*)\n|\n(?=#{1,6} )/m).flatMap((part) => {
      const body = part.replace(/^\n+|\s+$/g, '');
      if (body === '') return [];
      if (/^#{1,6} /.test(body)) return ['', style.bold(body.replaceAll('`', color ? '' : '`')), ''];
      if (body.startsWith('|')) return [...renderTable(body, { width, inline }), ''];
      return [...splitItems(body).flatMap((item) => wrapItem(item, { width, inline })), ''];
    });
  });
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

interface TextOptions {
  readonly width: number;
  readonly inline: (text: string) => string;
}

/** Items of a list, and paragraphs. */
function splitItems(body: string): readonly string[] {
  return body.split(/\n(?=\s*(?:[-*]|\d+\.) )/);
}

function wrapItem(item: string, { width, inline }: TextOptions): readonly string[] {
  const [, indent = '', mark = '', rest = ''] = /^(\s*)((?:[-*]|\d+\.) |> )?(.*)$/s.exec(item) ?? [];
  const text = inline(rest.replace(/\n>? */g, ' '));
  const hang = indent.length + mark.length;
  const [first = '', ...others] = wrap(text, width - hang);
  return [indent + mark + first, ...others.map((line) => ' '.repeat(hang) + line)];
}

/** Length on the screen. Tests of colour sequences look for the escape character. */
function lengthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with it
  return text.replace(/\u001b\[\d+m/g, '').length;
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && lengthOf(last) + 1 + lengthOf(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Columns beside each other if they fit, else each row as an item with indented cells. */
function renderTable(body: string, { width, inline }: TextOptions): readonly string[] {
  const rows = body.split('\n').map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim())),
  );
  const [head = [], , ...content] = rows;
  const shown = head.every((cell) => cell === '') ? content : [head, ...content];
  const widest = head.map((_, column) => Math.max(...shown.map((row) => lengthOf(row[column] ?? ''))));
  // Of two columns, cells that are too wide for the first one take a separate line.
  const short = shown.map(([cell = '']) => lengthOf(cell)).filter((length) => length <= width / 3);
  const widths = head.length === 2 ? [Math.max(4, ...short)] : widest.slice(0, -1);
  const fixed = widths.reduce((sum, one) => sum + one + 2, 0);
  const room = width - fixed;
  if (room < Math.min(30, widest.at(-1) ?? 0))
    return content.flatMap(([first = '', ...others]) => [
      ...wrap(first, width),
      ...others.flatMap((cell) => wrap(cell, width - 4).map((line) => `    ${line}`)),
    ]);
  return shown.flatMap((row) => {
    const before = widths.map(
      (one, at) => `${row[at]}${' '.repeat(Math.max(0, one - lengthOf(row[at] ?? '')))}  `,
    );
    const lead = before.join('');
    const [first = '', ...more] = wrap(row.at(-1) ?? '', room).map((line) => ' '.repeat(fixed) + line);
    return lengthOf(lead) > fixed ? [lead.trimEnd(), first, ...more] : [lead + first.slice(fixed), ...more];
  });
}
