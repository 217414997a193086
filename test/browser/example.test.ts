import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { callOnce } from '../../src/engine/serve/call-once.js';
import { faultsOf } from '../support/app-messages.js';
import { describeInBrowser, type HostedApp, type OpenOptions, openApp } from '../support/browser.js';
import { openWorkspace } from '../support/packages.js';
import { fixture, root } from '../support/program.js';

const extension = fixture('weather-app');

/** Calls a tool of the extension, as the host does for the model and for the app. */
async function call(tool: string, args: Readonly<Record<string, unknown>>) {
  const workspace = openWorkspace();
  return await callOnce(await workspace.findServer(extension), workspace, {
    tool,
    args,
    env: {},
    report: () => {},
    signal: AbortSignal.timeout(10_000),
  });
}

const html = await readFile(path.join(extension, 'agenttools/apps/forecast-viewer.html'), 'utf8');

let app: HostedApp;
async function open(options: Partial<OpenOptions> = {}): Promise<void> {
  app = await openApp({
    html,
    answers: { 'tools/call': ({ name, arguments: args }) => call(name, args) },
    hostContext: {
      theme: 'light',
      toolInfo: { tool: { name: 'forecast', inputSchema: { type: 'object' } } },
    },
    ...options,
  });
}

/** The text of the page as its reader sees it, one line an element. */
const seen = async () =>
  ((await app.frame.evaluate("document.querySelector('main').innerText")) as string)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const place = { place: 'Ostwick', days: 2 };

describeInBrowser('the example app', () => {
  afterEach(async () => {
    expect(app.messages.flatMap(({ from, message }) => (from === 'app' ? faultsOf(message) : []))).toEqual(
      [],
    );
    expect(app.requests).toEqual([]);
    expect(app.errors).toEqual([]);
    expect(app.violations).toEqual([]);
    await app.close();
  });

  test.each([
    [320, 'light'],
    [1200, 'dark'],
  ])('from its first word to its last at %d px, %s', async (width, theme) => {
    await open({ width, hostContext: { theme } });
    expect(await seen()).toEqual(['Forecast', 'Waiting for a forecast.']);

    await app.sendPartialInput({ place: 'Ost' });
    await app.frame.getByRole('heading', { name: 'Ost', exact: true }).waitFor();
    await app.sendInput(place);
    await app.frame.getByText('Looking at the sky').waitFor();
    await app.sendResult(await call('forecast', place));
    await app.frame.getByText('2 days.').waitFor();
    expect(await seen()).toEqual([
      'Ostwick',
      'Show °F',
      '2 days. Choose one to see its hours.',
      'Day 1: rain',
      '16 °C',
      'Day 2: wind',
      '14 °C',
    ]);

    await app.screenshot(`example-${width}-${theme}`);
    expect(await app.frame.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await app.teardown()).toEqual({});
  });

  test('calls the tool again in another unit, by the name that it goes by here', async () => {
    const names: string[] = [];
    await open({
      hostContext: { toolInfo: { tool: { name: 'forecast2', inputSchema: { type: 'object' } } } },
      answers: {
        'tools/call': ({ name, arguments: args }) => {
          names.push(name);
          return call('forecast', args);
        },
      },
    });
    await app.sendResult(await call('forecast', place));
    await app.frame.getByRole('button', { name: 'Show °F' }).click();
    await app.frame.getByText('61 °F').waitFor();
    expect(names).toEqual(['forecast2']);
  });

  test('calls the tool that is there for apps only, and shows it to keyboards too', async () => {
    await open();
    await app.sendResult(await call('forecast', place));
    await app.frame.getByRole('button', { name: 'Day 2' }).focus();
    await app.frame.page().keyboard.press('Enter');
    await app.frame.getByText('Day 2 in Ostwick').waitFor();
    expect((await app.heard('tools/call')).params).toEqual({
      name: 'hours',
      arguments: { place: 'Ostwick', day: 2, unit: 'celsius' },
    });
  });

  test('does not show an answer that something newer has overtaken', async () => {
    let answer = () => {};
    const waiting = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await open({
      answers: {
        'tools/call': async ({ name, arguments: args }) => {
          await waiting;
          return await call(name, args);
        },
      },
    });
    await app.sendResult(await call('forecast', place));
    const late = app.frame.getByRole('button', { name: 'Show °F' });
    await late.click();
    await app.heard('tools/call');
    await app.sendResult(await call('forecast', { place: 'High Fell', days: 1 }));
    await app.frame.getByRole('heading', { name: 'High Fell' }).waitFor();
    answer();
    await app.frame.locator('#unit:not([aria-busy])').waitFor();
    expect(await seen()).toContain('High Fell');
  });

  test('shows refusals of the host, failures of the tool and a cancelled call', async () => {
    await open({
      answers: {
        'tools/call': () => {
          throw new Error('Not today.');
        },
      },
    });
    await app.sendResult(await call('forecast', place));
    await app.frame.getByRole('button', { name: 'Day 1' }).click();
    await app.frame.getByRole('alert').waitFor();
    expect(await app.frame.getByRole('alert').textContent()).toContain('Not today.');

    await app.sendInput({ place: 'Nowhere' });
    await app.sendResult(await call('forecast', { place: 'Nowhere' }));
    await app.frame.getByText('There is no place "Nowhere"').waitFor();

    await app.sendInput(place);
    await app.sendCancelled('The user went on.');
    await app.frame.getByText('The forecast was cancelled.').waitFor();
    await app.sendResult(await call('forecast', place));
    await app.setContext({ theme: 'dark' });
    await app.frame.locator('html[data-theme=dark]').waitFor();
    expect(await seen()).toContain('The forecast was cancelled.');
  });

  test('follows the theme of its host and sends its size', async () => {
    await open();
    const background = () =>
      app.frame.evaluate('getComputedStyle(document.body).backgroundColor') as Promise<string>;
    expect(await background()).toBe('rgb(255, 255, 255)');
    await app.setContext({ theme: 'dark' });
    await app.frame.locator('html[data-theme=dark]').waitFor();
    expect(await background()).toBe('rgb(28, 28, 30)');
    await app.setContext({
      theme: 'dark',
      styles: { variables: { '--color-background-primary': 'rgb(1, 2, 3)' } },
    });
    await app.frame.waitForFunction("getComputedStyle(document.body).backgroundColor === 'rgb(1, 2, 3)'");

    const first = await app.heard('ui/notifications/size-changed');
    await app.sendResult(await call('forecast', { place: 'Ostwick', days: 7 }));
    const { params } = await app.heard(
      ({ method, params }) =>
        method === 'ui/notifications/size-changed' && params.height > first.params.height,
    );
    expect(params.height).toBeGreaterThan(first.params.height);
  });

  test('shows markup as text', async () => {
    await open();
    const markup = '<img src=x onerror="window.hurt = 1">';
    await app.sendInput({ place: markup });
    await app.frame.getByRole('heading', { name: markup }).waitFor();
    const days = [{ day: markup, sky: markup, temperature: markup }];
    await app.sendResult({ content: [], structuredContent: { place: markup, unit: markup, days } });
    await app.frame.getByText('One day.').waitFor();
    await app.sendResult({ content: [{ type: 'text', text: markup }] });
    await app.frame.locator('pre', { hasText: markup }).waitFor();
    expect(await app.frame.evaluate('window.hurt')).toBeUndefined();
    expect(await app.frame.locator('img').count()).toBe(0);
  });

  test('shows the text where the data is lost, and offers nothing that the host does not', async () => {
    await open({ hostCapabilities: {} });
    const { content } = await call('forecast', place);
    await app.sendResult({ content });
    await app.frame.getByText('Day 2: wind, 14 °C').waitFor();
    expect(await app.frame.getByRole('button').count()).toBe(0);
  });
});

describeInBrowser('examples of the pages', () => {
  const greet = ({ arguments: { name } }: { readonly arguments: { readonly name: string } }) => ({
    content: [{ type: 'text', text: `Hello, ${name}!` }],
  });

  afterEach(async () => {
    expect(app.messages.flatMap(({ from, message }) => (from === 'app' ? faultsOf(message) : []))).toEqual(
      [],
    );
    expect([...app.requests, ...app.errors, ...app.violations]).toEqual([]);
    await app.close();
  });

  test('greets the name of the first call, then the name that the user enters (first app)', async () => {
    const page = await readFile(path.join(root, 'docs/apps/greeting.html'), 'utf8');
    await open({ html: page, answers: { 'tools/call': greet } });
    await app.sendInput({ name: 'Ada' });
    await app.frame.getByText('Greeting Ada').waitFor();
    await app.sendResult(greet({ arguments: { name: 'Ada' } }));
    await app.frame.getByText('Hello, Ada!').waitFor();

    await app.frame.getByLabel('Greet somebody else').fill('<b>Grace</b>');
    await app.frame.getByLabel('Greet somebody else').press('Enter');
    await app.frame.getByText('Hello, <b>Grace</b>!').waitFor();
    await app.frame.getByLabel('Greet somebody else').fill('Alan');
    await app.frame.getByRole('button', { name: 'Greet' }).click();
    await app.frame.getByText('Hello, Alan!').waitFor();
    expect((await app.heard('tools/call')).params.name).toBe('forecast');
    expect(await app.teardown()).toEqual({});
  });

  test('the page without the bridge introduces itself, shows a result, and answers', async () => {
    const rule = await readFile(path.join(root, 'docs/rules/app-without-handshake.md'), 'utf8');
    const [, html = ''] = /^```html\n(<!doctype html>(?:(?!^```).)*<script>.*?)^```/ms.exec(rule) ?? [];
    await open({ html });
    await app.sendResult(greet({ arguments: { name: 'Ada' } }));
    await app.frame.getByText('Hello, Ada!').waitFor();
    expect(await app.teardown()).toEqual({});
  });
});
