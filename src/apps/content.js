/** Limit of all texts of a result together, so that the page stays usable. */
const longestText = 200_000;

/** Most blocks of a result that are shown. */
const mostBlocks = 500;

/** Longer blocks are shown as plain text: the search for Markdown could take long. */
const longestMarked = 20_000;

/** Texts with more lines and tables with more cells are shown as plain text, to limit the elements of a page. */
const mostLines = 5000;
const mostCells = 20_000;

/** Quotes and lists nested deeper are shown as plain text. */
const deepest = 6;

/**
 * Creates an element with properties and children. Strings become text nodes, so external text is never HTML.
 *
 * @param {string} tag
 * @param {object} [properties] Attributes; `on…` are listeners.
 * @param {...(Node | string | undefined)} children
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** Text of an external value of any type. */
export function words(value) {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}

/** The URL if it is safe to open; otherwise undefined. */
export function safeUrl(text) {
  if (typeof text !== 'string' || text.length > 4000) return undefined;
  try {
    const url = new URL(text);
    return url.protocol === 'https:' && !url.username && !url.password ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A link that the host opens. Shows the URL as text if the host refuses it. An unsafe URL is not a link. */
export function link(app, label, address) {
  const url = safeUrl(address);
  if (!url) return el('span', {}, label);
  const anchor = el(
    'a',
    {
      href: url.href,
      title: url.href,
      target: '_blank',
      rel: 'noopener noreferrer',
      async onclick(event) {
        event.preventDefault();
        try {
          await app.openLink(url.href);
        } catch {
          anchor.replaceWith(el('span', { tabindex: '-1' }, `${label}: ${url.href}`));
        }
      },
    },
    label,
  );
  return anchor;
}

/**
 * Content blocks of a tool result as nodes.
 *
 * @param {object} options
 * @param {boolean} [options.isMarkdown] True if texts are Markdown. Default: plain text.
 * @param {(url: string) => boolean} [options.mayLoad] Reports if an external image may be loaded.
 * @param {string} [options.alt] Default alternative text of images.
 */
export function contentNodes(app, blocks, { isMarkdown = false, mayLoad = () => false, alt = 'Image' } = {}) {
  const options = { app, mayLoad };
  let left = longestText;
  /** The part of a text that fits the remaining limit. */
  const fitted = (text) => {
    const kept = cut(text, left);
    left -= Math.min(text.length, left);
    return kept;
  };
  const kinds = {
    __proto__: null,
    text: ({ text }) => {
      const bare = fitted(bareText(text));
      if (bare === '') return [];
      return isMarkdown ? [...markdown(bare, options).childNodes] : [el('pre', { tabindex: '0' }, bare)];
    },
    image: ({ data, mimeType, alt: own }) => {
      const address = dataUrl('image', mimeType, data);
      return address ? [picture(address, words(own) || alt, () => el('p', { class: 'quiet' }, unshown))] : [];
    },
    audio: ({ data, mimeType }) => {
      const address = dataUrl('audio', mimeType, data);
      return address ? [el('audio', { src: address, controls: '' })] : [];
    },
    resource_link: ({ uri, title, name }) => {
      const label = words(title) || words(name) || words(uri);
      return label ? [el('p', {}, link(app, fitted(label), uri))] : [];
    },
    resource: ({ resource }) => {
      const text = bareText(resource?.text);
      return text ? [el('pre', { tabindex: '0' }, fitted(text))] : [];
    },
  };
  const nodes = [];
  const shown = blocks.slice(0, mostBlocks);
  for (const block of isMarkdown ? named(shown) : shown) {
    if (left > 0 && nodes.length < mostLines) nodes.push(...(kinds[words(block?.type)]?.(block) ?? []));
  }
  if (blocks.length > mostBlocks) nodes.push(el('p', {}, shortened));
  return nodes;
}

/** An image in Markdown at the end of a text, with the image itself as the next block. */
const lastImage = /!\[([^\]]{0,500})\]\([^)\s]{1,4000}\)\s*$/;
const longestImage = 5000;

/** Gives an image block the name from the text before it, and removes the image from that text. */
function named(blocks) {
  const all = [...blocks];
  for (const [index, block] of blocks.entries()) {
    const text = block?.type === 'image' ? blocks[index - 1]?.text : undefined;
    if (typeof text !== 'string' || !dataUrl('image', block.mimeType, block.data)) continue;
    const found = lastImage.exec(text.slice(-longestImage));
    if (!found) continue;
    all[index - 1] = { ...all[index - 1], text: text.slice(0, text.length - found[0].length) };
    all[index] = { ...block, alt: found[1] };
  }
  return all;
}

/** The blocks of any value in place of a result. */
export function blocksOf(result) {
  if (Array.isArray(result?.content)) return result.content;
  return typeof result?.text === 'string' ? [{ type: 'text', text: result.text }] : [];
}

/** The text of a block without the parts for the model or for this page. */
export function bareText(text) {
  if (typeof text !== 'string') return '';
  // One character above the limit, so that callers detect the cut.
  return between(text, '<system-reminder>', '</system-reminder>')
    .slice(0, longestText + 1)
    .replace(/\[This tool call rendered an interactive widget [^\]]{0,2000}\]/g, '')
    .replace(/<result uuid="[^"]{0,100}">|<\/result>/g, '')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
}

/** Removes every part of a text from a start mark to its end mark. */
function between(text, start, end) {
  const [kept, ...rest] = text.split(start);
  return (
    kept +
    rest
      .map((part) => (part.includes(end) ? part.slice(part.indexOf(end) + end.length) : start + part))
      .join('')
  );
}

/** Placeholder for content above a limit. */
export const shortened = '… (shortened)';

const unshown = 'This picture cannot be shown.';

/** Cuts a text to the limit and appends a note. */
export function cut(text, longest = longestText) {
  return text.length > longest ? `${text.slice(0, longest)}\n${shortened}` : text;
}

function dataUrl(kind, mimeType, data) {
  const isSafe = typeof mimeType === 'string' && typeof data === 'string' && /^[a-z0-9+/=\s]+$/i.test(data);
  return isSafe && new RegExp(`^${kind}/[\\w.+-]+$`).test(mimeType)
    ? `data:${mimeType};base64,${data}`
    : undefined;
}

/** Markdown of tools as nodes. HTML in it stays text. */
export function markdown(text, options) {
  const fragment = document.createDocumentFragment();
  const lines = cut(text).split(/\r?\n/);
  if (lines.length > mostLines) fragment.append(asItIs(lines));
  else fragment.append(...blockNodes(lines, { mayLoad: () => false, ...options }, 0));
  return fragment;
}

const asItIs = (lines) => el('pre', { tabindex: '0' }, lines.join('\n'));

const fence = /^ {0,3}```/;
const heading = /^ {0,3}(#{1,6})\s([\s\S]*)$/;
const rule = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const quote = /^ {0,3}> ?/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])\s+/;
const isTableRule = (line) => /^[\s|:-]+$/.test(line) && line.includes('-') && line.includes('|');

function blockNodes(lines, options, depth) {
  const nodes = [];
  let at = 0;
  const takeWhile = (fits) => {
    const from = at;
    while (at < lines.length && fits(lines[at])) at += 1;
    return lines.slice(from, at);
  };

  while (at < lines.length) {
    const line = lines[at];
    if (line.trim() === '') {
      at += 1;
    } else if (fence.test(line)) {
      at += 1;
      nodes.push(
        el('pre', { tabindex: '0' }, el('code', {}, takeWhile((one) => !fence.test(one)).join('\n'))),
      );
      at += 1;
    } else if (heading.test(line)) {
      const [, marks, title] = heading.exec(line);
      nodes.push(el(`h${Math.max(marks.length, 2)}`, {}, ...inlineNodes(title.trim(), options)));
      at += 1;
    } else if (rule.test(line)) {
      nodes.push(el('hr'));
      at += 1;
    } else if (depth < deepest && quote.test(line)) {
      const quoted = takeWhile((one) => quote.test(one)).map((one) => one.replace(quote, ''));
      nodes.push(el('blockquote', { class: 'content' }, ...blockNodes(quoted, options, depth + 1)));
    } else if (depth < deepest && item.test(line)) {
      nodes.push(
        listNode(
          takeWhile((one) => item.test(one) || /^\s+\S/.test(one)),
          options,
          depth,
        ),
      );
    } else if (line.includes('|') && isTableRule(lines[at + 1] ?? '')) {
      nodes.push(
        tableNode(
          takeWhile((one) => one.includes('|')),
          options,
        ),
      );
    } else {
      // Take the first line unconditionally, so that each round makes progress.
      const first = at;
      const text = takeWhile((one) => at === first || isText(one));
      nodes.push(el('p', {}, ...inlineNodes(text.join('\n'), options)));
    }
  }
  return nodes;
}

function isText(line) {
  return line.trim() !== '' && ![fence, heading, rule, quote, item].some((mark) => mark.test(line));
}

function listNode(lines, options, depth) {
  const isOrdered = /^\s*\d/.test(lines[0]);
  const indent = (line) => line.search(/\S/);
  const items = [];
  for (const line of lines) {
    if (item.test(line) && indent(line) < indent(lines[0]) + 2) items.push([line.replace(item, '')]);
    else items.at(-1).push(line.replace(/^ {1,4}|^\t/, ''));
  }
  const nodes = items.map((own) => {
    const [first, ...rest] = own;
    return el('li', {}, ...inlineNodes(first, options), ...blockNodes(rest, options, depth + 1));
  });
  const start = isOrdered ? Number.parseInt(lines[0], 10) : 1;
  return el(isOrdered ? 'ol' : 'ul', start === 1 ? {} : { start: String(start) }, ...nodes);
}

function tableNode(lines, options) {
  if (lines.join('').split('|').length > mostCells) return asItIs(lines);
  const [head, , ...rows] = lines;
  const cells = (line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|');
  const row = (line, tag) =>
    el('tr', {}, ...cells(line).map((cell) => el(tag, {}, ...inlineNodes(cell.trim(), options))));
  return el(
    'table',
    { tabindex: '0' },
    el('thead', {}, row(head, 'th')),
    el('tbody', {}, ...rows.map((line) => row(line, 'td'))),
  );
}

/** Code, image, link, strong, emphasis, URL. Bounded lengths keep the search for an end fast. */
const marks =
  /`([^`\n]{1,2000})`|!\[([^\]]{0,500})\]\(([^)\s]{1,4000})\)|\[([^\]]{1,500})\]\(([^)\s]{1,4000})\)|\*\*([^\n]{1,2000}?)\*\*|\*([^*\s][^*\n]{0,2000})\*|(https:\/\/[^\s<>"')\]]{1,2000})/g;

function inlineNodes(text, options, depth = 0) {
  if (text.length > longestMarked || depth > deepest) return [text];
  const nodes = [];
  const look = new RegExp(marks);
  let end = 0;
  for (let found = look.exec(text); found; found = look.exec(text)) {
    const [whole, code, alt, image, label, target, strong, emphasis, address] = found;
    if ((strong ?? emphasis) !== undefined && isProduct(text, found)) {
      look.lastIndex = found.index + (strong === undefined ? 1 : 2);
      continue;
    }
    nodes.push(text.slice(end, found.index));
    end = found.index + whole.length;
    if (code !== undefined) nodes.push(el('code', {}, code));
    else if (image !== undefined) nodes.push(imageNode(alt, image, options));
    else if (target !== undefined) nodes.push(safeUrl(target) ? link(options.app, label, target) : whole);
    else if (strong !== undefined) nodes.push(el('strong', {}, ...inlineNodes(strong, options, depth + 1)));
    else if (emphasis !== undefined) nodes.push(el('em', {}, ...inlineNodes(emphasis, options, depth + 1)));
    else nodes.push(link(options.app, address, address));
  }
  return [...nodes, text.slice(end)].filter((node) => node !== '');
}

/** Detects stars that are multiplication signs, as in 2*x*3, not emphasis. */
function isProduct(text, { index, 0: { length } }) {
  return /[\w)\]}]/.test(text.charAt(index - 1)) || /\w/.test(text.charAt(index + length));
}

/**
 * An image if it may be loaded; otherwise its replacement.
 *
 * @param {() => Node} [options.instead] Creates the replacement. Default: a link to the image.
 */
export function imageNode(alt, address, { app, mayLoad, instead }) {
  const label = alt || 'Image';
  const otherwise = instead ?? (() => link(app, label, address));
  const isEmbedded = /^data:image\/[\w.+-]+;base64,[a-z0-9+/=]*$/i.test(address);
  return isEmbedded || (safeUrl(address) && mayLoad(address))
    ? picture(address, label, otherwise)
    : otherwise();
}

/** An image that is replaced if it cannot be loaded. */
function picture(src, alt, instead) {
  const image = el('img', { src, alt, onerror: () => image.replaceWith(instead()) });
  return image;
}
