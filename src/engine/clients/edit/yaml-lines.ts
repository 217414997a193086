import { detectLineEnd, endOfLine, startOfLine } from './text-lines.js';
import type { TextExtent } from './yaml-layout.js';
import { indentLines } from './yaml-print.js';

/** A range of a text and its replacement. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies changes that do not overlap. */
export function applyChanges(text: string, changes: readonly TextEdit[]): string {
  return changes
    .toSorted((one, other) => other.from - one.from || other.to - one.to)
    .reduce((edited, { from, to, text: put }) => edited.slice(0, from) + put + edited.slice(to), text);
}

export function insertion(offset: number, text: string): TextEdit {
  return { from: offset, to: offset, text };
}

/** Replaces an extent, without the line end after it. */
export function change(text: string, extent: TextExtent, put: string): TextEdit {
  return { from: extent.from, to: endOffset(text, extent), text: put };
}

/**
 * Inserts lines at the start of a line. After a last line without line end, the inserted lines end without
 * one too.
 */
export function linesAt(text: string, offset: number, lines: readonly string[]): TextEdit {
  const eol = detectLineEnd(text);
  const put = lines.join(eol);
  return insertion(offset, offset > 0 && text[offset - 1] !== '\n' ? eol + put : put + eol);
}

/**
 * Removes the lines of an extent. If the last of them has no line end, removes the line end before them,
 * unless `before` needs it.
 */
export function removeLines(text: string, extent: TextExtent, before?: TextExtent): TextEdit {
  const start = startOfLine(text, extent.from);
  const end = lineAfter(text, endOffset(text, extent));
  if (text[end - 1] === '\n' || start === 0) return { from: start, to: end, text: '' };
  const isNeeded = before?.open && before.to === start;
  return { from: isNeeded ? start : endOfLine(text, startOfLine(text, start - 1)), to: end, text: '' };
}

/** Lines that follow existing text: all but the first are indented. */
export function insertHangingLines(
  text: string,
  [first, ...others]: readonly string[],
  column: number,
): string {
  return [first!, ...indentLines(others, column)].join(detectLineEnd(text));
}

/**
 * Offset after the following comments that have at least this indentation, including blank lines between
 * them.
 */
export function afterComments(text: string, offset: number, column: number): number {
  let end = offset;
  for (let start = offset; start < text.length; start = lineAfter(text, start)) {
    const line = text.slice(start, endOfLine(text, start));
    if (/^[ \t]*$/.test(line)) continue;
    const comment = /^( *)[ \t]*#/.exec(line);
    if (!comment || comment[1]!.length < column) break;
    end = lineAfter(text, start);
  }
  return end;
}

/** Start of the line after the line with this offset. */
export function lineAfter(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** End of an extent, without the line end that a block scalar includes. */
export function endOffset(text: string, { to }: TextExtent): number {
  return text[to - 1] === '\n' ? endOfLine(text, startOfLine(text, to - 1)) : to;
}

/** True if only blanks precede on the line. */
export function beginsLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(startOfLine(text, offset), offset));
}

/** True if only blanks follow on the line. */
export function isLastOnLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(offset, endOfLine(text, offset)));
}

/** True if at most a comment follows on the line. */
export function endsLine(text: string, offset: number): boolean {
  return /^[ \t]*(?:#|$)/.test(text.slice(offset, endOfLine(text, offset)));
}

/** Start of the blanks before an offset. Keeps the indentation of a line. */
export function blanksBefore(text: string, offset: number): number {
  if (beginsLine(text, offset)) return offset;
  return offset - /[ \t]*$/.exec(text.slice(startOfLine(text, offset), offset))![0].length;
}
