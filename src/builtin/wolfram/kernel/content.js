/**
 * The blocks of an evaluation in order: for each expression its printed text, then its value.
 *
 * @param {readonly { index: number, line: number, text?: string, tail?: string, length?: number, image?: string }[]} outputs
 *   Outputs of expression `index`, in order. A long text has its beginning and its end only.
 * @param {readonly string[]} prints Printed text of each expression, then text printed after the last one.
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

/** Removes terminal control sequences and characters that JSON cannot hold. */
function tidied(text) {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .replace(/^\n+/, '')
    .trimEnd();
}

/** Limits the number of pieces so that each stays readable. Keeps the first and the last ones. */
function thinned(pieces, maxCharacters) {
  const half = Math.ceil(maxCharacters / 200);
  if (pieces.length <= 2 * half) return pieces;
  const text = `… ${pieces.length - 2 * half} outputs left out …`;
  return [...pieces.slice(0, half), { text, length: text.length }, ...pieces.slice(-half)];
}

/** Cuts pieces in the middle, longest first, until the total length fits. */
function shortened(pieces, maxCharacters) {
  const cap = fairCap(
    pieces.filter(({ length }) => length !== undefined).map(({ length }) => length),
    maxCharacters,
  );
  return pieces.map((piece) => (piece.image === undefined ? { text: fitted(piece, cap) } : piece));
}

/** The largest cap per piece with which all pieces fit in `total`. */
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

/** Joins neighbouring texts into one block. */
function joined(pieces) {
  const blocks = [];
  for (const { text, image } of pieces) {
    if (image !== undefined) blocks.push({ type: 'image', data: image, mimeType: 'image/png' });
    else if (blocks.at(-1)?.type === 'text') blocks.at(-1).text += `\n\n${text}`;
    else blocks.push({ type: 'text', text });
  }
  return blocks;
}

/** Appends a text to the blocks. */
export function withText(blocks, text, separator = '\n\n') {
  const last = blocks.at(-1);
  if (last?.type !== 'text') return [...blocks, { type: 'text', text }];
  return [...blocks.slice(0, -1), { ...last, text: `${last.text}${separator}${text}` }];
}
