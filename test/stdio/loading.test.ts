import { existsSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { addFiles, type Files, writeFolder, writePackage } from '../support/packages.js';
import type { Program } from '../support/program.js';
import { openHere, serveHere } from '../support/serving-here.js';
import { call, modern } from './support/messages.js';

/** A module that leaves a file beside itself when it is loaded. */
const leavesMark = (mark: string) => `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./${mark}', import.meta.url), '');`;

/** One tool in `tools/one.json` whose handler is in `one.js`, if files say nothing else. */
const oneTool = (files: Files, definition: object = {}): string =>
  writePackage(
    { tools: ['one'] },
    {
      'agenttools/tools/one.json': { description: 'One.', handler: './one.js#one', ...definition },
      ...files,
    },
  );

const failure = (text: RegExp) => ({
  isError: true,
  content: [{ type: 'text', text: expect.stringMatching(text) }],
});

describe.concurrent('data definitions', () => {
  test('are listed without any code, which loads at the first call that needs it', async () => {
    const folder = writePackage(
      { servers: ['main'], tools: ['one', 'two'], prompts: ['ask'], resources: ['file'] },
      {
        'agenttools/servers/main.json': {
          tools: '*',
          prompts: '*',
          resources: '*',
          initialize: './main.js#start',
        },
        'agenttools/tools.json': {
          one: { description: 'One.', handler: './one.js#one', initialize: './one.js#start' },
          two: { description: 'Two.', handler: './two.js#two' },
        },
        'agenttools/prompts.json': {
          ask: {
            description: 'Ask.',
            arguments: [{ name: 'who', complete: './ask.js#complete' }],
            type: 'function',
            content: './ask.js#ask',
          },
        },
        'agenttools/resources.json': {
          file: { uri: 'kit://file', description: 'A file.', read: './read.js#read' },
        },
        'main.js': `${leavesMark('main.loaded')} export const start = () => {};`,
        'one.js': `${leavesMark('one.loaded')} export const one = () => 'one'; export const start = () => {};`,
        'two.js': `${leavesMark('two.loaded')} export const two = () => 'two';`,
        'ask.js': `${leavesMark('ask.loaded')} export const ask = () => 'ask'; export const complete = () => ['a'];`,
        'read.js': `${leavesMark('read.loaded')} export const read = () => 'read';`,
      },
    );
    const loaded = () =>
      ['main', 'one', 'two', 'ask', 'read'].filter((one) => existsSync(path.join(folder, `${one}.loaded`)));
    const program = await openHere(folder);
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      await program.request(method);
      await program.ask(modern(method, method));
    }
    await program.ask(modern('discover', 'server/discover'));
    await program.call('nope');
    expect(loaded()).toEqual([]);
    const ref = { type: 'ref/prompt', name: 'ask' };
    await program.request('completion/complete', { ref, argument: { name: 'who', value: '' } });
    // What completes may rely on what its server has made ready.
    expect(loaded()).toEqual(['main', 'ask']);
    await program.request('resources/read', { uri: 'kit://file' });
    expect(loaded()).toEqual(['main', 'ask', 'read']);
    await program.call('two');
    expect(loaded()).toEqual(['main', 'two', 'ask', 'read']);
    await program.call('one');
    expect(loaded()).toHaveLength(5);
    await program.end();
  });

  test('loads no code for invalid arguments', async () => {
    const folder = oneTool(
      { 'one.js': `${leavesMark('one.loaded')} export const one = () => 'one';` },
      { input: { n: { type: 'integer', required: true } } },
    );
    const program = await openHere(folder);
    expect(await program.call('one', { n: 'x' })).toMatchObject(failure(/n/));
    expect(existsSync(path.join(folder, 'one.loaded'))).toBe(false);
    await program.end();
  });
});

describe.concurrent('a handler module', () => {
  const cases: Readonly<Record<string, readonly [files: Files, reason: RegExp]>> = {
    'that throws': [{ 'one.js': 'throw new Error("not today");' }, /not today/],
    'that does not parse': [{ 'one.js': 'export const one = (' }, /SyntaxError|one\.js/],
    'without the export': [{ 'one.js': 'export const other = 1;' }, /no export "one".*other/],
    'whose export is no function': [{ 'one.js': 'export const one = 1;' }, /not a function/],
    'that imports what is not there': [
      { 'one.js': 'import "no-such-package"; export const one = () => {};' },
      /no-such-package/,
    ],
    'that throws something odd': [{ 'one.js': 'throw null;' }, /one/],
  };

  test.each(Object.entries(cases))(
    '%s fails the call, reports the reason on stderr, and works after a fix',
    async (_, [files, reason]) => {
      const folder = oneTool(files);
      const program = await openHere(folder);
      for (const _again of [1, 2])
        expect(await program.call('one')).toMatchObject(failure(/^Tool "one" could not be loaded/));
      expect(await program.said(reason)).toContain('@acme/kit/one');
      addFiles(folder, { 'one.js': 'export const one = () => "mended";' });
      expect(await program.textOf('one')).toBe('mended');
      // What was loaded stays.
      rmSync(path.join(folder, 'one.js'));
      expect(await program.textOf('one')).toBe('mended');
      expect(await program.end()).toEqual({ code: 0, signal: null });
    },
  );

  test('omits its tool if missing, and reports tool, file and reason in one line', async () => {
    const program = await openHere(oneTool({}));
    expect((await program.request('tools/list')).tools).toEqual([]);
    const line = await program.said(/no file \.\/one\.js/);
    expect(line).toMatch(/^left out: @acme\/kit\/one \(agenttools\/tools\/one\.json:\d+\): /m);
    await program.end();
  });

  test.each(['../out.js#one', '/out.js#one', 'fs#readFileSync', 'node:fs#readFileSync', './link.js#one'])(
    'by the reference %s is never loaded, and the call fails',
    async (handler) => {
      const outside = writeFolder({ 'out.js': `${leavesMark('loaded')} export const one = () => 'one';` });
      const folder = oneTool({}, { handler });
      symlinkSync(path.join(outside, 'out.js'), path.join(folder, 'link.js'));
      const program = await openHere(folder);
      const { tools } = await program.request('tools/list');
      // Left out at once, or at the latest when it is called.
      const answer = await program.call('one');
      if (tools.length > 0) expect(answer).toMatchObject(failure(/could not be loaded/));
      else expect(answer.code).toBeLessThan(0);
      expect(existsSync(path.join(outside, 'loaded'))).toBe(false);
      expect(await program.end()).toEqual({ code: 0, signal: null });
    },
  );

  test('is loaded once for all calls', async () => {
    const program = await openHere(
      oneTool({
        'one.js':
          'console.log("<loaded>"); await null; let calls = 0; export const one = () => String(++calls);',
      }),
    );
    for (const id of [1, 2, 3])
      program.send(call(id, 'one'), modern(`m${id}`, 'tools/call', { name: 'one' }));
    for (const id of [1, 2, 3]) {
      expect((await program.next(id)).result).toBeDefined();
      expect((await program.next(`m${id}`)).result).toBeDefined();
    }
    expect(await program.textOf('one')).toBe('7');
    await program.end();
    expect(program.stderr).toBe('<loaded>\n');
  });

  test('may be CommonJS, with a default or named exports', async () => {
    const program = await openHere(
      writePackage(
        { tools: ['named', 'plain', 'transpiled'] },
        {
          'agenttools/tools.json': {
            named: { description: 'x', handler: './a.cjs#named' },
            plain: { description: 'x', handler: './b.cjs' },
            transpiled: { description: 'x', handler: './c.cjs' },
          },
          'a.cjs': 'exports.named = () => "named";',
          'b.cjs': 'module.exports = () => "plain";',
          'c.cjs':
            'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = () => "transpiled";',
        },
      ),
    );
    for (const name of ['named', 'plain', 'transpiled']) expect(await program.textOf(name)).toBe(name);
    await program.end();
  });
});

describe('a module of a handler', () => {
  test('fails the call in time if it hangs while loading, and delays no other call', async () => {
    const program = await openHere(
      writePackage(
        { tools: ['one', 'two'] },
        {
          'agenttools/tools/one.json': { description: 'One.', handler: './one.js#one' },
          'agenttools/tools/two.json': { description: 'Two.', handler: './two.js#two' },
          'one.js':
            'console.log("<loading>"); await new Promise(() => setInterval(() => {}, 1000)); export const one = () => "one";',
          'two.js': 'export const two = () => "two";',
        },
      ),
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    program.send(call(1, 'one'));
    await program.said('<loading>');
    await vi.advanceTimersByTimeAsync(9900);
    expect(await program.textOf('two')).toBe('two');
    expect(await program.request('ping')).toEqual({});
    expect(program.stderr).not.toContain('did not load');
    await vi.advanceTimersByTimeAsync(200);
    expect((await program.next(1)).result).toMatchObject(failure(/could not be loaded/));
    expect(program.stderr).toContain('did not load within 10 s');
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});

describe.concurrent('initialize hooks', () => {
  const hooked = (bodies: { server: string; tool: string }): string =>
    writePackage(
      { servers: ['main'], tools: ['one', 'two'], prompts: ['ask'] },
      {
        'agenttools/servers/main.json': { tools: '*', prompts: '*', initialize: './hooks.js#server' },
        'agenttools/tools/one.json': {
          description: 'One.',
          handler: './hooks.js#one',
          initialize: './hooks.js#tool',
        },
        'agenttools/tools/two.json': { description: 'Two.', handler: './hooks.js#two' },
        'agenttools/prompts/ask.json': { description: 'Ask.', type: 'function', content: './hooks.js#two' },
        'hooks.js': `const say = (text) => process.stderr.write('<' + text + '>');
          let calls = 0; let open; const gate = new Promise((resolve) => { open = resolve; });
          process.on('agenttools-test-open', open);
          export async function server() { say('server'); ${bodies.server}; say('server done'); }
          export async function tool(ctx) { say('tool'); ${bodies.tool}; say('tool done'); }
          export const one = () => { say('one'); return 'one'; };
          export const two = () => { say('two'); return 'two'; };`,
      },
    );
  const said = (program: Program): readonly string[] => program.stderr.match(/<[^>]+>/g) ?? [];

  test('run once each, the server first, before the first use, however many come at once', async () => {
    const program = await openHere(hooked({ server: 'await null', tool: 'await null' }));
    program.send(call(1, 'one'), modern(2, 'tools/call', { name: 'one' }), call(3, 'two'));
    for (const id of [1, 2, 3]) await program.next(id);
    await program.call('one');
    await program.end();
    const words = said(program);
    for (const hook of ['<server>', '<tool>']) expect(words.filter((word) => word === hook)).toHaveLength(1);
    const at = (word: string) => words.indexOf(word);
    expect(at('<server done>')).toBeLessThan(at('<tool>'));
    expect(at('<tool done>')).toBeLessThan(at('<one>'));
    expect(at('<server done>')).toBeLessThan(at('<two>'));
  });

  test('delay neither handshake nor ping nor lists nor what does not need them', async () => {
    // The gate is an event of this process.
    const folder = hooked({ server: 'await null', tool: 'await gate' });
    const program = serveHere(folder, { flags: ['--in-process'] });
    await program.initialize();
    await program.request('tools/list');
    await program.request('prompts/list');
    expect(program.stderr).toBe('');
    program.send(call(1, 'one'));
    await program.said('<tool>');
    expect(await program.request('ping')).toEqual({});
    expect((await program.request('tools/list')).tools).toHaveLength(2);
    expect(await program.textOf('two')).toBe('two');
    expect((await program.request('prompts/get', { name: 'ask' })).messages).toHaveLength(1);
    expect(said(program)).not.toContain('<one>');
    process.emit('agenttools-test-open' as 'disconnect');
    expect((await program.next(1)).result.content[0].text).toBe('one');
    await program.end();
  });

  test('fails the call that needs a failing hook, and runs the hook again', async () => {
    const program = await openHere(
      hooked({
        server: 'await null',
        tool: 'calls += 1; if (calls < 3) throw new Error("secret of the hook")',
      }),
    );
    for (const _ of [1, 2]) {
      const result = await program.call('one');
      expect(result).toMatchObject(failure(/could not be initialized/));
      expect(await program.textOf('two')).toBe('two');
    }
    expect(await program.textOf('one')).toBe('one');
    await program.end();
    expect(program.stderr).toContain('secret of the hook');
    expect(said(program).filter((word) => word === '<server>')).toHaveLength(1);
  });

  test('fails every call and prompt if the hook of the server fails, but not the server', async () => {
    const program = await openHere(hooked({ server: 'throw new Error("no")', tool: '' }));
    expect(await program.call('one')).toMatchObject(failure(/./));
    expect(await program.call('two')).toMatchObject(failure(/./));
    expect((await program.request('prompts/get', { name: 'ask' })).code).toBe(-32603);
    expect((await program.request('tools/list')).tools).toHaveLength(2);
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  test('limits a hook that never ends to the timeout of the call', async () => {
    const program = await openHere(
      oneTool(
        { 'one.js': 'export const one = () => "one"; export const start = () => new Promise(() => {});' },
        { initialize: './one.js#start', timeoutMs: 200 },
      ),
    );
    expect(await program.call('one')).toMatchObject(failure(/no answer within 0\.2 s/));
    expect(await program.request('ping')).toEqual({});
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});
