/**
 * The blocks of an evaluation, in the order things came: what each expression printed, then its value.
 *
 * @param {readonly { index: number, line: number, text?: string, tail?: string, length?: number, image?: string }[]} outputs
 *   Of expression `index`, in order; a long text comes as its beginning and its end.
 * @param {readonly string[]} prints Of expression 0, 1, …, and what came after the last.
 */
export function blocksOf({ outputs, prints, maxCharacters }) {
  const pieces = [];
  let next = 0;
  const print = (upTo) => {
    for (; next < prints.length && next <= upTo; next += 1) {
      const printed = tidied(prints[next]);
      if (printed !== '') pieces.push({ text: printed, length: printed.length });
    }
  };
  for (const output of outputs) {
    print(output.index);
    pieces.push(...piecesOf(output));
  }
  print(prints.length);
  return joined(shortened(thinned(pieces, maxCharacters), maxCharacters));
}

function piecesOf({ line, text, tail = '', length, image }) {
  const label = `Out[${line}]=`;
  if (typeof image === 'string') return [{ text: label, length: label.length }, { image }];
  if (typeof text !== 'string') return [];
  const whole = Number.isInteger(length) ? length : text.length;
  return [{ label: `${label} `, text: tidied(text), tail: tidied(tail), length: whole }];
}

/** Without what terminals make of it, and as text that JSON can hold. */
function tidied(text) {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .replace(/^\n+/, '')
    .trimEnd();
}

/** So many pieces that each has room to say something; of more, the first and the last. */
function thinned(pieces, maxCharacters) {
  const half = Math.ceil(maxCharacters / 200);
  if (pieces.length <= 2 * half) return pieces;
  const text = `… ${pieces.length - 2 * half} outputs left out …`;
  return [...pieces.slice(0, half), { text, length: text.length }, ...pieces.slice(-half)];
}

/** Cut in the middle, the longest most, until all together is as long as it may be. */
function shortened(pieces, maxCharacters) {
  const cap = fairCap(
    pieces.filter(({ length }) => length !== undefined).map(({ length }) => length),
    maxCharacters,
  );
  return pieces.map((piece) => (piece.image === undefined ? { text: fitted(piece, cap) } : piece));
}

/** The longest that one may be, so that all together are not longer than `total`. */
function fairCap(lengths, total) {
  let left = total;
  const ascending = [...lengths].sort((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function fitted({ label = '', text, tail = '', length }, cap) {
  if (length <= cap && tail === '') return label + text;
  const end = tail === '' ? text : tail;
  const room = Math.min(cap, Math.max(length, 0));
  const head = text.slice(0, Math.ceil(room / 2));
  const rest = room < 2 ? '' : end.slice(-Math.floor(room / 2));
  const left = length - head.length - rest.length;
  if (left <= 0) return label + text;
  return `${label}${head.toWellFormed()}\n… ${left} characters left out …\n${rest.toWellFormed()}`;
}

/** Neighbouring texts are one block. */
function joined(pieces) {
  const blocks = [];
  for (const { text, image } of pieces) {
    if (image !== undefined) blocks.push({ type: 'image', data: image, mimeType: 'image/png' });
    else if (blocks.at(-1)?.type === 'text') blocks.at(-1).text += `\n\n${text}`;
    else blocks.push({ type: 'text', text });
  }
  return blocks;
}

/** Blocks with a text at their end. */
export function withText(blocks, text, separator = '\n\n') {
  const last = blocks.at(-1);
  if (last?.type !== 'text') return [...blocks, { type: 'text', text }];
  return [...blocks.slice(0, -1), { ...last, text: `${last.text}${separator}${text}` }];
}
