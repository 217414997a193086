import { afterEach, expect, test } from 'vitest';
import { minified } from '../../.scripts/apps.mjs';
import { faultsOf } from '../support/app-messages.js';
import { describeInBrowser, type HostedApp, type OpenOptions, openApp } from '../support/browser.js';

const bridge = minified('bridge.js');
const allModes = ['inline', 'fullscreen', 'pip'];

/** A page that keeps everything the bridge tells it in `told`. */
const page = (own = '') => `<!doctype html>
<title>Page</title>
<style>body { margin: 0 } main { height: 120px }</style>
<main></main>
<script>${bridge}</script>
<script>
const told = [];
const tell = (what) => (value) => void told.push([what, value]);
const app = connectApp({
  name: 'page',
  displayModes: ['inline', 'fullscreen'],
  onInput: tell('input'),
  onPartialInput: tell('partial'),
  onResult: tell('result'),
  onCancelled: tell('cancelled'),
  onContext: (context, changes) => void told.push(['context', changes]),
  onTeardown: () => void told.push(['teardown']),
});
${own}
</script>`;

let app: HostedApp;
async function open(options: Partial<OpenOptions> = {}): Promise<HostedApp> {
  app = await openApp({ html: page(), ...options });
  return app;
}

/** Runs an expression of the page; a promise is awaited, and its failure given as text. */
const run = (expression: string) =>
  app.frame.evaluate(
    `(async () => { try { return await (${expression}) } catch (error) { return String(error) } })()`,
  );

/** What the page was told, save of the host. */
const told = () => run("told.filter(([what]) => what !== 'context')");

const methods = (from: 'app' | 'host') =>
  app.messages.flatMap((one) => (one.from === from && one.message.method ? [one.message.method] : []));

afterEach(async () => {
  const faults = app.messages.flatMap(({ from, message }) => (from === 'app' ? faultsOf(message) : []));
  expect(faults).toEqual([]);
  expect(app.requests).toEqual([]);
  expect(app.errors).toEqual([]);
  expect(app.violations).toEqual([]);
  await app.close();
});

describeInBrowser('the bridge', () => {
  test('sends ui/initialize and initialized before any other message', async () => {
    await open({ html: page("app.log('info', 'early'); app.callServerTool('echo', { a: 1 })") });
    await app.heard('tools/call');
    expect(methods('app').slice(0, 2)).toEqual(['ui/initialize', 'ui/notifications/initialized']);
    expect((await app.heard('ui/initialize')).params).toEqual({
      protocolVersion: '2026-01-26',
      appInfo: { name: 'page', version: '1.0.0' },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    });
    expect((await app.heard('notifications/message')).params).toEqual({
      level: 'info',
      logger: 'page',
      data: 'early',
    });
    expect(await run('app.host.info')).toEqual({ name: 'test-host', version: '1.0.0' });
  });

  test('hands on input, partial input, results and cancellation', async () => {
    await open();
    await app.sendPartialInput({ city: 'Os' });
    await app.sendInput({ city: 'Oslo' });
    await app.sendResult({ content: [{ type: 'text', text: 'cold' }], _meta: { a: 1 } });
    await app.teardown();
    expect(await told()).toEqual([
      ['partial', { city: 'Os' }],
      ['input', { city: 'Oslo' }],
      ['result', { content: [{ type: 'text', text: 'cold' }], _meta: { a: 1 } }],
      ['teardown'],
    ]);
  });

  test('drops a result that follows its cancellation and delivers the next result', async () => {
    await open();
    await app.sendCancelled('user action');
    await app.sendResult({ content: [] });
    await app.sendInput({ n: 2 });
    await app.sendResult({ content: [], isError: true });
    await app.teardown();
    expect(await told()).toEqual([
      ['cancelled', 'user action'],
      ['input', { n: 2 }],
      ['result', { content: [], isError: true }],
      ['teardown'],
    ]);
  });

  test('answers ping, an unknown request, and a request with the id of one that the app sent', async () => {
    await open({ answers: { 'tools/call': () => new Promise(() => {}) } });
    await app.frame.evaluate("void app.callServerTool('slow')");
    const { id } = await app.heard('tools/call');
    await app.post({ jsonrpc: '2.0', id, method: 'ping' });
    await app.post({ jsonrpc: '2.0', id: 77, method: 'tools/list' });
    const answers = [
      await app.heard((one) => one.id === id && 'result' in one),
      await app.heard((one) => one.id === 77),
    ];
    expect(answers).toEqual([
      { jsonrpc: '2.0', id, result: {} },
      { jsonrpc: '2.0', id: 77, error: { code: -32601, message: 'Method not found: tools/list' } },
    ]);
    expect(typeof id).toBe('string');
  });

  test('takes the first answer, and none that is late, unknown or of another window', async () => {
    let release = (_: unknown) => {};
    const late = new Promise((resolve) => {
      release = resolve;
    });
    await open({ answers: { 'tools/call': ({ name }) => (name === 'slow' ? late : { content: [] }) } });
    expect(await run("app.callServerTool('slow', {}, { timeoutMs: 1 })")).toBe(
      'Error: The host did not answer tools/call in time.',
    );
    const { params } = await app.heard('notifications/cancelled');
    expect(params).toEqual({
      requestId: (await app.heard('tools/call')).id,
      reason: 'The host did not answer tools/call in time.',
    });
    release({ content: [{ type: 'text', text: 'late' }] });
    await app.post({ jsonrpc: '2.0', id: params.requestId, result: { content: [] } });
    await app.post({ jsonrpc: '2.0', id: 'app-unknown', result: {} });
    await app.frame.evaluate(
      "window.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: { by: 'self' } } }, '*')",
    );
    await app.post('text');
    await app.post({
      jsonrpc: '1.0',
      method: 'ui/notifications/tool-input',
      params: { arguments: { by: '1.0' } },
    });
    expect(await run("app.callServerTool('quick')")).toEqual({ content: [] });
    expect(await told()).toEqual([]);
  });

  test('gives up a call whose caller no longer wants it', async () => {
    await open({ answers: { 'tools/call': () => new Promise(() => {}) } });
    await run(
      "(globalThis.ending = new AbortController(), void (globalThis.call = app.callServerTool('slow', {}, { signal: ending.signal }).catch(String)))",
    );
    await app.heard('tools/call');
    expect(await run("(ending.abort(new Error('enough')), call)")).toBe('Error: enough');
    expect((await app.heard('notifications/cancelled')).params.reason).toBe('enough');
    expect(await run("app.callServerTool('slow', {}, { signal: ending.signal })")).toBe('Error: enough');
  });

  test.each([
    ["app.callServerTool('t', { a: 1 })", 'tools/call', { name: 't', arguments: { a: 1 } }],
    ["app.readResource('a://b')", 'resources/read', { uri: 'a://b' }],
    ["app.openLink('https://a.example/')", 'ui/open-link', { url: 'https://a.example/' }],
    ["app.sendMessage('hi')", 'ui/message', { role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    [
      'app.updateModelContext({ structuredContent: { a: 1 } })',
      'ui/update-model-context',
      { structuredContent: { a: 1 } },
    ],
  ])('%s', async (call, method, params) => {
    const answer = { 'tools/call': { content: [] }, 'resources/read': { contents: [] } }[method] ?? {};
    await open({ answers: { [method]: () => answer } });
    expect(await run(call)).toEqual(answer);
    expect((await app.heard(method)).params).toEqual(params);
  });

  test.each([
    ['tools/call', "app.callServerTool('t')", 'serverTools'],
    ['resources/read', "app.readResource('a://b')", 'serverResources'],
    ['ui/open-link', "app.openLink('https://a.example/')", 'openLinks'],
    ['ui/message', "app.sendMessage('hi')", 'message'],
    ['ui/update-model-context', 'app.updateModelContext({})', 'updateModelContext'],
  ])('does not send %s to a host that does not offer it', async (method, call, capability) => {
    await open({ hostCapabilities: {} });
    expect(await run(call)).toBe(`Error: The host does not offer ${capability}.`);
    await run("app.log('error', 'unheard')");
    await app.teardown();
    expect(methods('app')).not.toContain(method);
    expect(methods('app')).not.toContain('notifications/message');
  });

  test('a refusal is an error in both of its forms; a failed tool is a result', async () => {
    await open({
      answers: {
        'ui/open-link': () => ({ isError: true }),
        'ui/message': () => {
          throw new Error('not now');
        },
        'tools/call': () => ({ content: [], isError: true }),
      },
    });
    expect(await run("app.openLink('https://a.example/')")).toBe('Error: The host refused.');
    expect(await run("app.sendMessage('hi')")).toMatch(/not now/);
    expect(await run("app.callServerTool('t')")).toEqual({ content: [], isError: true });
  });

  test.each([
    ['fullscreen', allModes, 'fullscreen', ['ui/request-display-mode']],
    ['fullscreen', ['inline'], 'inline', []],
    ['pip', allModes, 'inline', []],
  ])(
    'asked for %s where the host has %j, it is shown %s',
    async (mode, availableDisplayModes, shown, asked) => {
      await open({
        hostContext: { availableDisplayModes, displayMode: 'inline' },
        answers: { 'ui/request-display-mode': (params) => params },
      });
      expect(await run(`app.requestDisplayMode('${mode}')`)).toBe(shown);
      expect(methods('app').filter((one) => one === 'ui/request-display-mode')).toEqual(asked);
      expect(await run('document.documentElement.dataset.displayMode')).toBe(shown);
    },
  );

  test('shows the page in the way of the host, and keeps what a change does not speak of', async () => {
    const styles = {
      variables: { '--color-text-primary': 'rgb(1, 2, 3)', '--font-sans': 'Host Sans' },
      css: { fonts: '@font-face { font-family: "Host Sans"; src: local("x") }' },
    };
    const context = {
      theme: 'dark',
      styles,
      locale: 'nb-NO',
      displayMode: 'inline',
      safeAreaInsets: { top: 1, right: 2, bottom: 3, left: 4 },
    };
    await open({ hostContext: context });
    const look = () =>
      run(`(() => { const { style, dataset } = document.documentElement; return [dataset.theme, style.colorScheme,
        style.getPropertyValue('--color-text-primary'), style.getPropertyValue('--safe-area-bottom'), app.context.locale,
        [...document.querySelectorAll('style[data-host-fonts]')].map((sheet) => sheet.textContent).join() ] })()`);
    expect(await look()).toEqual(['dark', 'dark', 'rgb(1, 2, 3)', '3px', 'nb-NO', styles.css.fonts]);
    await app.setContext({ ...context, locale: 'sv-SE' });
    await app.setContext({ ...context, locale: 'sv-SE', theme: 'light' });
    await app.teardown();
    expect(await look()).toEqual(['light', 'light', 'rgb(1, 2, 3)', '3px', 'sv-SE', styles.css.fonts]);
    expect(await run("told.filter(([what]) => what === 'context').slice(1)")).toEqual([
      ['context', { locale: 'sv-SE' }],
      ['context', { theme: 'light' }],
    ]);
  });

  test('sends its size once at first and once after a change', async () => {
    await open({ width: 500 });
    expect((await app.heard('ui/notifications/size-changed')).params).toEqual({ width: 500, height: 120 });
    await run("void (document.querySelector('main').style.height = '300px')");
    await app.heard(({ params }) => params?.height === 300);
    await app.teardown();
    const sizes = app.messages.flatMap(({ message }) =>
      message.method === 'ui/notifications/size-changed' ? [message.params.height] : [],
    );
    expect(sizes).toEqual([120, 300]);
  });

  test('sends its size when it settles, and at intervals while it keeps changing', async () => {
    const clockwork = `let clock = 1, due, resize;
      performance.now = () => clock;
      ResizeObserver = class { constructor(tell) { resize = tell } observe() {} disconnect() {} };
      setTimeout = (run, ms) => { if (ms <= 50) due = { run, at: clock + ms }; return 1 };
      clearTimeout = () => { due = undefined };
      const grow = (height) => { document.querySelector('main').style.height = height + 'px'; resize() };
      const pass = (ms) => { clock += ms; if (due?.at <= clock) { const { run } = due; due = undefined; run() } };`;
    await open({ width: 500, html: page().replace('<script>', `<script>${clockwork}</script><script>`) });
    await app.heard('ui/notifications/size-changed');
    await run('void (grow(130), pass(40), grow(140), pass(40), pass(10))');
    await run('(() => { for (let height = 201; height < 215; height++) { grow(height); pass(40) } })()');
    await app.heard(({ params }) => params?.height === 213);
    await app.teardown();
    const sizes = app.messages.flatMap(({ message }) =>
      message.method === 'ui/notifications/size-changed' ? [message.params.height] : [],
    );
    expect(sizes).toEqual([120, 140, 213]);
  });

  test('omits a dimension that the host has fixed', async () => {
    await open({ width: 500, hostContext: { containerDimensions: { width: 500, maxHeight: 900 } } });
    expect((await app.heard('ui/notifications/size-changed')).params).toEqual({ height: 120 });
  });

  test('ends once, and takes its open requests with it', async () => {
    await open({ answers: { 'tools/call': () => new Promise(() => {}) } });
    await run("void (globalThis.call = app.callServerTool('slow').catch(String))");
    await app.heard('tools/call');
    expect([await app.teardown(), await app.teardown()]).toEqual([{}, {}]);
    expect(await run('call')).toBe('Error: The host has closed this app.');
    expect(await run("app.callServerTool('slow')")).toBe('Error: The host has closed this app.');
    await app.sendInput({ late: true });
    expect(await told()).toEqual([['teardown']]);
  });
});

describeInBrowser('the bridge, when something fails', () => {
  test('fails at once if a message cannot be sent, and cancels nothing later', async () => {
    await open();
    await run('void (globalThis.giving = new AbortController())');
    expect(await run("app.callServerTool('t', { a() {} }, { signal: giving.signal })")).toMatch(
      /DataCloneError/,
    );
    await run('giving.abort()');
    await app.teardown();
    expect(methods('app')).not.toContain('notifications/cancelled');
  });

  test('logs an error of a handler and delivers the next message', async () => {
    await open({
      html: page().replace("onInput: tell('input')", "onInput() { throw new Error('broken handler') }"),
    });
    await app.sendInput({});
    await app.sendResult({ content: [] });
    expect((await app.heard('notifications/message')).params).toMatchObject({ level: 'error' });
    expect(await told()).toEqual([['result', { content: [] }]]);
    expect(app.errors.splice(0).join()).toMatch(/broken handler/);
  });

  test('reports requests and eval that the policy blocks', async () => {
    // What a test runs in a page is free of its policy; what stands in the page is not.
    await open({ html: page("let evaluated; try { eval('1') } catch (error) { evaluated = error.name }") });
    expect(await run('evaluated')).toBe('EvalError');
    expect(await run("fetch('https://a.example/')")).toMatch(/TypeError/);
    await app.heard(({ params }) => /^connect-src blocked https:\/\/a\.example/.test(params?.data));
    expect(app.violations.splice(0)).toEqual(['script-src eval', 'connect-src https://a.example/']);
    expect(app.errors.splice(0).join()).toMatch(/Content Security Policy/);
  });

  test('rejects `ready` and tool calls on a page without a host', async () => {
    await open();
    const alone = await app.page.context().newPage();
    await alone.setContent(page());
    expect(await alone.evaluate('app.ready.catch(String)')).toBe('Error: No host shows this page.');
    expect(await alone.evaluate("app.callServerTool('t').catch(String)")).toBe(
      'Error: No host shows this page.',
    );
    await alone.close();
  });
});
