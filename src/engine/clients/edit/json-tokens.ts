import { createScanner } from 'jsonc-parser';

/** A piece of JSON text that is not blank. */
export interface JsonToken {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The tokens of a stretch of well-formed text that begins and ends between two of them. */
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

/** Line comments and block comments. */
export function isComment({ text }: JsonToken): boolean {
  return text.startsWith('/');
}

/** A comment that lasts to the end of its line: what follows it has to begin a new one. */
export function isLineComment({ text }: JsonToken): boolean {
  return text.startsWith('//');
}

/** What parts two members, or follows the last one. */
export function isComma({ text }: JsonToken): boolean {
  return text === ',';
}

/** Whether a text goes over the end of a line. */
export function breaksLine(text: string): boolean {
  return /[\r\n]/.test(text);
}

function isBlank(character: string): boolean {
  return ' \t\r\n'.includes(character);
}
