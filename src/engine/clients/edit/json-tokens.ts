import { createScanner } from 'jsonc-parser';

/** A piece of JSON text that is not blank. */
export interface JsonToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Yields the tokens of a range of well-formed text. The range begins and ends between tokens. */
export function* tokensBetween(text: string, from: number, to: number): Generator<JsonToken> {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  for (;;) {
    scanner.scan();
    const start = scanner.getTokenOffset();
    if (start >= to) return;
    const end = scanner.getPosition();
    if (!isBlank(text[start]!)) yield { text: text.slice(start, end), start, end };
  }
}

/** True for line comments and block comments. */
export function isComment({ text }: JsonToken): boolean {
  return text.startsWith('/');
}

/** True if the comment ends with its line. Text after it must begin a new line. */
export function isLineComment({ text }: JsonToken): boolean {
  return text.startsWith('//');
}

export function isComma({ text }: JsonToken): boolean {
  return text === ',';
}

/** True if a text contains a line break. */
export function breaksLine(text: string): boolean {
  return /[\r\n]/.test(text);
}

function isBlank(character: string): boolean {
  return ' \t\r\n'.includes(character);
}
