import { detectLineEnd, endOfLine, startOfLine } from './text-lines.js';
import type { TextExtent } from './yaml-layout.js';
import { indentLines } from './yaml-print.js';

/** A stretch of a text and what takes its place. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text with changes that do not overlap. */
export function applyChanges(text: string, changes: readonly TextEdit[]): string {
  return changes
    .toSorted((one, other) => other.from - one.from || other.to - one.to)
    .reduce((edited, { from, to, text: put }) => edited.slice(0, from) + put + edited.slice(to), text);
}

/** Puts something between what is there. */
export function insertion(offset: number, text: string): TextEdit {
  return { from: offset, to: offset, text };
}

/** Replaces what stands somewhere, not the line end after it. */
export function change(text: string, extent: TextExtent, put: string): TextEdit {
  return { from: extent.from, to: endOffset(text, extent), text: put };
}

/** Lines put where a line begins; after a last line without end they have none either. */
export function linesAt(text: string, offset: number, lines: readonly string[]): TextEdit {
  const eol = detectLineEnd(text);
  const put = lines.join(eol);
  return insertion(offset, offset > 0 && text[offset - 1] !== '\n' ? eol + put : put + eol);
}

/** Takes out the lines of something; with a last line that has no end, the line end before it. */
export function removeLines(text: string, extent: TextExtent, before?: TextExtent): TextEdit {
  const start = startOfLine(text, extent.from);
  const end = lineAfter(text, endOffset(text, extent));
  if (text[end - 1] === '\n' || start === 0) return { from: start, to: end, text: '' };
  const isNeeded = before?.open && before.to === start;
  return { from: isNeeded ? start : endOfLine(text, startOfLine(text, start - 1)), to: end, text: '' };
}

/** Lines of which the first goes where something already stands before it. */
export function insertHangingLines(
  text: string,
  [first, ...others]: readonly string[],
  column: number,
): string {
  return [first!, ...indentLines(others, column)].join(detectLineEnd(text));
}

/** After the comments from here on that are indented at least this far, blank lines between them included. */
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

/** Where the line after the one with this offset begins. */
export function lineAfter(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** Where something ends, the line end that a block scalar includes not counted. */
export function endOffset(text: string, { to }: TextExtent): number {
  return text[to - 1] === '\n' ? endOfLine(text, startOfLine(text, to - 1)) : to;
}

/** Whether nothing but blanks comes before on the line. */
export function beginsLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(startOfLine(text, offset), offset));
}

/** Whether nothing but blanks follows on the line. */
export function isLastOnLine(text: string, offset: number): boolean {
  return /^[ \t]*$/.test(text.slice(offset, endOfLine(text, offset)));
}

/** Whether at most a comment follows on the line. */
export function endsLine(text: string, offset: number): boolean {
  return /^[ \t]*(?:#|$)/.test(text.slice(offset, endOfLine(text, offset)));
}

/** Where the blanks before an offset begin; those that indent a line stay. */
export function blanksBefore(text: string, offset: number): number {
  if (beginsLine(text, offset)) return offset;
  return offset - /[ \t]*$/.exec(text.slice(startOfLine(text, offset), offset))![0].length;
}
