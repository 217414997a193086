import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { faultsOf } from '../support/app-messages.js';
import {
  type DeclaredOrigins,
  describeInBrowser,
  type HostedApp,
  type OpenOptions,
  openApp,
} from '../support/browser.js';
import { root } from '../support/program.js';

const apps = path.join(root, 'src/builtin/wolfram/agenttools/apps');
const viewers = ['mcp-apps-test', 'notebook-viewer', 'evaluator-viewer', 'wolframalpha-viewer'] as const;
type Viewer = (typeof viewers)[number];

const notebookUrl = 'https://www.wolframcloud.com/obj/01234567-89ab-4cde-8f01-23456789abcd';
const text = (content: string) => ({ type: 'text', text: content });
const chart = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="360" height="160"><path d="M10 150 90 120 170 96 250 60 350 14" fill="none" stroke="#d1300b" stroke-width="3"/><path d="M10 10v140h340" fill="none" stroke="#777"/></svg>',
).toString('base64');
const image = { type: 'image', data: chart, mimeType: 'image/svg+xml' };

/** What every viewer is shown: the arguments of its tool, a result, and words that must then be seen. */
const shows: Record<Viewer, { input: object; result: object; seen: readonly string[] }> = {
  'mcp-apps-test': {
    input: { message: 'Hello' },
    result: { content: [text('{"echo":"Hello"}')] },
    seen: ['Connected', '"message": "Hello"', 'echo', 'test-host'],
  },
  'notebook-viewer': {
    input: { url: notebookUrl, maxHeight: 300 },
    result: { content: [text(JSON.stringify({ url: notebookUrl, allowInteract: true }))] },
    seen: ['Notebook', 'Open in a browser'],
  },
  'evaluator-viewer': {
    input: { code: 'Table[Prime[n], {n, 10}]' },
    result: { content: [text('Out[1]= {2, 3, 5, 7, 11, 13, 17, 19, 23, 29}'), image] },
    seen: ['Table[Prime[n], {n, 10}]', 'Out[1]= {2, 3, 5'],
  },
  'wolframalpha-viewer': {
    input: { query: 'population of Norway' },
    result: {
      content: [
        text(
          '## Input interpretation\n\n`Norway` | population\n\n## Result\n\n**5.6 million people** (world rank: 119th)\n\n' +
            '| year | people |\n| --- | --- |\n| 2000 | 4.5 million |\n| 2020 | 5.4 million |\n\n- estimate\n- see https://www.ssb.no/en',
        ),
        image,
      ],
    },
    seen: ['Input interpretation', '5.6 million people', '4.5 million', 'Open in Wolfram|Alpha'],
  },
};

let app: HostedApp;
async function open(viewer: Viewer, options: Partial<OpenOptions> = {}): Promise<HostedApp> {
  const html = readFileSync(path.join(apps, `${viewer}.html`), 'utf8');
  const metadata = JSON.parse(readFileSync(path.join(apps, `${viewer}.json`), 'utf8'));
  const csp: DeclaredOrigins = metadata.csp ?? {};
  app = await openApp({ html, csp, outside: () => '<!doctype html><title>Outside</title>', ...options });
  return app;
}

// biome-ignore lint/performance/useDomNodeTextContent: the text that is seen, without scripts and what is hidden
const shown = () => app.frame.locator('body').innerText();
const see = (words: string) => app.frame.getByText(words).first().waitFor();

afterEach(async () => {
  const faults = app.messages.flatMap(({ from, message }) => (from === 'app' ? faultsOf(message) : []));
  expect(faults).toEqual([]);
  expect(app.errors).toEqual([]);
  expect(app.violations).toEqual([]);
  await app.close();
});

describeInBrowser.each(viewers)('%s', (viewer) => {
  const { input, result, seen } = shows[viewer];

  test.each([
    [320, 'light'],
    [320, 'dark'],
    [1200, 'light'],
    [1200, 'dark'],
  ] as const)('lives its life at %i pixels, %s', async (width, theme) => {
    const other = theme === 'light' ? 'dark' : 'light';
    await open(viewer, { width, hostContext: { theme: other, displayMode: 'inline' } });
    expect(app.messages.map(({ message }) => message.method ?? 'answer').slice(0, 3)).toEqual([
      'ui/initialize',
      'answer',
      'ui/notifications/initialized',
    ]);
    await app.sendPartialInput({});
    await app.sendInput(input);
    await app.sendResult(result);
    await app.setContext({ theme, displayMode: 'inline' });
    await app.frame.locator(`html[data-theme=${theme}]`).waitFor();
    for (const words of seen) expect(await shown()).toContain(words);

    const height = await app.frame.evaluate(
      'Math.ceil(document.documentElement.getBoundingClientRect().height)',
    );
    await app.heard(({ params }) => params?.height === height);
    expect(await app.frame.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await app.screenshot(`${viewer}-${width}-${theme}`);
    expect(await barriersOf(app.frame)).toEqual([]);

    expect(await app.teardown()).toEqual({});
    expect(await shown()).toContain('Closed');
  });

  test('needs no network but what it declares', async () => {
    await open(viewer);
    await app.sendInput(input);
    await app.sendResult(result);
    await app.teardown();
    expect(app.requests).toEqual(viewer === 'notebook-viewer' ? [notebookUrl] : []);
  });

  test('shows hostile text as text', async () => {
    const attack = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    const links = `[safe?](javascript:document.title=1) ![i](https://evil.example/i.png) ![j](data:text/html;base64,AA)`;
    await open(viewer, {
      hostContext: { locale: attack, toolInfo: { tool: { name: attack, inputSchema: { type: 'object' } } } },
    });
    const title = await app.frame.title();
    const hostile = {
      content: [
        text(`${attack}\n\n${links}`),
        { type: 'image', data: '"><script>document.title=1</script>', mimeType: 'image/png' },
        { type: 'image', data: chart, mimeType: 'text/html' },
        { type: 'resource_link', uri: 'javascript:document.title=1', name: attack },
        { type: 'resource', resource: { uri: 'a://b', text: attack } },
      ],
      _meta: { notebookUrl: 'javascript:document.title=1' },
    };
    for (const key of ['message', 'code', 'query', 'url']) await app.sendPartialInput({ [key]: attack });
    await app.sendInput({ message: attack, code: attack, query: attack, url: attack });
    await app.sendResult(hostile);
    expect(await shown()).toContain('<img src=x onerror=');
    expect(await app.frame.title()).toBe(title);
    expect(await app.frame.locator('img, iframe, a[href^=javascript]').count()).toBe(0);
    expect(app.requests).toEqual([]);
    await app.sendResult({ ...hostile, isError: true });
    expect(await app.frame.title()).toBe(title);
  });

  test('says that the call was cancelled, and shows no result that comes later', async () => {
    await open(viewer);
    await app.sendInput(input);
    await app.sendCancelled('too slow');
    await see('too slow');
    await app.sendResult({ content: [text('late words')] });
    await app.teardown();
    // The list of messages holds every message.
    await app.frame.evaluate("document.querySelector('.log')?.remove()");
    expect(await shown()).not.toContain('late words');
  });

  test.each([{}, { content: null }, { content: [null, 1, { type: 'text' }, { type: 'text', text: '' }] }])(
    'survives the result %j',
    async (odd) => {
      await open(viewer);
      await app.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: odd });
      await app.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-input' });
      expect(await app.teardown()).toEqual({});
    },
  );

  test('says so where no host shows it', async () => {
    await open(viewer);
    const alone = await app.page.context().newPage();
    await alone.setContent(readFileSync(path.join(apps, `${viewer}.html`), 'utf8'));
    await alone.getByText('No host shows this page.').waitFor();
    expect(await alone.title()).not.toBe('');
  });
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What keeps people from using a page: the rules of WCAG 2 A and AA, as axe finds them. */
async function barriersOf(frame: Frame): Promise<readonly string[]> {
  await frame.evaluate(axe);
  return await frame.evaluate(
    `axe.run(document, { iframes: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html.slice(0, 120), failureSummary].join(' '))))`,
  );
}

describe.each(viewers)('%s weighs', (viewer) => {
  test('less than hosts load in passing', () => {
    expect(readFileSync(path.join(apps, `${viewer}.html`)).length).toBeLessThan(60_000);
  });
});
