import { afterEach, expect, test } from 'vitest';
import { describeInBrowser, type HostedApp, type OpenOptions } from '../support/browser.js';
import {
  barriersOf,
  chart,
  expectNoFaults,
  image,
  mark,
  notebookUrl,
  openViewer,
  text,
  type Viewer,
} from '../support/viewers.js';

let app: HostedApp;
async function open(viewer: Viewer, options: Partial<OpenOptions> = {}): Promise<void> {
  app = await openViewer(viewer, options);
}

afterEach(async () => {
  expectNoFaults(app);
  await app.close();
});

// biome-ignore lint/performance/useDomNodeTextContent: the text that is seen, without scripts and what is hidden
const shown = () => app.frame.locator('body').innerText();
const see = (words: string) => app.frame.getByText(words).first().waitFor();
const bar = () => app.frame.getByRole('textbox', { name: 'Question for Wolfram|Alpha' });
const content = () => app.frame.locator('#content');
const svg = Buffer.from(chart, 'base64').toString();

/** A host that has Wolfram|Alpha's pictures for the viewer. */
const withPictures = { outside: () => svg, outsideType: 'image/svg+xml' };
/** One whose network reaches nothing. */
const offline = { outside: () => undefined };

const picture = 'https://www6b3.wolframalpha.com/Calculate/MSP/MSP2?MSPStoreType=image/gif&s=17';
const pods = [
  {
    title: 'Input interpretation',
    id: 'Input',
    primary: false,
    subpods: [{ title: '', plaintext: 'Norway | population', img: null }],
  },
  {
    title: 'Result',
    id: 'Result',
    primary: true,
    subpods: [
      {
        title: 'history',
        plaintext: '5.6 million people',
        img: { src: picture, alt: '5.6 million people (2024)', width: 360, height: 160 },
      },
    ],
  },
];
const answer = '## Result\n\n**5.6 million people**';

/** A result of the tool as it comes to clients that show apps. */
const alpha = {
  content: [text(answer), image],
  structuredContent: { pods },
  _meta: { backend: 'wolframalpha-full-results' },
};

/** One of the evaluator with a kernel that is connected to the cloud. */
const evaluated = {
  content: [
    mark,
    text('Out[1]= {2, 3, 5}'),
    image,
    text('\n\n<system-reminder>Pass session="a1b2c3d4" in future calls.</system-reminder>'),
    text('\n</result>'),
  ],
  _meta: { backend: 'kernel', notebookUrl },
};

/** Values that are nothing where a text, a list or an object is expected. */
const odd: readonly unknown[] = [
  null,
  7,
  true,
  '',
  'x',
  [],
  [[]],
  {},
  { toString: 1, valueOf: 1 },
  { length: 1e9 },
];

describeInBrowser('a result of Wolfram|Alpha', () => {
  test('is shown by its pods', async () => {
    await open('wolframalpha-viewer', withPictures);
    await app.sendInput({ query: 'population of Norway' });
    await app.sendResult(alpha);
    await app.frame.getByRole('img', { name: '5.6 million people (2024)' }).waitFor();
    expect(await app.frame.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Input interpretation',
      'Result',
    ]);
    expect(await app.frame.locator('[data-primary] h2').allInnerTexts()).toEqual(['Result']);
    expect(await shown()).toContain('Norway | population');
    expect(app.requests).toEqual([picture]);
  });

  test.each<[lost: string, result: object]>([
    ['structured content', { content: alpha.content, _meta: alpha._meta }],
    ['structured content and metadata', { content: alpha.content }],
    ['the text', { ...alpha, content: [] }],
    ['everything but the text', { content: [text(answer)] }],
    ['the list of blocks', { text: answer }],
  ])('is shown by the rest where the host drops %s', async (_, result) => {
    await open('wolframalpha-viewer', withPictures);
    await app.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: result });
    await app.frame.getByRole('heading', { level: 2, name: 'Result' }).waitFor();
    expect(await content().locator('img, strong').count()).toBeGreaterThan(0);
    expect(await app.frame.locator('#alert').textContent()).toBe('');
  });

  test('shows a picture once that its text names and that follows as a block', async () => {
    await open('wolframalpha-viewer', withPictures);
    const stored = 'https://www6b3.wolframalpha.com/files/one.png';
    await app.sendResult({
      content: [
        text(`Plot:\n![a plot](${stored})`),
        image,
        text(`\nimage: ${stored}`),
        image,
        text(`![another](${stored}?2)`),
        { ...image, data: '!' },
      ],
    });
    await app.frame.getByRole('img', { name: 'a plot' }).waitFor();
    const names = await app.frame.evaluate(
      '[...document.querySelectorAll("#content img")].map(({ alt }) => alt)',
    );
    expect(names).toEqual(['a plot', 'Result of Wolfram|Alpha', 'another']);
    await expect.poll(() => app.requests).toEqual([`${stored}?2`]);
  });

  test('shows the text of a picture that does not load, and where it is', async () => {
    await open('wolframalpha-viewer', offline);
    await app.sendResult(alpha);
    const link = app.frame.getByRole('link', { name: 'Open the picture at www6b3.wolframalpha.com' });
    await link.press('Enter');
    expect((await app.heard('ui/open-link')).params.url).toBe(picture);
    await see('5.6 million people');
    expect(await content().locator('img').count()).toBe(0);
    expect(app.errors.splice(0)).toHaveLength(1);
  });

  test('shows the text of a picture that the host blocks', async () => {
    await open('wolframalpha-viewer', { csp: {} });
    await app.sendResult(alpha);
    await app.frame.getByRole('link', { name: 'Open the picture at' }).waitFor();
    await see('5.6 million people');
    expect(app.requests).toEqual([]);
    expect(app.violations.splice(0)).toHaveLength(1);
    expect(app.errors.splice(0)).toHaveLength(1);
  });

  test.each([
    'javascript:document.title=1',
    'data:text/html;base64,PHNjcmlwdD4=',
    'data:image/svg+xml,<svg onload="document.title=1">',
    'http://www6b3.wolframalpha.com/1.png',
    '//www6b3.wolframalpha.com/1.png',
    'https://user:secret@www6b3.wolframalpha.com/1.png',
    'https://www6b3.wolframalpha.com.evil.example/1.png',
    'https://evil.example/.wolframalpha.com/1.png',
    'https://evil.example\\.wolframalpha.com/1.png',
    'https://evilwolframalpha.com/1.png',
    `https://www6b3.wolframalpha.com/${'x'.repeat(5000)}`,
    'blob:https://www6b3.wolframalpha.com/1',
  ])('loads no picture from %s', async (src) => {
    await open('wolframalpha-viewer', withPictures);
    const title = await app.frame.title();
    const subpods = [{ title: '', plaintext: 'its text', img: { src, alt: 'its alt' } }];
    await app.sendResult({ content: [], structuredContent: { pods: [{ title: 'Pod', subpods }] } });
    await see('its text');
    expect(await content().locator('img, iframe, a:not([href^="https:"])').count()).toBe(0);
    expect(app.requests).toEqual([]);
    expect(await app.frame.title()).toBe(title);
  });

  test('has words that are never markup', async () => {
    await open('wolframalpha-viewer');
    const title = await app.frame.title();
    const attack =
      '</h2></section></main></script><img src=x onerror="document.title=1"><a href="javascript:1">a</a>';
    const subpods = [
      { title: attack, plaintext: attack },
      { title: attack, plaintext: attack, img: { src: attack, alt: attack } },
    ];
    await app.sendResult({
      content: [text(attack)],
      structuredContent: {
        pods: [{ title: attack, id: attack, primary: attack, subpods }],
        didYouMean: [attack],
      },
      _meta: { notebookUrl: attack },
    });
    await see('This is not the address of a notebook');
    expect((await shown()).split(attack)).toHaveLength(1 + 1 + 2 + 2 + 1 + 1);
    expect(await app.frame.locator('main img, main iframe, main script, [data-primary]').count()).toBe(0);
    expect(await app.frame.title()).toBe(title);
  });

  test.each(odd.map((value) => [value]))('shows the text if structured content is %j', async (value) => {
    await open('wolframalpha-viewer');
    const wrong = [
      value,
      { pods: value },
      { pods: [value] },
      { queryresult: value },
      { pods: [{ title: value, primary: value, subpods: value }] },
      { pods: [{ title: 'Pod', subpods: [value] }] },
      { pods: [{ title: 'Pod', subpods: [{ title: null, plaintext: null, img: value }] }] },
      { pods: null, didYouMean: value },
    ];
    for (const [index, structuredContent] of wrong.entries()) {
      const params = { content: [text(`text ${index}`)], structuredContent, _meta: value };
      await app.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params });
      await see(`text ${index}`);
    }
    expect(await app.teardown()).toEqual({});
  });

  test.each(odd.map((value) => [value]))('shows the valid parts if one part is %j', async (value) => {
    await open('wolframalpha-viewer');
    const subpods = [
      { title: value, plaintext: 'first', img: { src: value, alt: value, width: value } },
      value,
      { title: 'second', plaintext: value, img: value },
    ];
    const params = {
      content: value,
      isError: null,
      structuredContent: {
        pods: [value, { title: value, id: value, subpods }],
        didYouMean: [value, 'third'],
      },
    };
    await app.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params });
    for (const words of ['first', 'second', 'third']) await see(words);
    expect(await barriersOf(app.frame)).toEqual([]);
  });

  test('is cut where it is huge', async () => {
    await open('wolframalpha-viewer');
    const pod = (count: number, plaintext: string) => ({
      title: 'Pod',
      subpods: Array.from({ length: count }, () => ({ title: '', plaintext })),
    });
    const cut = '… (shortened)';
    const parts = () => app.frame.locator('.pod > p').count();

    const show = async (all: readonly object[], id: string) => {
      await app.sendResult({ content: [], structuredContent: { pods: all, didYouMean: [id] } });
      await app.frame.getByRole('button', { name: id }).waitFor();
    };
    await show(
      Array.from({ length: 10_000 }, () => pod(1, 'few')),
      'many pods',
    );
    expect(await app.frame.locator('.pod').count()).toBe(100);
    expect((await shown()).split(cut)).toHaveLength(2);

    await show([pod(10_000, 'few')], 'many parts');
    expect(await parts()).toBe(500);
    expect((await shown()).split(cut)).toHaveLength(2);

    await show([pod(500, 'x'.repeat(2000))], 'much text');
    expect((await shown()).length).toBeLessThan(210_000);
    expect((await shown()).split(cut)).toHaveLength(2);

    await show([pod(1, 'x'.repeat(1_000_000))], 'one long text');
    expect((await shown()).length).toBeLessThan(3000);

    await show(
      Array.from({ length: 100 }, () => pod(1, 'few')),
      'as many as fit',
    );
    expect(await shown()).not.toContain(cut);

    await app.sendResult({ content: [text('word '.repeat(200_000))] });
    await see(cut);
    expect((await shown()).length).toBeLessThan(202_000);
  });

  test('shows only the failure, in its own words', async () => {
    await open('wolframalpha-viewer');
    await app.sendInput({ query: 'asdfgh' });
    await app.sendResult({ ...alpha, content: [text('Set WOLFRAM_ALPHA_APPID.')], isError: true });
    await app.frame.getByRole('alert').getByText('The query failed.').waitFor();
    await see('Set WOLFRAM_ALPHA_APPID.');
    expect(await shown()).not.toContain('Input interpretation');
  });

  test('leaves products of formulas as they are', async () => {
    await open('wolframalpha-viewer');
    await app.sendResult({
      content: [text('2*x*3 and 2**3**4 and f(x)*g(x)*h, *soft*, **strong** [l](https://a.example/)')],
    });
    await see('2*x*3 and 2**3**4 and f(x)*g(x)*h, soft, strong l');
    expect(await content().locator('em, strong, a').allInnerTexts()).toEqual(['soft', 'strong', 'l']);
  });
});

describeInBrowser('suggestions of Wolfram|Alpha', () => {
  const choice = (name: string) => app.frame.getByRole('button', { name, exact: true });
  const notUnderstood = {
    content: [text('Wolfram|Alpha did not understand.')],
    isError: true,
    structuredContent: {
      didYouMean: ['integrate sin x', ' integrate sin x ', '', 'x'.repeat(300), 5, null, 'sin x'],
    },
  };

  test('is asked by pressing it', async () => {
    await open('wolframalpha-viewer', { answers: { 'tools/call': () => alpha }, ...withPictures });
    await app.sendInput({ query: 'integrat sinn x' });
    await app.sendResult(notUnderstood);
    await see('Did you mean');
    expect(await app.frame.locator('#choices button').allInnerTexts()).toEqual([
      'integrate sin x',
      '5',
      'sin x',
    ]);
    await choice('sin x').press('Enter');
    expect((await app.heard('tools/call')).params).toEqual({
      name: 'WolframAlpha',
      arguments: { query: 'sin x' },
    });
    await see('Norway | population');
    expect(await bar().inputValue()).toBe('sin x');
    expect(await app.frame.evaluate('document.activeElement.id')).toBe('query');
    expect(await shown()).not.toContain('Did you mean');
    expect(await app.frame.locator('#alert').textContent()).toBe('');
  });

  test('shows suggestions as text, without buttons, if the host forbids tool calls by apps', async () => {
    await open('wolframalpha-viewer', { hostCapabilities: {} });
    await app.sendInput({ query: 'integrat sinn x' });
    await app.sendResult(notUnderstood);
    await see('integrate sin x');
    expect(await app.frame.getByRole('button').count()).toBe(0);
    expect(await bar().isEditable()).toBe(false);
    await bar().press('Enter');
    await app.sendResult({ content: [] });
    await see('There is nothing to show.');
    expect(await shown()).not.toContain('Go');
    expect(app.messages.some(({ message }) => message.method === 'tools/call')).toBe(false);
  });

  test('is no more than a few questions', async () => {
    await open('wolframalpha-viewer');
    const didYouMean = Array.from({ length: 10_000 }, (_, index) => `question ${index}`);
    await app.sendResult({ content: [], structuredContent: { didYouMean } });
    await see('question 9');
    expect(await app.frame.locator('#choices button').count()).toBe(10);
    expect(await app.frame.locator('#alert').textContent()).toBe('');
  });
});

describeInBrowser('a question', () => {
  test('is no longer answered when the call was cancelled, and another can be asked', async () => {
    const release: ((result: object) => void)[] = [];
    await open('wolframalpha-viewer', {
      answers: { 'tools/call': () => new Promise((resolve) => release.push(resolve)) },
    });
    await bar().fill('first');
    await bar().press('Enter');
    await expect.poll(() => release.length).toBe(1);
    await app.sendCancelled('enough');
    await see('Cancelled: enough');
    await bar().fill('second');
    await bar().press('Enter');
    await expect.poll(() => release.length).toBe(2);
    release[0]!({ content: [text('first answer')] });
    release[1]!({ content: [text('second answer')] });
    await see('second answer');
    expect(await shown()).not.toContain('first answer');
  });

  test('is reached by the Tab key with its links and buttons, in visual order', async () => {
    await open('wolframalpha-viewer');
    await app.sendInput({ query: 'sinn x' });
    await app.sendResult({
      content: [text('## A\n\n[a link](https://a.example/)')],
      structuredContent: { didYouMean: ['sin x', 'sinh x'] },
    });
    await app.frame.getByRole('link', { name: 'a link' }).waitFor();
    await bar().focus();
    const reached: unknown[] = [];
    for (let times = 0; times < 6; times++) {
      await app.page.keyboard.press('Tab');
      reached.push(
        await app.frame.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'),
      );
    }
    expect(reached).toEqual([
      'Clear the question',
      'Go',
      'sin x',
      'sinh x',
      'a link',
      'Open in Wolfram|Alpha',
    ]);
  });

  test.each<[question: string, address: string | undefined]>([
    ['half \ud83d of a character', 'https://www.wolframalpha.com/input?i=half%20%20of%20a%20character'],
    ['😀', 'https://www.wolframalpha.com/input?i=%F0%9F%98%80'],
    ['x'.repeat(100_000), undefined],
    ['', undefined],
  ])('%# can be opened in Wolfram|Alpha if it has an address', async (query, address) => {
    await open('wolframalpha-viewer');
    await app.post({
      jsonrpc: '2.0',
      method: 'ui/notifications/tool-input',
      params: { arguments: { query } },
    });
    await app.sendResult({ content: [text('an answer')], _meta: { notebookUrl } });
    await app.frame.locator('iframe').waitFor();
    const links = app.frame.getByRole('link', { name: 'Open in Wolfram|Alpha' });
    expect(await links.count()).toBe(address ? 1 : 0);
    if (address) expect(await links.getAttribute('href')).toBe(address);
  });
});

describeInBrowser('a result of the evaluator', () => {
  test('stays in sight beside its notebook, within little room', async () => {
    await open('evaluator-viewer');
    await app.sendInput({ code: 'Prime' });
    await app.sendResult({ ...evaluated, content: [mark, text('line\n'.repeat(100)), text('\n</result>')] });
    await app.frame.locator('#content[data-beside]').waitFor();
    expect((await content().boundingBox())!.height).toBeLessThanOrEqual(260);
    expect(await barriersOf(app.frame)).toEqual([]);
    await content().focus();
    await content().press('End');
    await expect
      .poll(() => app.frame.evaluate('document.querySelector("#content").scrollTop'))
      .toBeGreaterThan(0);
    await app.sendResult({ content: [text('no notebook')] });
    await see('no notebook');
    expect(await content().getAttribute('tabindex')).toBe(null);
  });

  test.each(['evaluator-viewer', 'wolframalpha-viewer'] as const)(
    'stays in sight where its notebook cannot be loaded (%s)',
    async (viewer) => {
      await open(viewer, offline);
      await app.sendResult(evaluated);
      await expect.poll(() => app.requests).toHaveLength(1);
      await app.frame.locator('#status:not([data-busy])').waitFor({ state: 'attached' });
      expect(await content().isVisible()).toBe(true);
      expect(await shown()).toContain('Out[1]= {2, 3, 5}');
    },
  );

  test.each(odd.map((value) => [value]))('shows the valid parts if one part is %j', async (value) => {
    await open('evaluator-viewer');
    const blocks = [
      value,
      { type: value, text: value },
      { type: 'text', text: value },
      { type: 'image', data: value, mimeType: value },
      { type: 'image', data: chart, mimeType: value },
      { type: 'resource_link', uri: value, name: value, title: value },
      { type: 'resource', resource: value },
      { type: 'resource', resource: { text: value } },
      text('the end'),
    ];
    const params = {
      content: blocks,
      structuredContent: value,
      _meta: { notebookUrl: value || undefined },
    };
    await app.post({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params });
    await see('the end');
    expect(await content().locator('img').count()).toBe(0);
    expect(await barriersOf(app.frame)).toEqual([]);
  });

  test.each(['image/png', 'image/svg+xml'])('reports an invalid picture (%s)', async (mimeType) => {
    await open('evaluator-viewer');
    await app.sendResult({ content: [{ type: 'image', data: 'AAAA', mimeType }, text('the end')] });
    await see('This picture cannot be shown.');
    expect(await content().locator('img').count()).toBe(0);
  });

  test('keeps the layout of its lines, and no markup', async () => {
    await open('evaluator-viewer');
    const output = '    1   0\n    0   1\n</pre></main><img src=x onerror="document.title=1">';
    const title = await app.frame.title();
    await app.sendResult({ content: [text(`\n\n${output}\n</result>\n`)] });
    expect(await content().locator('pre').allTextContents()).toEqual([output]);
    expect(await app.frame.title()).toBe(title);
  });

  test('is cut where it is huge', async () => {
    await open('evaluator-viewer');
    await app.sendInput({ code: 'x'.repeat(1_000_000) });
    await app.sendResult({ content: [text('x'.repeat(1_000_000)), text('more')] });
    await expect.poll(async () => (await shown()).split('… (shortened)').length).toBe(3);
    expect((await shown()).length).toBeLessThan(222_000);
  });
});

describeInBrowser.each(['light', 'dark'] as const)('accessibility of the %s', (theme) => {
  test.each<[what: string, viewer: Viewer, result: object]>([
    ['pods', 'wolframalpha-viewer', alpha],
    ['pods with a notebook', 'wolframalpha-viewer', { ...alpha, _meta: { notebookUrl } }],
    ['suggestions', 'wolframalpha-viewer', { content: [], structuredContent: { didYouMean: ['a', 'b'] } }],
    ['failure of a query', 'wolframalpha-viewer', { content: [text('Set it.')], isError: true }],
    ['output with a notebook', 'evaluator-viewer', evaluated],
    ['failure of an evaluation', 'evaluator-viewer', { content: [text('$Failed')], isError: true }],
    ['notebook', 'notebook-viewer', { content: [], _meta: { notebookUrl } }],
    ['failure of a notebook', 'notebook-viewer', { content: [text('None.')], isError: true }],
    ['address of no notebook', 'notebook-viewer', { content: [], _meta: { notebookUrl: 'x' } }],
  ])('%s', async (what, viewer, result) => {
    await open(viewer, { hostContext: { theme }, ...withPictures });
    await app.sendResult(result);
    await app.frame
      .locator('#content > *, #notebook > *, #choices button, #alert:not(:empty)')
      .first()
      .waitFor();
    expect(await barriersOf(app.frame)).toEqual([]);
    await app.screenshot(`${what.replaceAll(' ', '-')}-${theme}`);
  });
});
