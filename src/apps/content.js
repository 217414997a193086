/** The texts of a result are cut where they are longer than this together, so that none makes the page unusable. */
const longestText = 200_000;

/** So many blocks of a result are shown. */
const mostBlocks = 500;

/** Longer blocks are shown as they are: looking for marks in them could take long. */
const longestMarked = 20_000;

/** Texts of more lines, and tables of more cells, are shown as they are: a page bears only so many elements. */
const mostLines = 5000;
const mostCells = 20_000;

/** Quotes and lists in one another beyond this are shown as they are. */
const deepest = 6;

/**
 * An element with properties and children. What comes from outside is only ever text here: a string is a text node.
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

/** What a value says where a text is expected: what came from outside may be anything there. */
export function words(value) {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}

/** The address, if it is one a user may be sent to. */
export function safeUrl(text) {
  if (typeof text !== 'string' || text.length > 4000) return undefined;
  try {
    const url = new URL(text);
    return url.protocol === 'https:' && !url.username && !url.password ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A link that the host opens; where it will not, the address is shown instead. An unsafe address is no link. */
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
 * @param {boolean} [options.isMarkdown] Whether texts are Markdown; else they are shown as they are.
 * @param {(url: string) => boolean} [options.mayLoad] Which images beside embedded ones are shown.
 * @param {string} [options.alt] What an image shows, where nothing is known of it.
 */
export function contentNodes(app, blocks, { isMarkdown = false, mayLoad = () => false, alt = 'Image' } = {}) {
  const options = { app, mayLoad };
  let left = longestText;
  /** As much of a text as there is room for. */
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

/** Images in Markdown at the end of a text whose images follow as blocks. */
const lastImage = /!\[([^\]]{0,500})\]\([^)\s]{1,4000}\)\s*$/;
const longestImage = 5000;

/** Blocks in which an image has the name that the text before gives it, and the text does not show it as well. */
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

/** The blocks of a result, whatever came as one. */
export function blocksOf(result) {
  if (Array.isArray(result?.content)) return result.content;
  return typeof result?.text === 'string' ? [{ type: 'text', text: result.text }] : [];
}

/** The text of a block without what is meant for the model or for this page. */
export function bareText(text) {
  if (typeof text !== 'string') return '';
  // One more than is shown, so that whoever shows it sees that there was more.
  return between(text, '<system-reminder>', '</system-reminder>')
    .slice(0, longestText + 1)
    .replace(/\[This tool call rendered an interactive widget [^\]]{0,2000}\]/g, '')
    .replace(/<result uuid="[^"]{0,100}">|<\/result>/g, '')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
}

/** A text without everything from a start to its end. */
function between(text, start, end) {
  const [kept, ...rest] = text.split(start);
  return (
    kept +
    rest
      .map((part) => (part.includes(end) ? part.slice(part.indexOf(end) + end.length) : start + part))
      .join('')
  );
}

/** What stands where more would be too much for a page. */
export const shortened = '… (shortened)';

const unshown = 'This picture cannot be shown.';

/** A text, or as much of it as a page bears, with a word on the rest. */
export function cut(text, longest = longestText) {
  return text.length > longest ? `${text.slice(0, longest)}\n${shortened}` : text;
}

function dataUrl(kind, mimeType, data) {
  const isSafe = typeof mimeType === 'string' && typeof data === 'string' && /^[a-z0-9+/=\s]+$/i.test(data);
  return isSafe && new RegExp(`^${kind}/[\\w.+-]+$`).test(mimeType)
    ? `data:${mimeType};base64,${data}`
    : undefined;
}

/** The Markdown that tools write, as nodes: no HTML of it is ever anything but text. */
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
      // The first line is taken whatever it is, so that every turn takes one.
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

/** Code, image, link, strong, emphasis, address. Lengths are bounded, so that looking for an end takes no time. */
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

/** Whether stars are signs of products, as in 2*x*3, and no marks around words. */
function isProduct(text, { index, 0: { length } }) {
  return /[\w)\]}]/.test(text.charAt(index - 1)) || /\w/.test(text.charAt(index + length));
}

/**
 * An image where it may be shown and can be, and what stands for it otherwise.
 *
 * @param {() => Node} [options.instead] What that is: a link to it, unless told.
 */
export function imageNode(alt, address, { app, mayLoad, instead }) {
  const label = alt || 'Image';
  const otherwise = instead ?? (() => link(app, label, address));
  const isEmbedded = /^data:image\/[\w.+-]+;base64,[a-z0-9+/=]*$/i.test(address);
  return isEmbedded || (safeUrl(address) && mayLoad(address))
    ? picture(address, label, otherwise)
    : otherwise();
}

/** An image that something takes the place of when it cannot be loaded. */
function picture(src, alt, instead) {
  const image = el('img', { src, alt, onerror: () => image.replaceWith(instead()) });
  return image;
}
