import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { minified } from '../../.scripts/apps.mjs';
import { ownProgram } from '../../src/engine/folders.js';
import { type AskedByWords, openPreview, type Preview } from '../../src/engine/preview/preview.js';
import { describeInBrowser, findChromium, openBrowser } from '../support/browser.js';
import { bareEnvironment, programFile, root } from '../support/program.js';
import { temporaryFolder, writeFiles } from '../support/run-cli.js';

const hostile = '<img src=x onerror="document.title=1">';

const viewer = (heading = 'Forecast') => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Viewer</title>
<style>body { margin: 0; font: 16px sans-serif } main { display: flow-root; height: 240px }</style>
<main>
<h1>${heading}</h1>
<p id="theme"></p><p id="width"></p><p id="mode"></p><p id="tool"></p><p id="result"></p><p id="answer"></p>
<button id="call">Call</button><button id="hidden">Call hidden</button><button id="ask">Ask</button><button id="unlisted">Call unlisted</button>
</main>
<script>${minified('bridge.js')}</script>
<script>
const put = (id, text) => { document.getElementById(id).textContent = text; };
const textOf = ({ content }) => content.map(({ text }) => text).join(' ');
const app = connectApp({
  name: 'viewer',
  displayModes: ['inline', 'fullscreen'],
  onResult: (result) => put('result', textOf(result)),
  onTeardown: () => app.notify('notifications/message', { level: 'info', data: 'last words' }),
  onCancelled: (reason) => put('result', 'cancelled: ' + reason),
  onContext: ({ theme, displayMode, containerDimensions, toolInfo }) => {
    put('theme', 'theme ' + theme);
    put('mode', 'mode ' + displayMode);
    put('tool', 'tool ' + toolInfo?.tool.name);
    put('width', 'width ' + containerDimensions.width);
  },
});
const call = (name, args) =>
  app.callServerTool(name, args).then(textOf, ({ message }) => message).then((text) => put('answer', text));
document.getElementById('call').onclick = () => call('forecast', { place: 'Rome' });
document.getElementById('hidden').onclick = () => call('secret', {});
document.getElementById('unlisted').onclick = () => call('unlisted', {});
document.getElementById('ask').onclick = async () => {
  await app.openLink('https://a.example/');
  await app.sendMessage('${hostile}');
};
fetch('https://blocked.example/').catch(() => {});
</script>
</html>`;

const extension = {
  'package.json': {
    name: '@acme/weather',
    version: '1.2.0',
    type: 'module',
    agenttools: { tools: ['forecast', 'secret'], apps: ['viewer', 'mute'] },
  },
  'agenttools/tools/forecast.json': {
    description: hostile,
    input: { place: { type: 'string', required: true }, days: 'integer' },
    handler: './src/tools.js#forecast',
    ui: 'viewer',
  },
  'agenttools/tools/secret.json': {
    description: 'Is for the model alone',
    handler: './src/tools.js#secret',
    ui: { app: 'viewer', visibility: ['model'] },
  },
  'agenttools/apps/viewer.html': viewer(),
  'agenttools/apps/viewer.json': { csp: { connectDomains: ['https://*'] } },
  'agenttools/apps/mute.html': '<!doctype html><title>Mute</title>',
  'src/tools.js': `
    export const forecast = async ({ place, days = 1 }, { signal }) => {
      console.error('asked for ' + place);
      if (place === 'nowhere') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (signal.aborted) console.error('cancelled');
      return 'Rain in ' + place + ', ' + days;
    };
    export const secret = () => 'secret';
  `,
};

let directory: string;
let preview: Preview | undefined;

beforeEach(async () => {
  directory = await temporaryFolder();
  await writeFiles(directory, extension);
});

afterEach(async () => {
  await preview?.close();
  preview = undefined;
});

async function open(asked: AskedByWords = {}, server?: string): Promise<Preview> {
  const { command, args } = ownProgram();
  const words = server === undefined ? [...args, 'start', directory] : [path.join(directory, server)];
  preview = await openPreview({
    reference: directory,
    child: { command, args: words, cwd: directory, env: bareEnvironment() },
    directory,
    pageFolder: path.join(root, 'dist/preview'),
    version: '1.0.0',
    port: 0,
    timeoutMs: 20_000,
    asked,
  });
  return preview;
}

const call = { tool: 'forecast', arguments: { place: 'Bonn' }, theme: 'light', width: 400 } as const;

/** What a request without a browser is answered with. */
async function statusOf(
  address: string,
  { method = 'GET', ...headers }: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const asking = request(address, { method, headers });
  asking.end();
  const [response] = await once(asking, 'response');
  response.resume();
  return response.statusCode;
}

describe('the page of a preview', () => {
  test('is for those alone who know its address and come by it', async () => {
    const { url } = await open();
    const { origin, port, pathname } = new URL(url);
    const json = { method: 'POST', 'content-type': 'application/json' };
    expect(await statusOf(url)).toBe(200);
    expect(await statusOf(url, { 'sec-fetch-site': 'none' })).toBe(200);
    expect(await statusOf(`${url}report`, { ...json, origin, 'content-length': '0' })).toBe(500);
    for (const [address, headers] of [
      [origin, {}],
      [`${origin}/wrong${pathname}`, {}],
      [`${origin}${pathname.slice(0, -2)}/`, {}],
      [`${origin}/events`, {}],
      [url, { host: `attacker.example:${port}` }],
      [url, { host: `localhost:${port}` }],
      [url, { origin: 'http://attacker.example' }],
      [url, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
      [`${url}request`, { ...json, origin: 'null' }],
      [`${url}request`, { ...json, 'content-length': '0' }],
    ] as const) {
      expect(await statusOf(address, headers), JSON.stringify([address, headers])).toBe(403);
    }
    expect(await statusOf(`${url}request`, { method: 'POST', origin })).toBe(415);
    expect(await statusOf(`${url}../page.ts`)).toBe(403);
    expect(await statusOf(`${url}frame.html`)).toBe(404);
  });

  test('is not served for a server that has no such app', async () => {
    await expect(open({ app: 'viewr' })).rejects.toThrow('There is no app "viewr". Did you mean "viewer"?');
  });
});

let page: Page;
let app: FrameLocator;
let requests: string[];

async function openPage(asked: AskedByWords = {}, server?: string): Promise<void> {
  const { url } = await open(asked, server);
  const context = await (await openBrowser()).newContext({ viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  requests = [];
  page.on('request', (one) => requests.push(one.url()));
  await page.goto(url);
  app = page.frameLocator('#place iframe').frameLocator('iframe');
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

  test('calls nothing before it is told to, then what the form says', async () => {
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

  test('tells the app of theme, width and display mode, and offers no mode that it lacks', async () => {
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

  test('starts the server anew when a file changes, and shows the app again', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    await writeFile(path.join(directory, 'src/tools.js'), extension['src/tools.js'].replace('Rain', 'Sun'));
    await app.getByText('Sun in Bonn').waitFor();
    await writeFile(path.join(directory, 'agenttools/apps/viewer.html'), viewer('Outlook'));
    await app.getByText('Outlook').waitFor();
  });

  test('lets an app end before another takes its place', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    await page.getByRole('button', { name: 'Show without a call' }).click();
    await page.locator('#asks').getByText('last words').waitFor();
    await app.getByText('Forecast').waitFor();
    expect(await app.locator('#result').textContent()).toBe('');
  });

  test('calls again what was called, not what has been chosen since', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    await page.locator('#tool').selectOption('secret');
    await app.getByText('tool forecast').waitFor();
    await writeFile(path.join(directory, 'src/tools.js'), extension['src/tools.js'].replace('Rain', 'Sun'));
    await app.getByText('Sun in Bonn').waitFor();
    expect(await app.locator('#tool').textContent()).toBe('tool forecast');
    expect(await page.locator('#tool').inputValue()).toBe('secret');
  });

  test('keeps what is half written while the server starts anew', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    const days = page.getByLabel('days');
    await days.fill('th');
    await writeFile(path.join(directory, 'src/tools.js'), extension['src/tools.js'].replace('Rain', 'Sun'));
    await app.getByText('Sun in Bonn').waitFor();
    expect(await days.inputValue()).toBe('th');
    expect(await page.evaluate('document.activeElement.name')).toBe('days');
  });

  test('has no ear for a page that took the place of the app', async () => {
    const foreign = 'https://foreign.example';
    await writeFiles(directory, {
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
    await writeFiles(directory, {
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

  test('says what is wrong while an extension is, and goes on when it is right', async () => {
    await openPage(call);
    await app.getByText('Rain in Bonn').waitFor();
    const file = path.join(directory, 'package.json');
    const manifest = await readFile(file, 'utf8');
    await writeFile(file, '{');
    await page.locator('#fault', { hasText: 'The server does not answer' }).waitFor();
    await writeFile(file, manifest);
    await page.locator('#fault').waitFor({ state: 'hidden' });
    await app.getByText('Rain in Bonn').waitFor();
  });

  test('is for everybody, in both themes', async () => {
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

/** Runs the program to its end. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [programFile, 'preview', directory, ...words], {
    cwd: directory,
    env: bareEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, stdout, stderr };
}

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
    const file = path.join(directory, 'pictures/viewer.png');
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
    expect(stdout).toBe(`${path.join(directory, 'own.png')}\n`);
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

describe('the program', () => {
  test('says the way out where there is no Chromium', async () => {
    const env = { PATH: directory, AGENTTOOLS_CHROMIUM: './none' };
    const named = await run([...words, '--screenshot', 'a.png'], env);
    expect(named.code).toBe(1);
    expect(named.stderr).toContain(`AGENTTOOLS_CHROMIUM names ${path.join(directory, 'none')}`);
    expect(named.stderr).toContain('Install Chromium or Chrome');
  });

  test('prints the address, and ends with its server when a signal comes', async () => {
    const child = spawn(process.execPath, [programFile, 'preview', directory, '--json'], {
      cwd: directory,
      env: bareEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        if (text.endsWith('}\n')) resolve();
      });
    });
    const { url, server, apps } = JSON.parse(stdout);
    expect(server).toBe('@acme/weather/weather');
    expect(apps.map(({ name }: { name: string }) => name)).toEqual(['viewer', 'mute']);
    expect(await statusOf(url)).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    await expect(statusOf(url)).rejects.toThrow('ECONNREFUSED');
  });
});
