/** Supported revision of MCP Apps: https://github.com/modelcontextprotocol/ext-apps, specification/2026-01-26. */
const protocolVersion = '2026-01-26';

/** Time limit for the response to `ui/initialize`. */
const introductionMs = 30_000;

/** Time limit for all other responses. Hosts ask the user for consent, and tools take time. */
const answerMs = 300_000;

/** Delay of the size message after the last change; interval between size messages of a page that keeps changing. */
const settledMs = 50;
const restlessMs = 500;

/**
 * Connects this page to its host. All handlers are options, so that none misses an early message; each is optional.
 *
 * @param {object} options
 * @param {string} options.name Name of the app, for the host.
 * @param {string} [options.version]
 * @param {readonly ('inline' | 'fullscreen' | 'pip')[]} [options.displayModes] Supported display modes.
 * @param {(input: object) => void} [options.onInput] The complete arguments of the tool call.
 * @param {(input: object) => void} [options.onPartialInput] The arguments that the model has written so far.
 * @param {(result: object) => void} [options.onResult] The tool's result: `content`, `structuredContent`, `isError`, `_meta`.
 * @param {(reason: string | undefined) => void} [options.onCancelled] The call was cancelled. A later result is dropped.
 * @param {(context: object, changes: object) => void} [options.onContext] The host context, at first and after each change.
 * @param {(from: 'app' | 'host', message: object) => void} [options.onMessage] Every message, for display.
 * @param {() => unknown} [options.onTeardown] The host removes the page after this is done.
 * @returns the app: `ready`, `host`, `context`, `can`, `callServerTool`, `readResource`, `openLink`, `sendMessage`,
 *   `updateModelContext`, `requestDisplayMode`, `log`, `request`, `notify`, each described below.
 */
export function connectApp({ name, version = '1.0.0', displayModes = ['inline'], ...on }) {
  const page = document.documentElement;
  const host = window.parent;

  // Hosts number their own requests. String ids with a mark of this page cannot collide with them.
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

  /** Sends a request at once and settles with the response. */
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
        // A value that cannot be cloned is never sent, so no response arrives.
        settle();
        reject(error);
      }
    });
  }

  /** Handlers of host requests. */
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

  /** Handlers of host notifications. */
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

  /** Runs a handler. Logs its error and continues. */
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

  /** Stores the host context and applies theme, styles and fonts to the page. */
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

  /** Sends the size of the content to the host while the page is shown. */
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

  /** Waits for the host, checks its capability and sends the request. Rejects for every form of refusal. */
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
  // Callers that await `ready` get the error. Other pages work without a host.
  ready.catch(() => {});

  return {
    /** Settles after initialization; rejects if no host shows this page. Requests wait for it. */
    ready,
    /** `{ info, capabilities }` of the host, once ready. */
    get host() {
      return hostFacts;
    },
    /** All known host context: `theme`, `locale`, `toolInfo`, `displayMode`, … */
    get context() {
      return context;
    },
    /**
     * Reports if the host offers `serverTools`, `serverResources`, `openLinks`, `message`, `updateModelContext`,
     * `logging`.
     */
    can,
    /** Calls a tool of the app's server. A tool that fails returns a result with `isError`. */
    callServerTool: (tool, input = {}, options = undefined) =>
      request('tools/call', { name: tool, arguments: input }, options),
    /** Reads a resource of the app's server. */
    readResource: (uri, options) => request('resources/read', { uri }, options),
    /** Asks the host to open a URL in the user's browser. */
    openLink: (url, options) => request('ui/open-link', { url }, options),
    /** Sends text or content blocks to the model as a user message. */
    sendMessage: (content, options) =>
      request('ui/message', { role: 'user', content: blocksOf(content) }, options),
    /** Sets the app context for the model's next turn: `{ content?, structuredContent? }`. */
    updateModelContext: (known, options) => request('ui/update-model-context', known, options),
    /** Requests a display mode and returns the mode that the host chose. */
    async requestDisplayMode(mode, options) {
      await ready;
      const shown = context.displayMode ?? 'inline';
      if (!displayModes.includes(mode) || !context.availableDisplayModes?.includes(mode)) return shown;
      const { mode: given } = await request('ui/request-display-mode', { mode }, options);
      if (given !== shown) adopt({ displayMode: given });
      return given;
    },
    /** Logs for developers, at level `debug`, `info`, `warning` or `error`. */
    log,
    /** Sends any other request of the protocol. `options`: `{ timeoutMs, signal }`. */
    request,
    /** Sends any other notification of the protocol. */
    notify,
  };
}

/** Required host capability, by method. */
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
