import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import type { InitialViewArguments } from '../../src/engine/preview/preview.js';
import { describeInBrowser, findChromium, openBrowser } from '../support/browser.js';
import { extension, hostile, prepareExtension, runPreview, viewer } from '../support/preview.js';
import { writeFiles } from '../support/run-cli.js';

const prepared = prepareExtension();

const call = { tool: 'forecast', arguments: { place: 'Bonn' }, theme: 'light', width: 400 } as const;

let page: Page;
let app: FrameLocator;
let requests: string[];

async function openPage(asked: InitialViewArguments = {}, server?: string): Promise<void> {
  const { url } = await prepared.open(asked, server);
  const context = await (await openBrowser()).newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  requests = [];
  page.on('request', (one) => requests.push(one.url()));
  await page.goto(url);
  app = page.frameLocator('#place iframe').frameLocator('iframe');
}

/**
 * Waits until the app shows a text. Playwright ends a wait with "has been closed" if the frame that it looks into goes
 * away: the wait begins again in the frame that takes its place.
 */
async function waitForText(text: string): Promise<void> {
  try {
    await app.getByText(text).waitFor();
  } catch (error) {
    if (page.isClosed() || !String(error).includes('has been closed')) throw error;
    await waitForText(text);
  }
}

describeInBrowser('in a browser, the page of a preview', () => {
  afterEach(async () => {
    const outside = requests.filter((url) => !/^(?:http:\/\/127\.0\.0\.1:|data:)/.test(url));
    expect(outside).toEqual([]);
    await page.context().close();
  });

  test('shows the app the result of a real call, and what the server writes', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn, 1').waitFor();
    expect(await page.locator('#stderr').textContent()).toContain('asked for Bonn');
    expect(await page.locator('#messages').textContent()).toContain('ui/notifications/tool-result');
    expect(await page.title()).toBe('@acme/weather/weather – preview');
  });

  test('calls nothing before the user submits the form, then sends the arguments of the form', async () => {
    await openPage();
    await app.getByText('Forecast').waitFor();
    expect(await app.locator('#result').textContent()).toBe('');
    await page.getByLabel('place *').fill('Kiel');
    await page.getByLabel('days').fill('three');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('"days" is to be a number.').waitFor();
    await page.getByLabel('days').fill('3');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await app.getByText('Rain in Kiel, 3').waitFor();
    await page.getByLabel('Arguments as JSON').check();
    expect(JSON.parse(await page.locator('#json').inputValue())).toEqual({ place: 'Kiel', days: 3 });
    await page.locator('#json').fill('{"place":"Ulm"}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await app.getByText('Rain in Ulm, 1').waitFor();
  });

  test('cancels a call for the app and for the server', async () => {
    await openPage({ ...call, arguments: { place: 'nowhere' } });
    const output = page.locator('#stderr');
    await output.filter({ hasText: 'asked for nowhere' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Cancel call' }).click();
    await app.getByText('cancelled: The call was cancelled.').waitFor();
    await output.filter({ hasText: 'cancelled' }).waitFor({ state: 'attached' });
  });

  test('sends theme, width and display mode to the app, and offers only modes that the app supports', async () => {
    await openPage(call);
    await app.getByText('theme light').waitFor();
    await app.getByText('width 400').waitFor();
    await page.getByLabel('Theme').selectOption('dark');
    await app.getByText('theme dark').waitFor();
    await page.getByLabel('Width').fill('320');
    await page.getByLabel('Width').press('Enter');
    await app.getByText('width 320').waitFor();
    expect(await page.locator('#place iframe').evaluate((frame) => frame.clientWidth)).toBe(320);
    await page.getByLabel('Display').selectOption('fullscreen');
    await app.getByText('mode fullscreen').waitFor();
    expect(await page.locator('#mode option[value=pip]').isDisabled()).toBe(true);
  });

  test('lists what the policy has blocked, and what of the metadata is no origin', async () => {
    await openPage(call);
    await page.locator('#violations').getByText('connect-src: https://blocked.example/').waitFor();
    await page.locator('#refused').getByText('connectDomains: https://* is left out.').waitFor();
  });

  test('passes on what the app asks the server, but no tool that is not for apps', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    await app.getByRole('button', { name: 'Call', exact: true }).click();
    await app.getByText('Rain in Rome').waitFor();
    await app.getByRole('button', { name: 'Call hidden' }).click();
    await app.getByText('The tool "secret" is not for apps.').waitFor();
    await app.getByRole('button', { name: 'Call unlisted' }).click();
    await app.getByText('There is no tool "unlisted".').waitFor();
  });

  test('shows what the app asks of the host, as text, and does not do it', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    await app.getByRole('button', { name: 'Ask' }).click();
    const asks = page.locator('#asks');
    await asks.getByText('https://a.example/').waitFor();
    await asks.getByText('<img src=x').waitFor();
    await page.locator('#tool-description').getByText(hostile).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(page.context().pages()).toHaveLength(1);
  });

  test('restarts the server when a file changes and shows the app again', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    await writeFile(
      path.join(prepared.directory, 'src/tools.js'),
      extension['src/tools.js'].replace('Rain', 'Sun'),
    );
    await waitForText('Sun in Bonn');
    await writeFile(path.join(prepared.directory, 'agenttools/apps/viewer.html'), viewer('Outlook'));
    await waitForText('Outlook');
  });

  test('lets an app end before another takes its place', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    await page.getByRole('button', { name: 'Show without a call' }).click();
    await page.locator('#asks').getByText('last words').waitFor();
    await waitForText('Forecast');
    expect(await app.locator('#result').textContent()).toBe('');
  });

  test('calls again what was called, not what has been chosen since', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    await page.locator('#tool').selectOption('secret');
    await app.getByText('tool forecast').waitFor();
    await writeFile(
      path.join(prepared.directory, 'src/tools.js'),
      extension['src/tools.js'].replace('Rain', 'Sun'),
    );
    await waitForText('Sun in Bonn');
    expect(await app.locator('#tool').textContent()).toBe('tool forecast');
    expect(await page.locator('#tool').inputValue()).toBe('secret');
  });

  test('keeps the text of a half-filled form while the server restarts', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    const days = page.getByLabel('days');
    await days.fill('th');
    await writeFile(
      path.join(prepared.directory, 'src/tools.js'),
      extension['src/tools.js'].replace('Rain', 'Sun'),
    );
    await waitForText('Sun in Bonn');
    expect(await days.inputValue()).toBe('th');
    expect(await page.evaluate('document.activeElement.name')).toBe('days');
  });

  test('has no ear for a page that took the place of the app', async () => {
    const foreign = 'https://foreign.example';
    await writeFiles(prepared.directory, {
      'agenttools/apps/viewer.json': { csp: { frameDomains: [foreign] } },
      'agenttools/apps/viewer.html': viewer().replace('</main>', `<a href="${foreign}/">Leave</a></main>`),
    });
    await openPage(call);
    await page.route(`${foreign}/**`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<h1>Foreign</h1><p></p><script>
          addEventListener('message', ({ data }) => { document.querySelector('p').textContent += data.method; });
          parent.postMessage({ jsonrpc: '2.0', id: 'foreign', method: 'tools/call', params: { name: 'forecast' } }, '*');
        </script>`,
      }),
    );
    await app.getByText('Rain in Bonn').waitFor();
    await app.getByRole('link', { name: 'Leave' }).click();
    await app.getByText('Foreign').waitFor();
    await page.getByLabel('Theme').selectOption('dark');
    await page.locator('#messages').getByText('host-context-changed').first().waitFor({ state: 'attached' });
    for (const frame of page.frames()) await frame.evaluate('new Promise((later) => setTimeout(later, 100))');
    expect(await app.locator('p').textContent()).toBe('');
    expect(await page.locator('#messages').textContent()).not.toContain('#foreign');
    requests = requests.filter((url) => !url.startsWith(foreign));
  });

  test('makes a form of any schema that a server has', async () => {
    const uri = 'ui://other/viewer';
    const inputSchema = {
      type: 'object',
      properties: { place: null, days: { enum: null, title: 7, examples: {} } },
    };
    const answers = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'other', version: '1' },
      },
      'tools/list': { tools: [{ name: 'forecast', inputSchema, _meta: { ui: { resourceUri: uri } } }] },
      'resources/list': { resources: [] },
      'resources/read': { contents: [{ uri, mimeType: 'text/html;profile=mcp-app', text: viewer() }] },
      'tools/call': { content: [{ type: 'text', text: 'Fog' }] },
    };
    await writeFiles(prepared.directory, {
      'other.mjs': `
        import { createInterface } from 'node:readline';
        const answers = ${JSON.stringify(answers)};
        for await (const line of createInterface(process.stdin)) {
          const { id, method } = JSON.parse(line);
          if (method in answers) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }));
        }
      `,
    });
    await openPage({}, 'other.mjs');
    await app.getByText('Forecast').waitFor();
    await page.getByLabel('place').fill('"Bonn"');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await app.getByText('Fog').waitFor();
    expect(await page.locator('#messages').textContent()).toContain('"place": "Bonn"');
  });

  test('shows the error while the extension is broken and recovers when it is fixed', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    const file = path.join(prepared.directory, 'package.json');
    const manifest = await readFile(file, 'utf8');
    await writeFile(file, '{');
    await page.locator('#fault', { hasText: 'The server does not answer' }).waitFor();
    await writeFile(file, manifest);
    await page.locator('#fault').waitFor({ state: 'hidden' });
    await waitForText('Rain in Bonn');
  });

  test('has no accessibility violations in either theme', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await page.evaluate(axe);
    for (const theme of ['light', 'dark']) {
      await page.getByLabel('Theme').selectOption(theme);
      await app.getByText(`theme ${theme}`).waitFor();
      const faults = await page.evaluate(
        `axe.run(document, { iframes: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
          .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
      );
      expect(faults).toEqual([]);
    }
  });
});

const run = (words: readonly string[], env: Readonly<Record<string, string>>) =>
  runPreview(prepared.directory, words, env);

/** Width and height of a PNG. @see https://www.w3.org/TR/png-3/#11IHDR */
async function sizeOf(file: string): Promise<readonly number[]> {
  const png = await readFile(file);
  expect(png.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

const chromium = { AGENTTOOLS_CHROMIUM: findChromium() ?? '' };
const words = ['--tool', 'forecast', '--arguments', '{"place":"Bonn"}'];

describeInBrowser('a picture', () => {
  test('is a PNG of the asked size', async () => {
    const file = path.join(prepared.directory, 'pictures/viewer.png');
    const size = ['--width', '500', '--height', '300', '--theme', 'dark', '--json'];
    const { code, stdout, stderr } = await run([...words, ...size, '--screenshot', file], chromium);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'blocked by the policy: connect-src https://blocked.example/\n',
    });
    expect(await sizeOf(file)).toEqual([500, 300]);
    expect(JSON.parse(stdout)).toMatchObject({
      file,
      width: 500,
      height: 300,
      theme: 'dark',
      app: 'ui://acme/weather/viewer',
      tool: 'forecast',
      isError: false,
      violations: [{ directive: 'connect-src' }],
    });
  });

  test('is as high as the app without a height', async () => {
    const { code, stdout } = await run([...words, '--width', '320', '--screenshot', 'own.png'], chromium);
    expect(code).toBe(0);
    expect(stdout).toBe(`${path.join(prepared.directory, 'own.png')}\n`);
    const [width, height] = await sizeOf(stdout.trim());
    expect(width).toBe(320);
    expect(height).toBe(240);
  });

  test('is not taken of an app that does not initialize', async () => {
    const { code, stdout, stderr } = await run(['mute', '--screenshot', 'mute.png'], chromium);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('The app ui://acme/weather/mute did not initialize within 10 s');
  });
});
