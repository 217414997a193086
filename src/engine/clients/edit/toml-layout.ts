import { detectLineEnd, endOfLine, indentAt, startOfLine } from './text-lines.js';
import type { Span } from './toml-scan.js';
import type { TomlSection, TomlSource } from './toml-source.js';

/** Matches, from the end of a line, comment lines that are not directly above a header. */
const commentsBelow = /^(?:\r?\n[ \t]*#[^\n]*)+(?:\n[ \t]*\r?\n|\s*$)/;

/** Inserts blocks of lines after a section, with blank lines between them if the file uses such. */
export function insertBlocks(
  source: TomlSource,
  section: TomlSection,
  blocks: readonly (readonly string[])[],
): string {
  const { text } = source;
  const eol = detectLineEnd(text);
  const gap = isSpaced(source) ? eol + eol : eol;
  const inserted = blocks.map((lines) => lines.join(eol)).join(gap);
  if (isBlank(text)) return inserted + eol + text;
  return insertAt(text, endOfTrail(source, section), gap + inserted);
}

/**
 * Inserts a line after a pair of a section, or as its first line. If there is no pair before the first
 * header, the line goes to the start of the text, or after the comments in a text without headers.
 */
export function insertLine(
  source: TomlSource,
  section: TomlSection,
  after: Span | undefined,
  line: string,
): string {
  const { text, sections } = source;
  const eol = detectLineEnd(text);
  const anchor = after ?? (section.index > 0 ? section : undefined);
  if (anchor) return insertAt(text, endOfLine(text, anchor.end), eol + indentAt(text, anchor.start) + line);
  if (sections.length > 1 || isBlank(text)) return line + eol + text;
  return insertAt(text, endOfTrail(source, section), eol + line);
}

/** Removes whole lines; the inverse of `insertLine`. */
export function cutLines(text: string, { start, end }: Span): string {
  const from = startOfLine(text, start);
  const to = endOfLine(text, end);
  if (from === 0) return text.slice(afterLineEnd(text, to));
  return text.slice(0, beforeLineEnd(text, from)) + text.slice(to);
}

/**
 * Removes whole lines and the blank line before them; the inverse of `insertBlocks`. If comments follow
 * directly, the blank line stays: it separates them from the text above.
 */
export function cutBlock(text: string, { start, end }: Span): string {
  const from = startOfLine(text, start);
  const to = endOfLine(text, end);
  const before = text.slice(0, from);
  if (!isBlank(before)) {
    const line = beforeLineEnd(text, from);
    const hasGap = startOfLine(text, line) === line && !commentsBelow.test(text.slice(to));
    return text.slice(0, hasGap ? beforeLineEnd(text, line) : line) + text.slice(to);
  }
  // The block is the first of the file. A blank line after it separates it from the next block, which is now
  // the first.
  const rest = text.slice(afterLineEnd(text, to));
  return before + (isBlank(rest) ? rest : rest.replace(/^\r?\n/, ''));
}

/**
 * End of a section with its comments: those directly below it, except those directly above the next header.
 * After the last section, all comments belong to it.
 */
function endOfTrail(source: TomlSource, section: TomlSection): number {
  const { text, sections } = source;
  const { start, lines } = gapAfter(source, section);
  const isLast = section.index === sections.length - 1;
  const blank = lines.findIndex(isBlank);
  const count = isLast ? lines.findLastIndex((line) => !isBlank(line)) + 1 : Math.max(blank, 0);
  if (count === 0) return endOfLine(text, section.end);
  return endOfLine(text, start + lines.slice(0, count - 1).join('').length + count - 1);
}

/** True if at least half of the headers have a blank line above them and their comments. */
function isSpaced(source: TomlSource): boolean {
  const votes = source.sections.slice(0, -1).flatMap((section) => {
    const { lines } = gapAfter(source, section);
    const blank = lines.findLastIndex(isBlank);
    const isFirst = section.end === 0 && lines.slice(0, Math.max(blank, 0)).every(isBlank);
    return isFirst ? [] : [blank !== -1];
  });
  return votes.filter(Boolean).length * 2 >= votes.length;
}

/** Blank and comment lines between a section and the next header or the end, and their start. */
function gapAfter(
  { text, sections }: TomlSource,
  { index, end }: TomlSection,
): { start: number; lines: string[] } {
  const start = end === 0 ? 0 : afterLineEnd(text, endOfLine(text, end));
  const next = sections[index + 1];
  const gap = text.slice(start, next ? startOfLine(text, next.start) : text.length);
  return { start, lines: next ? gap.split('\n').slice(0, -1) : gap.split('\n') };
}

function insertAt(text: string, offset: number, inserted: string): string {
  return text.slice(0, offset) + inserted + text.slice(offset);
}

/** End of the previous line, from the start of a line. */
function beforeLineEnd(text: string, start: number): number {
  return text[start - 2] === '\r' ? start - 2 : start - 1;
}

/** Start of the next line, from the end of a line. */
function afterLineEnd(text: string, end: number): number {
  return end + /^\r?\n?/.exec(text.slice(end, end + 2))![0].length;
}

function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}
