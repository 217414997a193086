/** The app side of MCP Apps that this speaks: https://github.com/modelcontextprotocol/ext-apps, specification/2026-01-26. */
const protocolVersion = '2026-01-26';

/** How long a host may take to introduce itself. */
const introductionMs = 30_000;

/** How long any other answer may take: hosts ask their user for consent, and tools work. */
const answerMs = 300_000;

/** Sizes are told this long after the last change, so that a page that moves sends few messages; one that never rests, this often. */
const settledMs = 50;
const restlessMs = 500;

/**
 * Connects this page to the host that shows it. Handlers stand here, and not in calls that follow, so that none misses
 * a message; each is optional.
 *
 * @param {object} options
 * @param {string} options.name What the host may call this app.
 * @param {string} [options.version]
 * @param {readonly ('inline' | 'fullscreen' | 'pip')[]} [options.displayModes] The ways it can be shown.
 * @param {(input: object) => void} [options.onInput] The arguments of the tool call, complete.
 * @param {(input: object) => void} [options.onPartialInput] The arguments as far as the model has written them.
 * @param {(result: object) => void} [options.onResult] The tool's result: `content`, `structuredContent`, `isError`, `_meta`.
 * @param {(reason: string | undefined) => void} [options.onCancelled] There will be no result; one that comes is dropped.
 * @param {(context: object, changes: object) => void} [options.onContext] What is known of the host, at first and at every change.
 * @param {(from: 'app' | 'host', message: object) => void} [options.onMessage] Every message, to look at.
 * @param {() => unknown} [options.onTeardown] The page goes away when this is done.
 * @returns the app: `ready`, `host`, `context`, `can`, `callServerTool`, `readResource`, `openLink`, `sendMessage`,
 *   `updateModelContext`, `requestDisplayMode`, `log`, `request`, `notify`, each described below.
 */
export function connectApp({ name, version = '1.0.0', displayModes = ['inline'], ...on }) {
  const page = document.documentElement;
  const host = window.parent;

  // A host counts its own requests; these ids are strings with a mark of this page, so no answer is taken for another.
  const mark = `app-${Math.random().toString(36).slice(2)}-`;
  const pending = new Map();
  let count = 0;

  let hostFacts;
  let context = {};
  let isCancelled = false;
  let isOver = false;
  let stopObserving = () => {};

  const send = (message) => {
    on.onMessage?.('app', message);
    host.postMessage({ jsonrpc: '2.0', ...message }, '*');
  };
  const notify = (method, params) => send({ method, ...(params && { params }) });

  /** Sends a request at once and settles with its answer. */
  function ask(method, params, { timeoutMs = answerMs, signal } = {}) {
    return new Promise((resolve, reject) => {
      if (isOver) return reject(failure('The host has closed this app.'));
      if (signal?.aborted) return reject(signal.reason);
      const id = mark + ++count;

      const giveUp = (error) => {
        if (!pending.has(id)) return;
        settle();
        if (method !== 'ui/initialize')
          notify('notifications/cancelled', { requestId: id, reason: String(error?.message ?? error) });
        reject(error);
      };
      const onAbort = () => giveUp(signal.reason);
      const timer = setTimeout(
        () => giveUp(failure(`The host did not answer ${method} in time.`)),
        timeoutMs,
      );
      const settle = () => {
        pending.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };

      signal?.addEventListener('abort', onAbort);
      pending.set(id, ({ result, error }) => {
        settle();
        if (error) reject(failure(error.message, error));
        else resolve(result ?? {});
      });
      try {
        send({ id, method, params });
      } catch (error) {
        // What cannot be copied to the host is never sent, so nothing answers it.
        settle();
        reject(error);
      }
    });
  }

  /** What the host asks. */
  const requests = {
    __proto__: null,
    ping: () => {},
    'ui/resource-teardown': async () => {
      if (isOver) return;
      isOver = true;
      stopObserving();
      for (const settle of pending.values()) settle({ error: { message: 'The host has closed this app.' } });
      await call(on.onTeardown);
    },
  };

  /** What the host tells. */
  const notifications = {
    __proto__: null,
    'ui/notifications/tool-input-partial': (params) => {
      isCancelled = false;
      return call(on.onPartialInput, params.arguments ?? {});
    },
    'ui/notifications/tool-input': (params) => {
      isCancelled = false;
      return call(on.onInput, params.arguments ?? {});
    },
    'ui/notifications/tool-result': (params) => {
      if (!isCancelled) return call(on.onResult, params);
    },
    'ui/notifications/tool-cancelled': (params) => {
      isCancelled = true;
      return call(on.onCancelled, params.reason);
    },
    'ui/notifications/host-context-changed': adopt,
  };

  /** A handler that fails is told of and harms nothing else. */
  async function call(handler, ...args) {
    try {
      await handler?.(...args);
    } catch (error) {
      reportError(error);
    }
  }

  async function receive({ source, data }) {
    if (source !== host || data?.jsonrpc !== '2.0') return;
    on.onMessage?.('host', data);
    const { id, method, params } = data;
    // The method decides, not the id: a request of the host may have any id.
    if (typeof method !== 'string') return pending.get(id)?.(data);
    if (id === undefined) return isOver ? undefined : notifications[method]?.(params ?? {});
    if (!requests[method])
      return send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
    await requests[method]();
    send({ id, result: {} });
  }

  /** Takes over what the host says of itself, and shows the page in its way. */
  function adopt(changes) {
    const { variables, css } = changes.styles ?? {};
    context = {
      ...context,
      ...changes,
      styles: {
        ...context.styles,
        ...changes.styles,
        variables: { ...context.styles?.variables, ...variables },
        css: { ...context.styles?.css, ...css },
      },
    };
    if (changes.theme === 'light' || changes.theme === 'dark') {
      page.dataset.theme = changes.theme;
      page.style.colorScheme = changes.theme;
    }
    if (changes.displayMode) page.dataset.displayMode = changes.displayMode;
    for (const [key, value] of Object.entries(variables ?? {}))
      if (key.startsWith('--')) page.style.setProperty(key, value ?? '');
    for (const [side, width] of Object.entries(changes.safeAreaInsets ?? {}))
      page.style.setProperty(`--safe-area-${side}`, `${Number(width)}px`);
    if (typeof css?.fonts === 'string') fontSheet().textContent = css.fonts;
    call(on.onContext, context, changes);
  }

  function fontSheet() {
    const known = document.querySelector('style[data-host-fonts]');
    if (known) return known;
    const sheet = document.createElement('style');
    sheet.dataset.hostFonts = '';
    return document.head.appendChild(sheet);
  }

  /** Tells the host how large the content is, as long as it is shown. */
  function observeSize() {
    let told = '';
    let timer;
    let since = 0;
    const tell = () => {
      since = 0;
      const { height } = page.style;
      page.style.height = 'max-content';
      const content = Math.ceil(page.getBoundingClientRect().height);
      page.style.height = height;
      const fixed = context.containerDimensions ?? {};
      const size = {
        ...(fixed.width === undefined && { width: Math.max(window.innerWidth, page.scrollWidth) }),
        ...(fixed.height === undefined && { height: content }),
      };
      const text = JSON.stringify(size);
      if (text === told || text === '{}') return;
      told = text;
      notify('ui/notifications/size-changed', size);
    };
    const observer = new ResizeObserver(() => {
      const now = performance.now();
      since ||= now;
      clearTimeout(timer);
      timer = setTimeout(tell, Math.min(settledMs, since + restlessMs - now));
    });
    observer.observe(page);
    observer.observe(document.body);
    tell();
    stopObserving = () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }

  const can = (capability) => Boolean(hostFacts?.capabilities[capability]);

  /** Like `ask`, once the host is known, and only what it offers. A refusal is an error, in whichever form it comes. */
  async function request(method, params, options) {
    await ready;
    const capability = needed[method];
    if (capability && !can(capability)) throw failure(`The host does not offer ${capability}.`);
    const result = await ask(method, params, options);
    if (result.isError && method.startsWith('ui/')) throw failure('The host refused.');
    return result;
  }

  function log(level, data) {
    ready.then(
      () => can('logging') && !isOver && notify('notifications/message', { level, logger: name, data }),
      () => {},
    );
  }

  async function start() {
    if (host === window) throw failure('No host shows this page.');
    addEventListener('message', receive);
    const params = {
      protocolVersion,
      appInfo: { name, version },
      appCapabilities: { availableDisplayModes: [...displayModes] },
    };
    const result = await ask('ui/initialize', params, { timeoutMs: introductionMs });
    hostFacts = { info: result.hostInfo ?? {}, capabilities: result.hostCapabilities ?? {} };
    notify('ui/notifications/initialized');
    adopt(result.hostContext ?? {});
    observeSize();
    addEventListener('error', ({ message }) => log('error', message));
    addEventListener('unhandledrejection', ({ reason }) => log('error', String(reason)));
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      log('warning', `${effectiveDirective} blocked ${blockedURI}`),
    );
  }

  const ready = start();
  // Whoever awaits it hears of the failure; whoever does not shows the page without a host.
  ready.catch(() => {});

  return {
    /** Settles when host and app know each other; rejects when no host shows this page. Requests wait for it. */
    ready,
    /** `{ info, capabilities }` of the host, once ready. */
    get host() {
      return hostFacts;
    },
    /** Everything the host has said of itself: `theme`, `locale`, `toolInfo`, `displayMode`, … */
    get context() {
      return context;
    },
    /** Whether the host offers `serverTools`, `serverResources`, `openLinks`, `message`, `updateModelContext`, `logging`. */
    can,
    /** Calls a tool of the server this app comes from. A tool that fails answers with `isError`. */
    callServerTool: (tool, input = {}, options = undefined) =>
      request('tools/call', { name: tool, arguments: input }, options),
    /** Reads a resource of the server this app comes from. */
    readResource: (uri, options) => request('resources/read', { uri }, options),
    /** Asks the host to open an address in the user's browser. */
    openLink: (url, options) => request('ui/open-link', { url }, options),
    /** Says something to the model as the user: text, or content blocks. */
    sendMessage: (content, options) =>
      request('ui/message', { role: 'user', content: blocksOf(content) }, options),
    /** Sets what the model will know of this app at its next turn: `{ content?, structuredContent? }`. */
    updateModelContext: (known, options) => request('ui/update-model-context', known, options),
    /** Asks to be shown in another way, and gives the way in which the host does. */
    async requestDisplayMode(mode, options) {
      await ready;
      const shown = context.displayMode ?? 'inline';
      if (!displayModes.includes(mode) || !context.availableDisplayModes?.includes(mode)) return shown;
      const { mode: given } = await request('ui/request-display-mode', { mode }, options);
      if (given !== shown) adopt({ displayMode: given });
      return given;
    },
    /** Tells whoever develops: level `debug`, `info`, `warning` or `error`. */
    log,
    /** Any other request of the protocol. `options`: `{ timeoutMs, signal }`. */
    request,
    /** Any other notification of the protocol. */
    notify,
  };
}

/** What a host must offer for a request. */
const needed = {
  __proto__: null,
  'tools/call': 'serverTools',
  'resources/read': 'serverResources',
  'ui/open-link': 'openLinks',
  'ui/message': 'message',
  'ui/update-model-context': 'updateModelContext',
};

const blocksOf = (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);

const failure = (message, { code, data } = {}) => Object.assign(new Error(message), { code, data });
