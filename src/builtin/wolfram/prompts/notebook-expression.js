import { characterOf } from './named-characters.js';

/** A notebook that cannot be read; the message says why. */
export class NotebookError extends Error {
  name = 'NotebookError';
}

/** A notebook that may be a good one. */
export class NotebookTooLarge extends NotebookError {
  name = 'NotebookTooLarge';
}

/** More would fill the memory; what is only drawn does not count, as it is not taken apart. */
const mostNodes = 3_000_000;

/** Expressions that are shown as they are written: pictures and data. */
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
 * Reads one Wolfram Language expression, as far as notebooks need it: strings, calls, lists and rules have a meaning,
 * operators stand between their operands. No recursion, so no depth is too deep.
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
    if (count > mostNodes) throw new NotebookTooLarge('it holds more than can be read');
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

/** What a bracket belongs to: the name or call right before it. */
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

/** What stands between two commas: one node, a rule, or several with operators between them. */
function itemOf(nodes) {
  const arrow = nodes.findIndex(isArrow);
  if (arrow <= 0) return runOf(nodes);
  // A further arrow stays in the value, as it is written.
  return { type: 'rule', name: runOf(nodes.slice(0, arrow)), value: runOf(nodes.slice(arrow + 1)) };
}

const runOf = (nodes) => (nodes.length === 1 ? nodes[0] : { type: 'sequence', items: nodes });

function nodeOf({ open, items, start, head }, end) {
  if (open === '[')
    return { type: 'call', head: head ?? { type: 'atom', text: '' }, args: items, start, end };
  if (open === '(') return { type: 'sequence', items };
  return { type: 'list', items, start, end };
}

/** Where a comment ends; they stand within each other, too. */
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
  throw new NotebookError('a text in it does not end');
}

/** Where a bracket ends that is not taken apart. */
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

/** A number, a name, an arrow, or any one character of an operator. */
const atom = /->|:>|\\\[\w+\]|[\p{L}$`][\p{L}\d$`]*|\d[\d.`]*(?:\*\^-?\d+)?|[\s\S]/uy;

function endOfAtom(source, from) {
  atom.lastIndex = from;
  atom.exec(source);
  return atom.lastIndex;
}

const escapes =
  /\\(?:\[(\w+)\]|:([0-9a-fA-F]{4})|\|([0-9a-fA-F]{6})|\.([0-9a-fA-F]{2})|([0-7]{3})|(\r?\n)|([\s\S]))/gu;

/** What a decoded text has where boxes begin and end in it, which are private characters of the Wolfram Language. */
export const boxStart = '\uf7c1\uf7c9\uf7c8';
export const boxEnd = '\uf7c0';

/** Letters after a backslash; other marks of two-dimensional forms in texts stand for nothing. */
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

/** The text of a string as it is written. */
function decode(written) {
  // Most have none, and some are very long.
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
