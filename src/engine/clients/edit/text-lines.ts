/** Most frequent line end of a text; of two equally frequent ones the first. Default: `\n`. */
export function detectLineEnd(text: string): '\n' | '\r\n' {
  if (!text.includes('\r\n')) return '\n';
  let windows = 0;
  let others = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    if (text[end - 1] === '\r') windows++;
    else others++;
  }
  if (windows === others) return text[text.indexOf('\n') - 1] === '\r' ? '\r\n' : '\n';
  return windows > others ? '\r\n' : '\n';
}

/** Start of the line with this offset. */
export function startOfLine(text: string, offset: number): number {
  // `lastIndexOf` takes -1 as 0.
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** End of the line with this offset, without its line end. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** Indentation of the line with this offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, offset)))![0];
}
