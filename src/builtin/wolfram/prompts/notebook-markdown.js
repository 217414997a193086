import { boxEnd, boxStart, NotebookError, parseExpression } from './notebook-expression.js';

/** Deeper boxes and longer pictures become an ellipsis. */
const deepest = 300;
const longestPicture = 300;

const longestMarkdown = 1_000_000;

const headings = {
  Title: 1,
  Chapter: 1,
  Subtitle: 2,
  Subchapter: 2,
  Section: 2,
  Subsubtitle: 3,
  Subsection: 3,
  Subsubsection: 4,
  Subsubsubsection: 5,
  Subsubsubsubsection: 6,
};

const items = {
  Item: '- ',
  Subitem: '  - ',
  Subsubitem: '    - ',
  ItemNumbered: '1. ',
  SubitemNumbered: '   1. ',
  SubsubitemNumbered: '      1. ',
  ItemParagraph: '  ',
  SubitemParagraph: '    ',
  SubsubitemParagraph: '      ',
};

/** Fence language of code cells, by style. */
const code = {
  Input: 'wl',
  Code: 'wl',
  InitializationCell: 'wl',
  Output: 'wl',
  Program: '',
  ExternalLanguage: '',
  Print: '',
  Echo: '',
  Message: '',
  MSG: '',
};

/** Cell styles that show texts without quotation marks. */
const plain = new Set(['Print', 'Echo', 'Message', 'MSG']);

/** A notebook as Markdown. @throws NotebookError for an invalid notebook */
export function notebookMarkdown(source) {
  const notebook = parseExpression(source);
  if (headOf(notebook) !== 'Notebook') throw new NotebookError('it is not a notebook');
  const [content] = notebook.args;
  const cells = content?.type === 'list' ? content.items : content ? [content] : [];
  const parts = [];
  let length = 0;
  for (const cell of flatCells(cells)) {
    const part = cellMarkdown(cell, source);
    if (part === '') continue;
    parts.push(part);
    length += part.length;
    if (length > longestMarkdown)
      return `${parts.join('\n\n').slice(0, longestMarkdown)}\n\n… (cut: the notebook is longer than this)`;
  }
  return joined(parts);
}

/** Joins parts with blank lines; list items without. */
function joined(parts) {
  const isItem = (part) => /^ *(?:- |1\. )/.test(part);
  return parts
    .map((part, index) => {
      if (index === 0) return part;
      return (isItem(part) && isItem(parts[index - 1]) ? '\n' : '\n\n') + part;
    })
    .join('');
}

/** The cells of nested groups in order. */
function* flatCells(cells) {
  const stack = [cells.values()];
  while (stack.length > 0) {
    const { value: cell, done } = stack.at(-1).next();
    if (done) {
      stack.pop();
    } else if (headOf(cell) === 'Cell') {
      const [content] = cell.args;
      const isGroup = headOf(content) === 'CellGroupData';
      if (!isGroup) yield cell;
      else if (content.args[0]?.type === 'list') stack.push(content.args[0].items.values());
    }
  }
}

function cellMarkdown({ args }, source) {
  const [content, ...rest] = args;
  const style = rest.find(({ type }) => type === 'string')?.value ?? '';
  if (Object.hasOwn(code, style)) return codeMarkdown(content, style, rest, source);
  const text = new Texts(source, { isProse: true }).inCell(content).trim();
  if (text === '') return '';
  if (Object.hasOwn(headings, style)) return `${'#'.repeat(headings[style])} ${oneLine(text)}`;
  if (Object.hasOwn(items, style)) return indented(text, items[style]);
  if (style === 'Quote') return text.replace(/^/gm, '> ');
  if (style.startsWith('DisplayFormula')) return fenced(text, 'wl');
  return text;
}

function indented(text, mark) {
  return mark + text.replace(/\n/g, `\n${' '.repeat(mark.length)}`);
}

function codeMarkdown(content, style, rest, source) {
  const text = new Texts(source, { isPlain: plain.has(style) }).inCode(content).replace(/^\n+/, '').trimEnd();
  const label = stringOption(rest, 'CellLabel');
  const told = stringOption(rest, 'CellEvaluationLanguage') ?? '';
  const language = /^[\w+#.-]{1,30}$/.test(told) ? told.toLowerCase() : code[style];
  if (text === '') return '';
  if (label === undefined) return fenced(text, language);
  return fenced(
    /^(?:In|Out)\[/.test(label) ? `${label.trim()} ${text}` : `${label.trim()}\n${text}`,
    language,
  );
}

function stringOption(args, name) {
  const rule = args.find((one) => one.type === 'rule' && one.name.text === name);
  return rule?.value.type === 'string' ? rule.value.value : undefined;
}

/** Code in a fence that is longer than any fence in the code. */
function fenced(text, language) {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function headOf(node) {
  return node?.type === 'call' && node.head.type === 'atom' ? node.head.text : undefined;
}

/** Converts boxes and texts of one notebook. */
class Texts {
  #source;
  #isPlain;
  #isProse;
  #depth = 0;

  /**
   * @param {object} [options]
   * @param {boolean} [options.isPlain] True to omit the quotation marks of texts in code.
   * @param {boolean} [options.isProse] True to convert grids to text tables, not to nested lists.
   */
  constructor(source, { isPlain = false, isProse = false } = {}) {
    this.#source = source;
    this.#isPlain = isPlain;
    this.#isProse = isProse;
  }

  /** Content of a text cell. */
  inCell(node) {
    const head = headOf(node);
    if (head === 'TextData') return this.#prose(node.args[0]);
    if (head === 'BoxData' || head === 'RawData' || head === 'OutputFormData') return this.inCode(node);
    return this.#prose(node);
  }

  /** Content of a code cell. */
  inCode(node) {
    const head = headOf(node);
    const boxes = ['BoxData', 'RawData', 'OutputFormData', 'TextData'].includes(head) ? node.args[0] : node;
    return this.#box(boxes);
  }

  /** Text with Markdown syntax. */
  #prose(node) {
    return this.#within(() => {
      if (!node) return '';
      if (node.type === 'string') return this.#typed(node.value);
      if (node.type === 'list') return node.items.map((item) => this.#prose(item)).join('');
      const head = headOf(node);
      if (head === 'StyleBox') return this.#styled(node);
      if (head === 'ButtonBox') return this.#button(node);
      if (head === 'Cell') {
        const text = this.inCode(node.args[0]);
        return headOf(node.args[0]) === 'TextData' ? text : inlineCode(text);
      }
      return this.#box(node);
    });
  }

  #styled({ args: [content, ...options] }) {
    const text = this.#prose(content);
    const styles = options.filter(({ type }) => type === 'string').map(({ value }) => value);
    const says = (name, value) =>
      options.some((one) => one.type === 'rule' && one.name.text === name && wordOf(one.value) === value);
    if (styles.some((style) => /Code|Program|Input/.test(style))) return inlineCode(text);
    const isStrong = says('FontWeight', 'Bold') || styles.includes('Strong');
    const isSlanted =
      says('FontSlant', 'Italic') || ['TI', 'Emphasis'].some((style) => styles.includes(style));
    return marked(marked(text, isSlanted ? '*' : ''), isStrong ? '**' : '');
  }

  #button({ args: [content, ...options] }) {
    const label = this.#prose(content);
    const data = options.find((one) => one.type === 'rule' && one.name.text === 'ButtonData')?.value;
    const url = (data?.type === 'list' ? data.items : [data]).find((one) => headOf(one) === 'URL');
    const address = url?.args[0]?.value;
    return /^https?:\/\/[^\s()<>]+$/.test(address ?? '') ? `[${label}](${address})` : label;
  }

  /** Boxes in the form that users type. */
  #box(node) {
    return this.#within(() => {
      if (!node) return '';
      if (node.type === 'string')
        return this.#typed(this.#isPlain ? printed(node.value) : withoutPrecision(node.value));
      if (node.type === 'atom') return node.text;
      if (node.type === 'list') return node.items.map((item) => this.#box(item)).join('');
      if (node.type === 'rule') return `${this.#box(node.name)} -> ${this.#box(node.value)}`;
      if (node.type === 'sequence') return node.items.map((item) => this.#box(item)).join('');
      const head = headOf(node);
      if (head === 'InterpretationBox') return this.#interpreted(node);
      if (head === 'GridBox' && this.#isProse) return this.#table(node);
      if (Object.hasOwn(forms, head)) return forms[head](node.args, (one) => this.#box(one));
      if (firstShown.has(head)) return this.#box(node.args[0]);
      return this.#asWritten(node);
    });
  }

  /** A text with its embedded boxes. */
  #typed(text) {
    const parts = [];
    let at = 0;
    for (let start = text.indexOf(boxStart); start !== -1; start = text.indexOf(boxStart, at)) {
      const from = start + boxStart.length;
      const end = endOfBox(text, from);
      parts.push(text.slice(at, start), this.#boxIn(text.slice(from, end)));
      at = end;
    }
    return withoutMarks([...parts, text.slice(at)].join(''));
  }

  #boxIn(text) {
    try {
      const written = withoutMarks(text);
      return new Texts(written).inCode(parseExpression(written));
    } catch (error) {
      if (error instanceof NotebookError) return withoutMarks(text);
      throw error;
    }
  }

  /** The shown form, or the meaning if the shown form is a drawing. */
  #interpreted({ args: [shown, meant] }) {
    const text = this.#box(shown);
    const isDrawn = /\b(?:DynamicModuleBox|Graphics(?:3D)?Box)\[/.test(text);
    return isDrawn && meant?.type === 'call' ? this.#asWritten(meant) : text;
  }

  #table({ args: [rows] }) {
    return (rows?.items ?? [])
      .map((one) => (one.items ?? [one]).map((cell) => this.#box(cell).trim()))
      .map((cells) => cells.filter((cell) => cell !== '').join(' | '))
      .join('\n');
  }

  /** Source text of pictures and unknown boxes. */
  #asWritten({ start, end }) {
    const written = this.#source.slice(start, Math.min(end, start + 4 * longestPicture)).replace(/\s+/g, ' ');
    return written.length > longestPicture || end > start + 4 * longestPicture
      ? `${written.slice(0, longestPicture)}…`
      : written;
  }

  #within(work) {
    if (this.#depth > deepest) return '…';
    this.#depth += 1;
    try {
      return work();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** The end of boxes in a text. Boxes can be nested. */
function endOfBox(text, from) {
  const marks = new RegExp(`[${boxStart[1]}${boxEnd}]`, 'g');
  marks.lastIndex = from;
  let depth = 1;
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    depth += found[0] === boxEnd ? -1 : 1;
    if (depth === 0) return found.index;
  }
  return text.length;
}

function withoutMarks(text) {
  return text.replace(/[\uf7c0\uf7c1\uf7c8\uf7c9]/g, '');
}

/** Boxes that show their first part. */
const firstShown = new Set([
  'BoxData',
  'StyleBox',
  'TagBox',
  'FormBox',
  'ButtonBox',
  'FrameBox',
  'PanelBox',
  'PaneBox',
  'PaneSelectorBox',
  'ErrorBox',
  'AdjustmentBox',
  'ItemBox',
  'RotationBox',
  'TooltipBox',
  'ActionMenuBox',
  'TextData',
  'Cell',
]);

const isSimple = (text) =>
  /^(?:[\p{L}\d$.`]+|"[^"]*"|\([^()]*\)|\{[^{}]*\}|[\p{L}\d$`]+\[[^[\]]*\])$/u.test(text);
const inside = (text) => (isSimple(text) ? text : `(${text})`);

/** Boxes with a form that users can type. */
const forms = {
  __proto__: null,
  RowBox: ([list], text) => row((list?.items ?? []).map(text)),
  SuperscriptBox: ([base, power], text) => raised(text(base), text(power)),
  SubscriptBox: ([base, index], text) => `Subscript[${text(base)}, ${text(index)}]`,
  SubsuperscriptBox: ([base, index, power], text) =>
    raised(`Subscript[${text(base)}, ${text(index)}]`, text(power)),
  FractionBox: ([above, below], text) => `${inside(text(above))}/${inside(text(below))}`,
  SqrtBox: ([radicand], text) => `Sqrt[${text(radicand)}]`,
  RadicalBox: ([radicand, index], text) => `${inside(text(radicand))}^(1/${inside(text(index))})`,
  OverscriptBox: ([base, above], text) => `Overscript[${text(base)}, ${text(above)}]`,
  UnderscriptBox: ([base, below], text) => `Underscript[${text(base)}, ${text(below)}]`,
  UnderoverscriptBox: ([base, below, above], text) =>
    `Underoverscript[${text(base)}, ${text(below)}, ${text(above)}]`,
  GridBox: ([rows], text) =>
    `{${(rows?.items ?? []).map((one) => `{${(one.items ?? [one]).map(text).join(', ')}}`).join(', ')}}`,
  TemplateBox: ([args, name], text) => templated((args?.items ?? []).map(text), name?.value ?? ''),
  CounterBox: () => '',
};

/** Shown form of templates, by name, with the required number of parts. Other templates show name and arguments. */
const templates = {
  __proto__: null,
  Quantity: { needs: 2, show: ([amount, unit]) => `${amount} ${bare(unit)}` },
  Superscript: { needs: 2, show: ([base, power]) => raised(base, power) },
  Subscript: { needs: 2, show: ([base, index]) => `Subscript[${base}, ${index}]` },
  RowDefault: { needs: 0, show: (parts) => parts.join('') },
  RowWithSeparators: { needs: 1, show: ([separator, ...parts]) => parts.join(bare(separator)) },
  HyperlinkURL: { needs: 2, show: ([label, address]) => `${bare(label)} (${bare(address)})` },
  Entity: { needs: 1, show: ([label]) => bare(label) },
  MessageTemplate: { needs: 3, show: ([symbol, tag, words]) => `${symbol}::${tag}: ${words}` },
};

function templated(parts, name) {
  const template = templates[name];
  return template && parts.length >= template.needs ? template.show(parts) : `${name}[${parts.join(', ')}]`;
}

/** A text in printed form: without quotation marks and characters that hide others. */
function printed(text) {
  return /^".*"$/s.test(text) ? bare(text).replace(/\\(["\\])/g, '$1') : text;
}

/** A number in shown form. The source has its precision after a backquote. */
const withoutPrecision = (text) => text.replace(/^(\d+(?:\.\d*)?)`[\d.]*(?=$|\*\^-?\d+$)/, '$1');

const bare = (text = '') => text.replace(/^"|"$/g, '');

function raised(base, power) {
  return /^[′'″]+$/.test(power)
    ? base + power.replace(/′/g, "'").replace(/″/g, "''")
    : `${inside(base)}^${inside(power)}`;
}

const binary = new Set(
  ':= = -> :> == != <= >= < > + - && || /. //. // /; /@ @@ |-> <> ^= += -= *= /= ==='.split(' '),
);

/** Parts of a row, with spaces after commas and around operators. */
function row(parts) {
  return parts
    .map((part, index) => {
      const isSpaced = index === parts.length - 1 || /^(?:\s|$)/.test(parts[index + 1]);
      if (part === ',') return isSpaced ? part : ', ';
      if (!binary.has(part) || index === 0) return part;
      const isApart = /\s$/.test(parts[index - 1]);
      return `${isApart ? '' : ' '}${part}${isSpaced ? '' : ' '}`;
    })
    .join('');
}

function oneLine(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
}

function wordOf(node) {
  return node.type === 'string' ? node.value : node.text;
}

function marked(text, mark) {
  if (mark === '' || text.trim() === '') return text;
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  return text.slice(0, start) + mark + text.slice(start, end) + mark + text.slice(end);
}

function inlineCode(text) {
  const line = oneLine(text);
  if (line === '') return '';
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}
