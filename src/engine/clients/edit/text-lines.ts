/** The line end that a text uses most; of two used alike its first one, and `\n` if it has none. */
export function detectLineEnd(text: string): '\n' | '\r\n' {
  const lineEnds = text.match(/\r?\n/g) ?? ['\n'];
  const windows = lineEnds.filter((one) => one === '\r\n').length;
  const others = lineEnds.length - windows;
  if (windows === others) return lineEnds[0] === '\r\n' ? '\r\n' : '\n';
  return windows > others ? '\r\n' : '\n';
}

/** Where the line with this offset begins. */
export function startOfLine(text: string, offset: number): number {
  // A start before the text would be taken for its first character.
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line with this offset ends, its line end not counted. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** The blanks that begin the line with this offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, offset)))![0];
}
