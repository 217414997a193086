import { el, link, safeUrl, words } from './content.js';

/** Origins of notebooks. Apps that show notebooks declare these as frame domains. */
const notebookOrigins = ['https://www.wolframcloud.com', 'https://wolfr.am'];

const lowest = 100;
const highest = 4000;
const step = 40;
const patienceMs = 20_000;

/** Notebook facts of a result: from its metadata, the metadata of a block, or its text if metadata was lost. */
export function notebookOf(result, blocks) {
  const told = [result, ...blocks]
    .map((one) => one?._meta?.notebookUrl)
    .find((url) => typeof url === 'string');
  if (told) return told;
  // Only the first block can be the mark: the server writes it before all output of the tool.
  const mark = /^<result uuid="([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})">/i.exec(words(blocks[0]?.text));
  return mark ? `${notebookOrigins[0]}/obj/${mark[1]}?syntaxMethod=editor` : undefined;
}

/**
 * Shows a cloud notebook in a frame with adjustable height. Embedding the notebook engine in a page requires
 * `eval` and a CDN, which hosts block. The page of the cloud requires neither.
 *
 * @param {object} options
 * @param {string} options.url
 * @param {number} [options.height]
 * @param {boolean} [options.allowInteract]
 * @param {(text: string, isBusy?: boolean) => void} options.onStatus
 * @param {HTMLElement} [options.beside] Content that the notebook shows better. It shrinks but stays visible, because
 *   a loaded frame can hold an error page instead of a notebook.
 * @returns the node, a flag for a real notebook, and a function that removes it.
 */
export function notebook(app, { url: address, height = 480, allowInteract = true, onStatus, beside }) {
  const url = safeUrl(address);
  const isShown = url !== undefined && notebookOrigins.includes(url.origin);
  if (!isShown) {
    onStatus('');
    return { node: instead(app, address, url), isFrame: false, end: () => {} };
  }

  const frame = el('iframe', {
    title: 'Wolfram notebook',
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups allow-downloads',
    ...(!allowInteract && { inert: '' }),
    onload() {
      // The browser also fires `load` for a frame that the host's policy blocks.
      if (isOver) return;
      clearTimeout(timer);
      onStatus(allowInteract ? '' : 'This notebook is for viewing only.');
      beside?.setAttribute('data-beside', '');
      // Scrollable content must be reachable by keyboard.
      beside?.setAttribute('tabindex', '0');
    },
  });
  const node = el('div', { class: 'notebook' }, frame);
  node.append(grip(node, frame, Math.min(Math.max(height, lowest), highest)));

  let isOver = false;
  const onBlocked = ({ effectiveDirective }) => {
    if (effectiveDirective !== 'frame-src') return;
    end();
    node.replaceWith(instead(app, address, url));
  };
  const timer = setTimeout(
    () => onStatus('The notebook is slow to load. It can also be opened in a browser.'),
    patienceMs,
  );
  const end = () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener('securitypolicyviolation', onBlocked);
    beside?.removeAttribute('data-beside');
    beside?.removeAttribute('tabindex');
    onStatus('');
  };
  document.addEventListener('securitypolicyviolation', onBlocked);
  onStatus('Loading the notebook…', true);
  frame.src = url.href;
  return { node, isFrame: true, end };
}

/** The replacement of a notebook that cannot be shown. */
function instead(app, address, url) {
  if (!url)
    return el(
      'div',
      { class: 'content' },
      el('p', {}, 'This is not the address of a notebook in the Wolfram Cloud:'),
      el('pre', { tabindex: '0' }, String(address).slice(0, 20_000)),
    );
  return el(
    'div',
    { class: 'content' },
    el('p', {}, 'The notebook cannot be shown here.'),
    el('p', {}, link(app, `Open ${url.hostname}${url.pathname} in a browser`, url.href)),
  );
}

/** Changes the height of a frame by pointer and by keyboard. */
function grip(node, frame, height) {
  const set = (wanted) => {
    const next = Math.round(Math.min(Math.max(wanted, lowest), highest));
    frame.style.height = `${next}px`;
    handle.setAttribute('aria-valuenow', String(next));
  };
  const keys = { ArrowDown: step, ArrowUp: -step, PageDown: 5 * step, PageUp: -5 * step };
  const handle = el('div', {
    class: 'grip',
    role: 'separator',
    tabindex: '0',
    'aria-orientation': 'horizontal',
    'aria-label': 'Height of the notebook',
    'aria-valuemin': String(lowest),
    'aria-valuemax': String(highest),
    onkeydown(event) {
      if (!keys[event.key]) return;
      event.preventDefault();
      set(frame.offsetHeight + keys[event.key]);
    },
    onpointerdown({ pointerId, clientY, button }) {
      if (button !== 0 || node.dataset.dragged) return;
      const from = frame.offsetHeight - clientY;
      const ending = new AbortController();
      const own = (listen) => (event) => event.pointerId === pointerId && listen(event);
      const options = { signal: ending.signal };
      const finish = own(() => {
        delete node.dataset.dragged;
        ending.abort();
      });
      // The frame captures every pointer above it, so disable its pointer events during the drag.
      node.dataset.dragged = 'true';
      handle.setPointerCapture(pointerId);
      const follow = own((event) => {
        // The page misses a button released outside the app.
        if (event.buttons === 0) finish(event);
        else set(from + event.clientY);
      });
      addEventListener('pointermove', follow, options);
      addEventListener('pointerup', finish, options);
      addEventListener('pointercancel', finish, options);
    },
  });
  set(height);
  return handle;
}
