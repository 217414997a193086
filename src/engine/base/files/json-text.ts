import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { DocumentPath, Position } from './document-path.js';

const withComments = { allowTrailingComma: true, disallowComments: false };
const strictly = { allowTrailingComma: false, disallowComments: true };

/** Value of a JSON text with comments and trailing commas. */
export function parseWithComments(text: string): { ok: true; value: unknown } | { ok: false } {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, withComments);
  return tree && errors.length === 0 ? { ok: true, value: readNode(tree) } : { ok: false };
}

/** Value of a node. `__proto__` is an ordinary key, as in `JSON.parse`. */
function readNode({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(readNode);
  if (type !== 'object') return value;
  return Object.fromEntries(children.map(({ children: [key, held] = [] }) => [key!.value, readNode(held!)]));
}

/** Explains the first error of the parser, with its offset. */
export function explainFault(
  text: string,
  { comments }: { comments: boolean },
): { message: string; offset: number } {
  const errors: ParseError[] = [];
  parseTree(text, errors, comments ? withComments : strictly);
  const first = errors[0];
  if (text.trim() === '') return { message: 'The file is empty.', offset: 0 };
  if (!first) return { message: 'Not valid JSON.', offset: 0 };
  return { message: faults[printParseErrorCode(first.error)] ?? 'Not valid JSON.', offset: first.offset };
}

const faults: Record<string, string> = {
  InvalidSymbol: 'Not valid JSON: a word that is neither a string nor a literal. Strings need double quotes.',
  InvalidNumberFormat: 'Not valid JSON: a number is malformed.',
  PropertyNameExpected: 'Not valid JSON: a property name in double quotes is expected here.',
  ValueExpected: 'Not valid JSON: a value is expected here (a trailing comma before it?).',
  ColonExpected: 'Not valid JSON: a colon is expected here.',
  CommaExpected: 'Not valid JSON: a comma is expected here.',
  CloseBraceExpected: 'Not valid JSON: a closing brace is expected here.',
  CloseBracketExpected: 'Not valid JSON: a closing bracket is expected here.',
  EndOfFileExpected: 'Not valid JSON: something follows the end of the value.',
  InvalidCommentToken: 'Not valid JSON: comments are not allowed in .json; use .jsonc.',
  UnexpectedEndOfComment: 'Not valid JSON: a comment does not end.',
  UnexpectedEndOfString: 'Not valid JSON: a string does not end.',
  UnexpectedEndOfNumber: 'Not valid JSON: a number does not end.',
  InvalidUnicode: 'Not valid JSON: a \\u escape is malformed.',
  InvalidEscapeCharacter: 'Not valid JSON: an unknown escape in a string.',
  InvalidCharacter: 'Not valid JSON: a control character in a string.',
};

/** Returns a function that locates values in one JSON text; parses the text once. */
export function positionsIn(text: string): (path: DocumentPath, options?: { key?: boolean }) => Position {
  const tree = parseTree(text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text, [], withComments);
  return (path, { key = false } = {}) => {
    const node = tree && deepestNode(tree, path);
    if (!node) return positionAt(text, 0);
    const shown = key && node.parent?.type === 'property' ? node.parent.children?.[0] : node;
    return positionAt(text, shown?.offset ?? node.offset);
  };
}

function deepestNode(tree: Node, path: DocumentPath): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return node;
  }
  return tree;
}

/** Line and column of a character offset. A BOM is not a column, as in editors. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', start)) {
    line++;
    start = next + 1;
  }
  return { line, column: Math.max(offset - start, 0) + 1 };
}
