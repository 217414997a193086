import { ConfigError } from './editor.js';

/** Syntax that strict JSON lacks. */
export interface LenientPart {
  readonly kind: 'comment' | 'comma';
  readonly start: number;
  readonly end: number;
}

/** Offset of the first character from an offset on that is neither blank nor in a comment. */
export function skipBlanks(text: string, from: number): number {
  for (let at = from; ; ) {
    if (isJsonBlank(text.charCodeAt(at))) at++;
    else {
      const end = commentEnd(text, at);
      if (end === at) return at;
      at = end;
    }
  }
}

/** End of the string that begins at an offset; the end of the text if the string has none. */
export function skipString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === codes.quote) return at + 1;
    if (code === codes.backslash) at++;
  }
  return text.length;
}

/**
 * End of the value that begins at an offset of a well-formed text.
 * @throws ConfigError if it is nested deeper than `maxDepth`.
 */
export function skipValue(text: string, start: number, maxDepth = Number.POSITIVE_INFINITY): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === codes.quote) at = skipString(text, at);
    else if (code === codes.brace || code === codes.bracket) {
      depth++;
      if (depth > maxDepth) throw new ConfigError(`It is nested deeper than ${maxDepth} levels.`, at);
      at++;
    } else if (code === codes.endBrace || code === codes.endBracket) {
      depth--;
      at++;
    } else if (depth === 0) at = skipWord(text, at);
    else at = code === codes.slash ? Math.max(commentEnd(text, at), at + 1) : at + 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** Yields the comments and trailing commas of a text, which may be malformed. A comma follows the comments after it. */
export function* lenientParts(text: string): Generator<LenientPart> {
  let isAfterValue = false;
  let comma: number | undefined;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const end = commentEnd(text, at);
    if (end > at) {
      yield { kind: 'comment', start: at, end };
      at = end;
      continue;
    }
    at = code === codes.quote ? skipString(text, at) : at + 1;
    if (isJsonBlank(code)) continue;
    const isClosing = code === codes.endBrace || code === codes.endBracket;
    if (isClosing && comma !== undefined) yield { kind: 'comma', start: comma, end: comma + 1 };
    comma = code === codes.comma && isAfterValue ? at - 1 : undefined;
    isAfterValue = code !== codes.comma && code !== codes.brace && code !== codes.bracket;
  }
}

const codes = {
  quote: 0x22,
  asterisk: 0x2a,
  comma: 0x2c,
  slash: 0x2f,
  bracket: 0x5b,
  backslash: 0x5c,
  endBracket: 0x5d,
  brace: 0x7b,
  endBrace: 0x7d,
};

function isJsonBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** End of the comment at an offset; the offset itself if no comment begins there. */
function commentEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== codes.slash) return start;
  const next = text.charCodeAt(start + 1);
  if (next === codes.asterisk) {
    const end = text.indexOf('*/', start + 2);
    return end === -1 ? start : end + 2;
  }
  if (next !== codes.slash) return start;
  let end = start + 2;
  while (end < text.length && text.charCodeAt(end) !== 0x0a && text.charCodeAt(end) !== 0x0d) end++;
  return end;
}

/** End of a number or literal. */
function skipWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',]}/'.includes(text[at]!) && !isJsonBlank(text.charCodeAt(at))) at++;
  return at;
}
