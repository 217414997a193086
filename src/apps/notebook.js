import { el, link, safeUrl, words } from './content.js';

/** Where notebooks are; the apps that show them declare these as frame domains. */
const notebookOrigins = ['https://www.wolframcloud.com', 'https://wolfr.am'];

const lowest = 100;
const highest = 4000;
const step = 40;
const patienceMs = 20_000;

/** What a result says of its notebook: in its metadata, in that of a block, or, where metadata got lost, in its text. */
export function notebookOf(result, blocks) {
  const told = [result, ...blocks]
    .map((one) => one?._meta?.notebookUrl)
    .find((url) => typeof url === 'string');
  if (told) return told;
  // Only the first block can be the mark: it stands before everything a tool's own output could hold.
  const mark = /^<result uuid="([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})">/i.exec(words(blocks[0]?.text));
  return mark ? `${notebookOrigins[0]}/obj/${mark[1]}?syntaxMethod=editor` : undefined;
}

/**
 * Shows a cloud notebook in a frame whose height the user can change. The engine that draws notebooks in a page needs
 * `eval` and a CDN, which hosts block; the cloud's own page needs neither.
 *
 * @param {object} options
 * @param {string} options.url
 * @param {number} [options.height]
 * @param {boolean} [options.allowInteract]
 * @param {(text: string, isBusy?: boolean) => void} options.onStatus
 * @param {HTMLElement} [options.beside] What the notebook shows better: it takes less room, and stays in sight, because a
 *   frame tells that it has loaded, and not whether it holds a notebook or words that there is none.
 * @returns the node, whether it is the notebook itself, and what ends it.
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
      // A frame that the host's policy blocks is loaded too, as a page of the browser's own.
      if (isOver) return;
      clearTimeout(timer);
      onStatus(allowInteract ? '' : 'This notebook is for viewing only.');
      beside?.setAttribute('data-beside', '');
      // What scrolls must be reached by keys.
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

/** What stands for a notebook that cannot be shown here. */
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

/** Changes the height of a frame, by pointer and by keyboard. */
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
      // The frame takes every pointer that is over it, so it is told to let them pass.
      node.dataset.dragged = 'true';
      handle.setPointerCapture(pointerId);
      const follow = own((event) => {
        // A button let go outside of the app may go unheard.
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
