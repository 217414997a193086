import { readTextFileSync, statFile } from './disk.js';

/** A data file: its value, and its text to locate values in. */
export interface DataDocument {
  /** Relative to the package folder, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
}

/** A data file that cannot be read, with the position of the error. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly file: string;
  /** Character offset into the text; undefined if the error has no position. */
  readonly offset: number | undefined;

  constructor(file: string, message: string, offset?: number) {
    super(message);
    this.file = file;
    this.offset = offset;
  }
}

/** Largest definition file, in bytes. Larger files are rejected. */
export const maxDocumentBytes = 5 * 1024 * 1024;

/** Deepest nesting. Deeper values are rejected, since code that walks them could overflow the stack. */
const maxDocumentDepth = 500;

/** Syntax of a data file. */
interface Syntax {
  /** True if comments and trailing commas are allowed. Default: in all files except `.json`. */
  readonly comments?: boolean;
}

/**
 * Reads a data file: `.json` strictly, anything else with comments and trailing commas; both may have a BOM.
 * @throws DocumentError if it is absent, too large, too deep or not well formed.
 */
export async function readDocument(path: string, file: string, syntax: Syntax = {}): Promise<DataDocument> {
  const info = statFile(path);
  if (!info?.isFile()) throw new DocumentError(file, `${file} is not a file.`);
  if (info.size > maxDocumentBytes) {
    throw new DocumentError(file, `${file} is larger than ${maxDocumentBytes / 1024 / 1024} MB.`);
  }
  const text = readTextFileSync(path);
  return { file, text, value: await parseDocument(text, file, syntax) };
}

/** Parses the text of a data file. @throws DocumentError */
export async function parseDocument(
  text: string,
  file: string,
  { comments = !file.endsWith('.json') }: Syntax = {},
): Promise<unknown> {
  const deep = offsetOfDepth(text, maxDocumentDepth);
  if (deep !== undefined) {
    throw new DocumentError(file, `${file} is nested deeper than ${maxDocumentDepth} levels.`, deep);
  }
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (!comments) {
    try {
      return JSON.parse(body);
    } catch {
      // Parsed again below, by a parser that knows the position of the error.
    }
  }
  const { explainFault, parseWithComments } = await import('./json-text.js');
  if (comments) {
    const parsed = parseWithComments(body);
    if (parsed.ok) return parsed.value;
  }
  const fault = explainFault(body, { comments });
  throw new DocumentError(file, fault.message, fault.offset + (text.length - body.length));
}

/** Offset at which brackets first nest deeper than `limit`, ignoring those inside strings and comments. */
function offsetOfDepth(text: string, limit: number): number | undefined {
  if (!opensMoreThan(limit, text)) return undefined;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (character === '"' || character === '/') index = endOfOpaque(text, index);
    else if (character === '{' || character === '[') {
      if (++depth > limit) return index;
    } else if (character === '}' || character === ']') depth--;
  }
  return undefined;
}

/** True if a text has more opening brackets than `limit`, also in strings and comments. */
function opensMoreThan(limit: number, text: string): boolean {
  const opening = /[[{]/g;
  for (let count = 0; count <= limit; count++) if (!opening.test(text)) return false;
  return true;
}

/** Offset at which the string or comment at `start` ends. An unclosed string ends with its line. */
function endOfOpaque(text: string, start: number): number {
  if (text.startsWith('/*', start)) {
    const end = text.indexOf('*/', start + 2);
    return end === -1 ? text.length : end + 1;
  }
  const isLineComment = text.startsWith('//', start);
  if (text[start] === '/' && !isLineComment) return start;
  for (let index = start + 1; index < text.length; index++) {
    const character = text[index];
    if (character === '\n' || character === '\r') return index;
    if (isLineComment) continue;
    if (character === '"') return index;
    if (character === '\\') index++;
  }
  return text.length;
}
