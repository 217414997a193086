import { afterEach, expect, test } from 'vitest';
import { describeInBrowser, type HostedApp, type OpenOptions } from '../support/browser.js';
import {
  barriersOf,
  chart,
  expectNoFaults,
  image,
  mark,
  marked,
  notebookUrl,
  openViewer,
  pageOf,
  text,
  type Viewer,
  viewers,
} from '../support/viewers.js';

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
async function open(viewer: Viewer, options: Partial<OpenOptions> = {}): Promise<void> {
  app = await openViewer(viewer, options);
}

// biome-ignore lint/performance/useDomNodeTextContent: the text that is seen, without scripts and what is hidden
const shown = () => app.frame.locator('body').innerText();
const see = (words: string) => app.frame.getByText(words).first().waitFor();

/** A host that counts as the app does asks with the id of a call that is open: the app answers. */
async function answersCollision(): Promise<void> {
  const { id } = await app.heard('tools/call');
  await app.post({ jsonrpc: '2.0', id, method: 'ping' });
  const pong = { jsonrpc: '2.0', id, result: {} };
  expect(await app.heard((one) => one.id === id && 'result' in one)).toEqual(pong);
}

afterEach(async () => {
  expectNoFaults(app);
  await app.close();
});

// Buttons and links are operated by keys: a page that still grows moves away below a pointer.
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
    const scrollWidth = () => app.frame.evaluate('document.documentElement.scrollWidth');
    expect(await scrollWidth()).toBe(width);
    await app.screenshot(`${viewer}-${width}-${theme}`);
    expect(await barriersOf(app.frame)).toEqual([]);

    const wanted = width === 320 ? 1200 : 320;
    const before = app.messages.length;
    await app.page.setViewportSize({ width: wanted, height: 900 });
    const told = () =>
      app.messages.slice(before).map(({ message }) => [message.method, message.params?.width]);
    await expect.poll(told).toContainEqual(['ui/notifications/size-changed', wanted]);
    expect(await scrollWidth()).toBe(wanted);

    expect(await app.teardown()).toEqual({});
    expect(await shown()).toContain('Closed');
  });

  test('needs no network but what it declares', async () => {
    await open(viewer);
    await app.sendInput(input);
    await app.sendResult(result);
    await see(seen.at(-1)!);
    await expect.poll(() => app.requests).toEqual(viewer === 'notebook-viewer' ? [notebookUrl] : []);
    await app.teardown();
  });

  test('works where eval is blocked', async () => {
    // What a test runs in a page is free of its policy; what stands in the page is not.
    const attempt =
      "try { eval('1') } catch ({ name }) { document.documentElement.dataset.evaluated = name }";
    await open(viewer, { html: pageOf(viewer).replace('</body>', `<script>${attempt}</script></body>`) });
    expect(await app.frame.locator('html').getAttribute('data-evaluated')).toBe('EvalError');
    expect(app.violations.splice(0)).toEqual(['script-src eval']);
    await app.sendInput(input);
    await app.sendResult(result);
    await see(seen[0]!);
  });

  test('takes the colours and fonts of the host', async () => {
    const variables = { '--color-background-primary': 'rgb(250, 240, 230)', '--font-sans': 'Georgia' };
    await open(viewer, { hostContext: { theme: 'light', styles: { variables } } });
    const look = 'const { backgroundColor, fontFamily } = getComputedStyle(document.documentElement)';
    expect(await app.frame.evaluate(`(() => { ${look}; return [backgroundColor, fontFamily] })()`)).toEqual([
      'rgb(250, 240, 230)',
      'Georgia',
    ]);
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

  test('shows that the call was cancelled and ignores a later result', async () => {
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

  test.each([
    {},
    { content: null },
    { content: [null, 1, { type: 'text' }, { type: 'text', text: '' }] },
    { content: [null], isError: true },
    { content: [], structuredContent: { pods: [null, { subpods: null }, { subpods: [null, 1, {}] }] } },
  ])('survives the result %j', async (odd) => {
    await open(viewer);
    await app.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: odd });
    await app.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-input' });
    expect(await app.teardown()).toEqual({});
  });

  test('shows a message on a page without a host', async () => {
    await open(viewer);
    const alone = await app.page.context().newPage();
    await alone.setContent(pageOf(viewer));
    await alone.getByText('No host shows this page.').waitFor();
    expect(await alone.title()).not.toBe('');
    await alone.close();
  });
});

describeInBrowser('the test of MCP Apps', () => {
  const toolInfo = { tool: { name: 'MCPAppsTest1', inputSchema: { type: 'object' } } };
  const button = () => app.frame.getByRole('button');

  test('calls its tool by the name that the host knows, by button and by Enter', async () => {
    await open('mcp-apps-test', {
      hostContext: { toolInfo },
      answers: { 'tools/call': ({ arguments: { message } }) => ({ content: [text(`again: ${message}`)] }) },
    });
    await button().press('Enter');
    await see('again: Hello from the app!');
    expect((await app.heard('tools/call')).params).toEqual({
      name: 'MCPAppsTest1',
      arguments: { message: 'Hello from the app!' },
    });
    await app.frame.getByLabel('Message', { exact: true }).fill('  by key  ');
    await app.frame.getByLabel('Message', { exact: true }).press('Enter');
    await see('again: by key');
    expect(await app.frame.locator('#checks li[data-done]').allInnerTexts()).toContainEqual(
      expect.stringMatching(/^tools\/call from the app/),
    );
  });

  test('answers a request of the host that has the id of a call, and the call', async () => {
    let release: (result: object) => void = () => {};
    await open('mcp-apps-test', {
      answers: { 'tools/call': () => new Promise((resolve) => (release = resolve)) },
    });
    await button().press('Enter');
    await answersCollision();
    release({ content: [text('its own answer')] });
    await see('its own answer');
  });

  test('shows why a call failed and lets the user try again', async () => {
    let fails = true;
    await open('mcp-apps-test', {
      answers: {
        'tools/call': () => {
          if (fails) throw new Error('not allowed');
          return { content: [text('allowed')] };
        },
      },
    });
    await button().press('Enter');
    await see('not allowed');
    fails = false;
    await button().press('Enter');
    await see('"text": "allowed"');
  });

  test('does not forget the theme at a change of something else', async () => {
    await open('mcp-apps-test', { hostContext: { theme: 'dark' } });
    await app.setContext({ theme: 'dark', locale: 'nb-NO' });
    await see('nb-NO');
    expect(await app.frame.locator('#host').textContent()).toContain('Themedark');
  });
});

const { hostname, origin } = new URL(notebookUrl);
const frameOf = () => app.frame.locator('iframe');

describeInBrowser('the notebook viewer', () => {
  test.each<[what: string, result: object, url: string]>([
    ['its metadata', { content: [], _meta: { notebookUrl } }, notebookUrl],
    ['the metadata of a block', { content: [{ ...text('x'), _meta: { notebookUrl } }] }, notebookUrl],
    ['a mark before everything else', { content: [mark, text('Out')] }, marked],
    ['what the tool says', { content: [text(JSON.stringify({ url: notebookUrl }))] }, notebookUrl],
    ['structured content', { content: [], structuredContent: { url: notebookUrl } }, notebookUrl],
  ])('finds the notebook of a result without input in %s', async (_, result, url) => {
    await open('notebook-viewer');
    await app.sendResult(result);
    await frameOf().waitFor();
    expect(await frameOf().getAttribute('src')).toBe(url);
    await expect.poll(() => app.requests).toEqual([url]);
  });

  test('ignores a mark that is part of the output', async () => {
    await open('notebook-viewer');
    await app.sendResult({ content: [text('Out'), mark] });
    await see('Out');
    expect(await frameOf().count()).toBe(0);
  });

  test.each<[url: string, words: RegExp]>([
    [
      'https://notebooks.example/obj/1',
      /cannot be shown here\.\s+Open notebooks\.example\/obj\/1 in a browser/,
    ],
    ['http://www.wolframcloud.com/obj/1', /not the address/],
    [`https://user:secret@${hostname}/obj/1`, /not the address/],
    ['Notebook[{Cell["1+1", "Input"]}]', /not the address[\s\S]*Cell\["1\+1"/],
    [`${origin}.example/obj/1`, /cannot be shown here/],
  ])('does not frame %s', async (url, words) => {
    await open('notebook-viewer');
    await app.sendInput({ url });
    await app.frame.locator('#notebook > *').waitFor();
    expect(await shown()).toMatch(words);
    expect(await frameOf().count()).toBe(0);
    expect(app.requests).toEqual([]);
  });

  test('shows a link where the host blocks the frame', async () => {
    await open('notebook-viewer', { csp: {} });
    await app.sendInput({ url: notebookUrl });
    await see('The notebook cannot be shown here.');
    await app.frame.getByRole('link', { name: `Open ${hostname}` }).press('Enter');
    expect((await app.heard('ui/open-link')).params).toEqual({ url: notebookUrl });
    expect(app.violations.splice(0)).toEqual([`frame-src ${origin}`]);
    expect(app.errors.splice(0)).toHaveLength(1);
  });

  test('shows the address where the host opens no links', async () => {
    await open('notebook-viewer', { hostCapabilities: {} });
    await app.sendInput({ url: notebookUrl });
    await app.frame.getByRole('link', { name: 'Open in a browser' }).press('Enter');
    await see(`Open in a browser: ${notebookUrl}`);
  });

  test('changes its height by keyboard and by pointer', async () => {
    await open('notebook-viewer');
    await app.sendInput({ url: notebookUrl, maxHeight: 300 });
    const grip = app.frame.getByRole('separator', { name: 'Height of the notebook' });
    const height = async () => (await frameOf().boundingBox())?.height;
    expect(await height()).toBe(300);
    await grip.press('ArrowDown');
    expect([await height(), await grip.getAttribute('aria-valuenow')]).toEqual([340, '340']);
    for (let times = 0; times < 3; times++) await grip.press('PageUp');
    expect(await height()).toBe(100);

    await app.page.setViewportSize({ width: 800, height: 1200 });
    const box = (await grip.boundingBox())!;
    const { mouse } = app.page;
    await mouse.move(box.x + 50, box.y + 5);
    await mouse.down();
    await mouse.move(box.x + 50, box.y + 15);
    await expect.poll(height).toBe(110);
    await mouse.move(box.x + 50, box.y + 20);
    await expect.poll(height).toBe(115);
    await mouse.up();
    await mouse.move(box.x + 50, box.y + 5);
    await grip.press('ArrowDown');
    await expect.poll(height).toBe(155);
  });

  test('lets a notebook be looked at only', async () => {
    await open('notebook-viewer');
    await app.sendInput({ url: notebookUrl, allowInteract: false });
    await see('This notebook is for viewing only.');
    expect(await frameOf().getAttribute('inert')).toBe('');
  });

  test('shows another notebook in place of the first, and none after a failure', async () => {
    await open('notebook-viewer');
    await app.sendInput({ url: notebookUrl });
    await app.sendInput({ url: `${notebookUrl}?second` });
    expect(await frameOf().count()).toBe(1);
    await app.sendResult({ content: [text('No such notebook.')], isError: true });
    await app.frame.getByRole('alert').getByText('No such notebook.').waitFor();
    expect(await frameOf().count()).toBe(0);
  });
});

describeInBrowser('the evaluator viewer', () => {
  test('leaves out what is meant for others', async () => {
    await open('evaluator-viewer');
    await app.sendInput({ code: '1+1' });
    await app.sendResult({
      content: [
        mark,
        text('Out[1]= 2\n\n<system-reminder>Pass session="x"</system-reminder>'),
        text('[This tool call rendered an interactive widget in the chat.]'),
        text('\n</result>'),
      ],
    });
    // The output takes less room when the notebook has loaded.
    await app.frame.locator('#content[data-beside]').waitFor();
    expect(await app.frame.locator('#content pre').allTextContents()).toEqual(['Out[1]= 2']);
    expect(await frameOf().getAttribute('src')).toBe(marked);
  });

  test('keeps its output in sight where the notebook is blocked', async () => {
    await open('evaluator-viewer', { csp: {} });
    await app.sendResult({ content: [text('Out[1]= 2')], _meta: { notebookUrl } });
    await see('The notebook cannot be shown here.');
    expect(await shown()).toContain('Out[1]= 2');
    expect(app.violations.splice(0)).toHaveLength(1);
    expect(app.errors.splice(0)).toHaveLength(1);
  });

  test('shows code while it is written, failure as failure, and silence as silence', async () => {
    await open('evaluator-viewer');
    await app.sendPartialInput({ code: 'Table[Pri' });
    await see('Table[Pri');
    await app.sendInput({ code: 'Table[Prime[n]]' });
    await see('Evaluating…');
    await app.sendResult({ content: [text('$Failed')], isError: true });
    await app.frame.getByRole('alert').getByText('The evaluation failed.').waitFor();
    expect(await shown()).toContain('$Failed');
    await app.sendResult({ content: [] });
    await see('The evaluation gave no output.');
  });
});

describeInBrowser('the Wolfram|Alpha viewer', () => {
  const bar = () => app.frame.getByRole('textbox', { name: 'Question for Wolfram|Alpha' });
  const go = () => app.frame.getByRole('button', { name: 'Go' });

  test('asks by the name that the host knows, and takes no answer that comes too late', async () => {
    const release: ((result: object) => void)[] = [];
    await open('wolframalpha-viewer', {
      hostContext: { toolInfo: { tool: { name: 'WolframAlpha2', inputSchema: { type: 'object' } } } },
      answers: { 'tools/call': () => new Promise((resolve) => release.push(resolve)) },
    });
    await app.sendInput({ query: 'first' });
    await app.sendResult({ content: [text('first answer')] });
    await bar().fill('second');
    await bar().press('Enter');
    expect((await app.heard('tools/call')).params).toEqual({
      name: 'WolframAlpha2',
      arguments: { query: 'second' },
    });
    await see('Querying Wolfram|Alpha…');
    await go().press('Enter');
    await app.sendInput({ query: 'third' });
    await app.sendResult({ content: [text('third answer')] });
    release[0]!({ content: [text('second answer')] });
    await go().press('Enter');
    await expect.poll(() => release.length).toBe(2);
    await app.heard(({ params }) => params?.arguments?.query === 'third');
    release[1]!({ content: [text('third again')] });
    await see('third again');
    expect(await shown()).not.toContain('second answer');
  });

  test('answers a request of the host that has the id of a question, and the question', async () => {
    let release: (result: object) => void = () => {};
    await open('wolframalpha-viewer', {
      answers: { 'tools/call': () => new Promise((resolve) => (release = resolve)) },
    });
    await bar().fill('a');
    await go().press('Enter');
    await answersCollision();
    release({ content: [text('its own answer')] });
    await see('its own answer');
  });

  test('shows why a question failed and links it to Wolfram|Alpha', async () => {
    await open('wolframalpha-viewer', {
      answers: {
        'tools/call': () => {
          throw new Error('no connection');
        },
      },
    });
    await bar().fill('a & b');
    await go().press('Enter');
    await app.frame.getByRole('alert').getByText('no connection').waitFor();
    await app.sendResult({ content: [text('an answer')] });
    await app.frame.getByRole('link', { name: 'Open in Wolfram|Alpha' }).press('Enter');
    expect((await app.heard('ui/open-link')).params.url).toBe(
      'https://www.wolframalpha.com/input?i=a%20%26%20b',
    );
    await app.frame.getByRole('button', { name: 'Clear the question' }).press('Enter');
    expect(await bar().inputValue()).toBe('');
    expect(await app.frame.evaluate('document.activeElement.id')).toBe('query');
  });

  test('offers other meanings and pod states, and repeats the choices until the question changes', async () => {
    const pod = { title: 'Value', subpods: [{ plaintext: '3.14' }] };
    const result = {
      content: [text('3.14')],
      structuredContent: {
        pods: [
          {
            ...pod,
            states: [
              { name: 'More digits', input: 'D__More' },
              { name: '', input: 'x' },
            ],
          },
        ],
        assumptions: [
          {
            word: 'pi',
            choices: [
              { name: 'a constant', input: 'C' },
              { name: 'a movie', input: 'M' },
            ],
          },
        ],
      },
    };
    await open('wolframalpha-viewer', { answers: { 'tools/call': () => result } });
    await app.sendInput({ query: 'pi' });
    await app.sendResult(result);
    await see('Assuming “pi” is a constant. Use instead:');
    await app.frame.getByRole('button', { name: 'a movie' }).click();
    await app.heard(({ params }) => params?.arguments?.assumption !== undefined);
    await app.frame.getByRole('button', { name: 'More digits' }).click();
    const { params } = await app.heard((one) => one.params?.arguments?.podstate !== undefined);
    expect(params.arguments).toEqual({ query: 'pi', assumption: ['M'], podstate: ['D__More'] });
    await bar().fill('e');
    await go().press('Enter');
    const fresh = await app.heard((one) => one.params?.arguments?.query === 'e');
    expect(fresh.params.arguments).toEqual({ query: 'e' });
  });

  test('follows the question while it is written', async () => {
    await open('wolframalpha-viewer');
    await app.sendPartialInput({ query: 'popul' });
    await app.frame.locator('#clear').waitFor();
    expect(await bar().inputValue()).toBe('popul');
  });

  test('shows pods, with pictures from Wolfram|Alpha only', async () => {
    const picture = 'https://www6b3.wolframalpha.com/Calculate/MSP/MSP1';
    const svg = Buffer.from(chart, 'base64').toString();
    await open('wolframalpha-viewer', { outside: () => svg, outsideType: 'image/svg+xml' });
    const subpods = [
      { title: '', plaintext: 'Norway', img: { src: picture, alt: 'Norway as text' } },
      {
        title: 'elsewhere',
        plaintext: 'x',
        img: { src: 'https://wolframalpha.com.evil.example/x.png', alt: 'evil' },
      },
      { title: '<b>', plaintext: '5.6 million' },
    ];
    await app.sendResult({
      content: [],
      structuredContent: { queryresult: { pods: [{ title: 'Input', subpods }, null] } },
    });
    await app.frame.getByRole('img', { name: 'Norway as text' }).waitFor();
    expect(await shown()).toMatch(
      /Input[\s\S]*elsewhere\s+x\s+Open the picture at wolframalpha\.com\.evil\.example[\s\S]*<b>[\s\S]*5\.6 million/,
    );
    expect(app.requests).toEqual([picture]);
  });
});

describeInBrowser('Markdown', () => {
  test('becomes nodes', async () => {
    await open('wolframalpha-viewer');
    const source = [
      '# One\n\ntext *soft* **strong with `code`**\nnext line\n',
      '### Three\n\n1. first\n   - inner\n2. second\n\n> quoted\n\n---\n',
      '```js\n<b>&amp;</b>\n```\n\n| a | b |\n|---|---|\n| 1 | [l](https://a.example/) |',
    ].join('\n');
    await app.sendResult({ content: [text(source)] });
    await see('second');
    const html = String(await app.frame.evaluate('document.querySelector("#content").innerHTML'));
    expect(html.replace(/ (?:class|tabindex|target|rel|title)="[^"]*"/g, '')).toBe(
      '<section><h2>One</h2><p>text <em>soft</em> <strong>strong with <code>code</code></strong>\nnext line</p>' +
        '<h3>Three</h3><ol><li>first<ul><li>inner</li></ul></li><li>second</li></ol><blockquote><p>quoted</p></blockquote><hr>' +
        '<pre><code>&lt;b&gt;&amp;amp;&lt;/b&gt;</code></pre><table><thead><tr><th>a</th><th>b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td><a href="https://a.example/">l</a></td></tr></tbody></table></section>',
    );
  });

  test.each([
    ['>', 5000],
    ['- ', 5000],
    ['[', 50_000],
    ['![](', 20_000],
    ['*', 50_000],
    ['**a', 20_000],
    ['`', 50_000],
    ['|-', 20_000],
    ['\n', 200_000],
    ['<system-reminder>', 10_000],
    ['- a\n  ', 10_000],
  ])('bears %j %i times', async (piece, times) => {
    await open('wolframalpha-viewer');
    await app.sendResult({ content: [text(piece.repeat(times)), text('the end')] });
    await see('the end');
  });

  test.each([
    ['a|b\n', '-', 'x'],
    ['a|b\n', '-|', 'x'],
    ['a|b\n|-|\n', '|', ''],
    ['a|b\n|-|\n', '|\n', ''],
    ['', '>\na\n', ''],
    ['', '# \n', ''],
    ['# ', ' ', 'x\u2028y'],
    ['', '[', ''],
    ['', '![', ''],
    ['', '[a](', ''],
    ['', '*a', ''],
    ['', '**a', ''],
  ])('bears %j and as many %j as fit', async (start, piece, end) => {
    await open('wolframalpha-viewer');
    for (const length of [19_990, 199_980]) {
      const body = piece.repeat(Math.floor((length - start.length - end.length) / piece.length));
      await app.sendResult({ content: [text(start + body + end), text(`the end of ${length}`)] });
      await see(`the end of ${length}`);
    }
  });

  test('is cut where its blocks are too long together', async () => {
    await open('wolframalpha-viewer');
    const block = text(`${'word '.repeat(3000)}\n\n`);
    await app.sendResult({ content: [...Array.from({ length: 30 }, () => block), text('the end')] });
    await see('… (shortened)');
    expect((await shown()).length).toBeLessThan(202_000);
    expect(await shown()).not.toContain('the end');
    await app.sendResult({ content: Array.from({ length: 600 }, () => text('few')) });
    await see('… (shortened)');
    expect((await shown()).match(/few/g)).toHaveLength(500);
  });
});
