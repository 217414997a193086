import { characterOf } from './named-characters.js';

/** A notebook that cannot be read; the message gives the reason. */
export class NotebookError extends Error {
  name = 'NotebookError';
}

/** A notebook above a limit. It can be valid. */
export class NotebookTooLarge extends NotebookError {
  name = 'NotebookTooLarge';
}

/** Limit of nodes, for memory. Opaque expressions are not parsed and do not count. */
const mostNodes = 3_000_000;

/** Expressions that stay source text: pictures and data. */
const opaque = new Set([
  'GraphicsBox',
  'Graphics3DBox',
  'GraphicsComplexBox',
  'GraphicsComplex3DBox',
  'GraphicsData',
  'RasterBox',
  'Raster3DBox',
  'CompressedData',
  'NumericArray',
  'DynamicModuleBox',
  'DynamicBox',
  'AnimatorBox',
  'GeoGraphicsBox',
  'AudioBox',
]);

const closing = { '[': ']', '{': '}', '(': ')', '<|': '|>' };

/**
 * Parses one Wolfram Language expression for notebooks: strings, calls, lists and rules have nodes; operators stay
 * between their operands. Not recursive, so any depth is safe.
 *
 * Nodes: `{ type: 'string', value }`, `{ type: 'atom', text }`, `{ type: 'call', head, args, start, end }`,
 * `{ type: 'list', items }`, `{ type: 'rule', name, value }`, `{ type: 'sequence', items }`.
 *
 * @throws NotebookError
 */
export function parseExpression(source) {
  const top = { open: undefined, items: [], current: [] };
  const frames = [top];
  let frame = top;
  let count = 0;
  let at = 0;

  const add = (node) => {
    count += 1;
    if (count > mostNodes) throw new NotebookTooLarge('it is too large to be parsed');
    frame.current.push(node);
  };
  const open = (mark, start, head) => {
    frame = { open: mark, items: [], current: [], start, head };
    frames.push(frame);
  };
  const close = (mark) => {
    if (frame.open === undefined || closing[frame.open] !== mark)
      throw new NotebookError('its brackets do not match');
    if (frame.current.length > 0 || frame.items.length > 0) endItem(frame);
    const done = frames.pop();
    frame = frames.at(-1);
    add(nodeOf(done, at));
  };

  while (at < source.length) {
    const start = at;
    const character = source[at];
    if (character <= ' ') {
      at += 1;
    } else if (source.startsWith('(*', at)) {
      at = endOfComment(source, at);
    } else if (character === '"') {
      at = endOfString(source, at);
      add({ type: 'string', value: decode(source.slice(start + 1, at - 1)) });
    } else if (character === ',') {
      at += 1;
      if (frame === top) throw new NotebookError('it is not one expression');
      endItem(frame);
    } else if (character === '[') {
      at += 1;
      const head = headBefore(frame.current);
      const from = head?.start ?? start;
      if (head?.type === 'atom' && opaque.has(head.text)) {
        at = endOfBracket(source, at);
        add({ type: 'call', head, args: [], start: from, end: at });
      } else {
        open('[', from, head);
      }
    } else if (source.startsWith('<|', at)) {
      at += 2;
      open('<|', start);
    } else if (character === '{' || character === '(') {
      at += 1;
      open(character, start);
    } else if (source.startsWith('|>', at)) {
      at += 2;
      close('|>');
    } else if (character === ']' || character === '}' || character === ')') {
      at += 1;
      close(character);
    } else {
      at = endOfAtom(source, at);
      add({ type: 'atom', text: source.slice(start, at), start });
    }
  }
  if (frame !== top) throw new NotebookError('it ends in the middle');
  if (top.current.length !== 1) throw new NotebookError('it is not one expression');
  return top.current[0];
}

/** The head of a bracket: the name or call right before it. */
function headBefore(current) {
  const last = current.at(-1);
  const isHead = last?.type === 'call' || (last?.type === 'atom' && /^[\p{L}$`]/u.test(last.text));
  return isHead ? current.pop() : undefined;
}

function endItem(frame) {
  frame.items.push(itemOf(frame.current));
  frame.current = [];
}

const isArrow = ({ type, text }) => type === 'atom' && (text === '->' || text === ':>');

/** The item between two commas: one node, a rule, or nodes with operators between them. */
function itemOf(nodes) {
  const arrow = nodes.findIndex(isArrow);
  if (arrow <= 0) return runOf(nodes);
  // Further arrows stay in the value.
  return { type: 'rule', name: runOf(nodes.slice(0, arrow)), value: runOf(nodes.slice(arrow + 1)) };
}

const runOf = (nodes) => (nodes.length === 1 ? nodes[0] : { type: 'sequence', items: nodes });

function nodeOf({ open, items, start, head }, end) {
  if (open === '[')
    return { type: 'call', head: head ?? { type: 'atom', text: '' }, args: items, start, end };
  if (open === '(') return { type: 'sequence', items };
  return { type: 'list', items, start, end };
}

/** The end of a comment. Comments can be nested. */
function endOfComment(source, from) {
  const marks = /\(\*|\*\)/g;
  marks.lastIndex = from;
  let depth = 0;
  for (let found = marks.exec(source); found; found = marks.exec(source)) {
    depth += found[0] === '(*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  throw new NotebookError('a comment in it does not end');
}

function endOfString(source, from) {
  const marks = /["\\]/g;
  marks.lastIndex = from + 1;
  for (let found = marks.exec(source); found; found = marks.exec(source)) {
    if (found[0] === '"') return marks.lastIndex;
    marks.lastIndex += 1;
  }
  throw new NotebookError('a string in it does not end');
}

/** The end of a bracket that is not parsed. */
function endOfBracket(source, from) {
  const marks = /["[\]]|\(\*|\\\[\w+\]/g;
  marks.lastIndex = from;
  let depth = 1;
  for (let found = marks.exec(source); found; found = marks.exec(source)) {
    const [mark] = found;
    if (mark === '"') marks.lastIndex = endOfString(source, found.index);
    else if (mark === '(*') marks.lastIndex = endOfComment(source, found.index);
    else if (mark === '[') depth += 1;
    else if (mark === ']') depth -= 1;
    if (depth === 0) return marks.lastIndex;
  }
  throw new NotebookError('it ends in the middle');
}

/** A number, a name, an arrow, or one character of an operator. */
const atom = /->|:>|\\\[\w+\]|[\p{L}$`][\p{L}\d$`]*|\d[\d.`]*(?:\*\^-?\d+)?|[\s\S]/uy;

function endOfAtom(source, from) {
  atom.lastIndex = from;
  atom.exec(source);
  return atom.lastIndex;
}

const escapes =
  /\\(?:\[(\w+)\]|:([0-9a-fA-F]{4})|\|([0-9a-fA-F]{6})|\.([0-9a-fA-F]{2})|([0-7]{3})|(\r?\n)|([\s\S]))/gu;

/** Start of boxes in a decoded text: private characters of the Wolfram Language. */
export const boxStart = '\uf7c1\uf7c9\uf7c8';
export const boxEnd = '\uf7c0';

/** Letters after a backslash. Other marks of two-dimensional forms in texts are dropped. */
const letters = {
  n: '\n',
  t: '\t',
  r: '\n',
  b: '',
  f: '\n',
  '<': '',
  '>': '',
  '!': boxStart[0],
  '(': boxStart[1],
  '*': boxStart[2],
  ')': boxEnd,
};

/** Decodes the source of a string. */
function decode(written) {
  // Most strings have no backslash, and some are very long.
  if (!written.includes('\\')) return written;
  return written.replace(escapes, (whole, name, four, six, two, octal, line, letter) => {
    if (name !== undefined) return characterOf(name);
    const hex = four ?? six ?? two;
    if (hex !== undefined) return fromCode(Number.parseInt(hex, 16)) ?? whole;
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8));
    if (line !== undefined) return '';
    return letters[letter] ?? letter;
  });
}

function fromCode(code) {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
