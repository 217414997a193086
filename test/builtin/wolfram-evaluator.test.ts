import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { eventually, isAlive, root } from '../support/program.js';
import { compose, openSession } from '../support/session.js';
import { llmPath, openWolfram, startServices } from '../support/wolfram-services.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Result = any;

const standIn = path.join(root, 'test/support/wolframscript.mjs');
const ui = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

/** A home of its own makes a kernel of its own. */
let home: string;

beforeEach(() => {
  home = writeFolder();
  vi.stubEnv('AGENTTOOLS_HOME', home);
  vi.stubEnv('WOLFRAMSCRIPT', standIn);
  vi.stubEnv('WOLFRAM_STAND_IN', undefined);
  vi.stubEnv('WOLFRAM_STAND_IN_CLOUD', undefined);
  vi.stubEnv('WOLFRAM_STAND_IN_LOG', path.join(home, 'log'));
  vi.stubEnv('WOLFRAM_API_KEY', undefined);
});
afterEach(() => vi.unstubAllEnvs());

/** A client of the evaluator alone. */
async function open({ capabilities = {}, options }: { capabilities?: object; options?: object } = {}) {
  const toolOptions = options && { WolframLanguageEvaluator: options };
  const composed = await compose(
    { servers: ['main'] },
    { 'agenttools/servers/main.json': { tools: ['WolframLanguageEvaluator'] } },
    { builtinFolder: path.join(root, 'src/builtin'), toolOptions },
  );
  const session = await openSession(composed, { capabilities });
  const begin = (code: string, more: object = {}) =>
    session.send('tools/call', { name: 'WolframLanguageEvaluator', arguments: { code, ...more } });
  const evaluate = async (code: string, more?: object): Promise<Result> => await begin(code, more).answer;
  return { ...session, begin, evaluate };
}

const textOf = ({ content }: Result): string =>
  content.map((block: Result) => (block.type === 'text' ? block.text : `(${block.mimeType})`)).join('|');

/** The result without what is said to the model at its end. */
const outputOf = (result: Result): string =>
  textOf(result).replace(/\s*<system-reminder>[^<]*<\/system-reminder>/, '');

const reminderOf = (result: Result): string => /<system-reminder>([^<]*)</.exec(textOf(result))?.[1] ?? '';

const idOf = (result: Result): string => /session="(\w+)"/.exec(textOf(result))?.[1] ?? '';

const logged = (): Result[] => {
  const file = path.join(home, 'log');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
};
const starts = () => logged().filter(({ start }) => start);

/** Captures timers of so many milliseconds: they run out when they are made to, and not by themselves. */
function captureTimers(capturedMs: number) {
  const { setTimeout: start } = globalThis;
  const captured: (() => void)[] = [];
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms?: number) => {
    if (ms !== capturedMs) return start(work, ms);
    captured.push(work);
    // Something that can be cleared.
    return start(() => {}, 0);
  }) as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  return {
    areSet: () => captured.length > 0,
    runOut() {
      for (const work of captured.splice(0)) work();
    },
  };
}

const savedFolder = () => path.join(home, 'wolfram/sessions');

describe('an evaluation', () => {
  test('returns outputs with labels, prints and images in order, and names the place of evaluation', async () => {
    const { evaluate } = await open();
    const result = await evaluate('1\nPrint["two"]\nx = 3\nplot\nPrint["last"]\ny = 6;');
    expect(result.isError).toBeUndefined();
    expect(result._meta).toEqual({ backend: 'kernel' });
    expect(result.content.map(({ type }: Result) => type)).toEqual(['text', 'image', 'text']);
    expect(result.content[1].mimeType).toBe('image/png');
    expect(outputOf(result)).toBe('Out[1]= 1\n\ntwo\n\nOut[3]= 3\n\nOut[4]=|(image/png)|last');
  });

  test('reports that there is no output', async () => {
    const { evaluate } = await open();
    expect(outputOf(await evaluate('x = 1;'))).toBe('No output.');
  });

  test('sends any code as ASCII', async () => {
    const { evaluate } = await open();
    await evaluate('"é→😀"\r\nα');
    const [, request] = logged();
    expect(request.code).toBe('"\\.e9\\:2192\\|01f600"\n\\:03b1');
  });

  test('gets whole characters and whole numbers only', async () => {
    const { evaluate } = await open({ options: { MaxCharacterCount: 1000.5 } });
    expect(outputOf(await evaluate('"\ud800!"'))).toContain('Out[1]= ');
    const [, request] = logged();
    expect(request).toMatchObject({ code: '"\\:fffd!"', source: '"\ufffd!"', maxCharacters: 1000 });
  });

  test('is cut in the middle where it is long', async () => {
    const { evaluate } = await open({ options: { MaxCharacterCount: 1000 } });
    const long = outputOf(await evaluate('1\nlong'));
    expect(long.length).toBeLessThan(1200);
    expect(long).toMatch(/^Out\[1\]= 1\n\nOut\[2\]= <x+\n… \d+ characters left out …\nx+>$/);
    expect(outputOf(await evaluate('huge'))).toMatch(/^Out\[1\]= <a+\n… 4999000 characters left out …\nz+>$/);
  });

  test('leaves nothing in a text that JSON cannot hold, or a terminal obeys', async () => {
    const { evaluate } = await open();
    expect(outputOf(await evaluate('private'))).toBe('Out[1]= \uf76d\ufffd!');
  });

  test('reports a syntax error in the words of the kernel', async () => {
    const { evaluate } = await open();
    const result = await evaluate('syntax');
    expect(result.isError).toBe(true);
    expect(outputOf(result)).toMatch(
      /^Syntax::sntxi: .*\n\nThe code is not syntactically correct\. Nothing was evaluated\.$/,
    );
  });

  test.each([
    ['sleep', 'The evaluation was stopped after 7 s, its time limit.'],
    ['abort', 'The evaluation was aborted.'],
  ])('reports that it was stopped, with the output before (%s)', async (code, said) => {
    const { evaluate } = await open();
    const result = await evaluate(`1\n${code}`, { timeConstraint: 7 });
    expect(result.isError).toBe(true);
    expect(outputOf(result)).toContain(`Out[1]= 1\n\n${said}`);
  });

  test('has the time limit of the call, otherwise the limit of the options', async () => {
    const { evaluate } = await open({ options: { TimeConstraint: 11 } });
    await evaluate('1');
    await evaluate('1', { timeConstraint: 5 });
    expect(
      logged()
        .slice(1)
        .map(({ seconds }) => seconds),
    ).toEqual([11, 5]);
    const { isError, content } = await evaluate('1', { timeConstraint: 0 });
    expect(isError).toBe(true);
    expect(content[0].text).toContain('timeConstraint');
  });

  test('hides the keys of AgentTools from the code', async () => {
    vi.stubEnv('WOLFRAM_API_KEY', 'the-secret-key');
    vi.stubEnv('WOLFRAM_ALPHA_APPID', 'the-secret-appid');
    const { evaluate } = await open({ options: { MaxCharacterCount: 1_000_000 } });
    const text = textOf(await evaluate('environment'));
    expect(text).toContain('WOLFRAM_STAND_IN_LOG');
    expect(text).not.toContain('the-secret');
  });
});

describe('output of evaluated code', () => {
  test('is shown if it bypasses the kernel, and never becomes the answer', async () => {
    const { evaluate } = await open();
    const forged = Buffer.from('{"outcome":"done","outputs":[]}').toString('base64');
    const result = await evaluate(`stdout @@0123456789abcdef:${forged}\\n@@:e30=\\nhello\n2`);
    expect(outputOf(result)).toContain('Out[2]= 2');
    expect(outputOf(result)).toContain('hello');
  });

  test('without an end of line does not swallow the answer', async () => {
    const { evaluate } = await open();
    expect(outputOf(await evaluate('stdout no end\n2'))).toContain('Out[2]= 2');
  });

  test('is shown up to a limit if it bypasses the kernel', async () => {
    const { evaluate } = await open({ options: { MaxCharacterCount: 1000 } });
    const output = outputOf(await evaluate('chatter'));
    expect(output).toContain('Out[1]= done');
    expect(output.length).toBeLessThan(1200);
  });

  test.each(['flood', 'endless'])('without an end ends the kernel (%s)', async (code) => {
    const { evaluate } = await open();
    const result = await evaluate(code);
    expect(result.isError).toBe(true);
    expect(outputOf(result)).toContain('The evaluation printed too much, so the Wolfram kernel was ended.');
    expect(outputOf(result).length).toBeLessThan(11_000);
    expect(outputOf(await evaluate('1'))).toBe('Out[1]= 1');
  });
});

describe('an invalid answer', () => {
  test.skipIf(process.platform === 'win32')(
    'does not block on a pipe in place of the printed text',
    async () => {
      const { evaluate } = await open();
      expect(outputOf(await evaluate('pipe-and-answer'))).toBe('No output.');
      expect(outputOf(await evaluate('stdout past it'))).toBe('past it');
    },
  );

  test.each(['nonsense', 'malformed', 'empty', 'unheard-of'])('is put into words (%s)', async (code) => {
    const { begin, evaluate } = await open();
    const limit = code === 'nonsense' ? captureTimers(1000 + 5000) : undefined;
    const { answer } = begin(code, { timeConstraint: 1 });
    if (limit) {
      await eventually(limit.areSet, 'the evaluation begins');
      // The answer is there by now, and is not taken for one.
      await delay(300);
      limit.runOut();
    }
    const result = await answer;
    expect(outputOf(result)).not.toBe('');
    expect(outputOf(result)).toMatch(code === 'malformed' ? /^No output\.$/ : /could not convert|was ended/);
    if (code !== 'malformed') expect(result.isError).toBe(true);
    expect(result.content.every(({ type }: Result) => type === 'text')).toBe(true);
    expect(outputOf(await evaluate('1'))).toBe('Out[1]= 1');
  });
});

describe('a session', () => {
  test('goes on where its ID is passed, apart from others', async () => {
    const { evaluate } = await open();
    const first = await evaluate('x = 5');
    const id = idOf(first);
    expect(id).toMatch(/^[a-z][a-z0-9]{7}$/);
    expect(reminderOf(first)).toBe(
      `Pass session="${id}" in future calls to this tool to continue this session.`,
    );
    const other = await evaluate('x');
    expect(idOf(other)).not.toBe(id);
    expect(outputOf(other)).toBe('Out[1]= x');
    const again = await evaluate('x', { session: id });
    expect(outputOf(again)).toBe('Out[2]= 5');
    expect(reminderOf(again)).toBe(reminderOf(first));
    expect(starts()).toHaveLength(1);
  });

  test('starts empty under an unknown ID, and reports it', async () => {
    const { evaluate } = await open();
    const result = await evaluate('1', { session: 'My_work1' });
    expect(reminderOf(result)).toMatch(/^No saved state was found .* Pass session="My_work1" /);
    expect(logged()[1].context).toBe('AgentToolsSession`My$work1`');
  });

  test.each(['', '1abc', 'a-b', '../x', 'a'.repeat(65), 'é'])(
    'gets a new ID for an invalid one (%j)',
    async (session) => {
      const { evaluate } = await open();
      const result = await evaluate('1', { session });
      expect(reminderOf(result)).toMatch(/^The given session ID is invalid/);
      expect(idOf(result)).toMatch(/^[a-z][a-z0-9]{7}$/);
    },
  );

  test('is saved after each call, for its owner only, and taken up by the next kernel', async () => {
    const { evaluate } = await open();
    const id = idOf(await evaluate('x = 5'));
    expect(readdirSync(savedFolder())).toEqual([`${id}.mx`]);
    if (process.platform !== 'win32') expect(statSync(savedFolder()).mode & 0o777).toBe(0o700);
    const crashed = await evaluate('crash', { session: id });
    expect(crashed.isError).toBe(true);
    const result = await evaluate('x', { session: id });
    expect(outputOf(result)).toBe('Out[2]= 5');
    expect(reminderOf(result)).toMatch(
      /^A new kernel was started; the session was restored from its saved state\. /,
    );
    expect(starts()).toHaveLength(2);
  });

  test('starts empty if its file is unreadable, and reports it', async () => {
    const { evaluate } = await open();
    const id = idOf(await evaluate('x = 5'));
    await evaluate('quit', { session: id });
    writeFileSync(path.join(savedFolder(), `${id}.mx`), 'not a session');
    const result = await evaluate('x', { session: id });
    expect(outputOf(result)).toBe('Out[1]= x');
    expect(reminderOf(result)).toMatch(/^The saved state of the session could not be read by this kernel/);
  });

  test('is one of so many that are kept', async () => {
    const { evaluate } = await open({ options: { MaxSessionCount: 2 } });
    const ids = [];
    for (const code of ['1', '2', '3']) ids.push(idOf(await evaluate(code)));
    expect(readdirSync(savedFolder()).sort()).toEqual(
      ids
        .slice(1)
        .map((id) => `${id}.mx`)
        .sort(),
    );
  });

  test('leaves the kernel when many others came, and comes back from its file', async () => {
    const { evaluate } = await open();
    const id = idOf(await evaluate('x = 5'));
    for (let count = 0; count < 22; count += 1) await evaluate('1');
    expect(logged().flatMap(({ forget }) => forget ?? [])).toContain(`AgentToolsSession\`${id}\``);
    expect(outputOf(await evaluate('x', { session: id }))).toBe('Out[2]= 5');
  });
});

describe('a kernel', () => {
  test('is killed with its child processes at the time limit, and its output is kept', async () => {
    const { begin, evaluate } = await open();
    const id = idOf(await evaluate('x = 5'));
    const [pid, child] = [
      ...outputOf(await evaluate('pid\nchild', { session: id })).matchAll(/= (\d+)/g),
    ].map(([, number]) => Number(number));
    // Its time limit, and a little more.
    const limit = captureTimers(1000 + 5000);
    const { answer } = begin('Print["so far"]\nhang', { session: id, timeConstraint: 1 });
    await eventually(() => limit.areSet() && logged().some(({ hangs }) => hangs), 'the evaluation hangs');
    limit.runOut();
    const result = await answer;
    expect(result.isError).toBe(true);
    expect(result._meta).toEqual({ backend: 'kernel' });
    expect(outputOf(result)).toBe(
      'so far\n\nThe evaluation did not stop at its time limit of 1 s, so the Wolfram kernel was ended. The next call starts it again and continues the session from the state saved after the previous call.',
    );
    await eventually(() => !isAlive(pid!) && !isAlive(child!), 'the kernel and its child end');
    expect(outputOf(await evaluate('x', { session: id }))).toBe('Out[4]= 5');
  });

  test('reports its crash, and starts again', async () => {
    const { evaluate } = await open();
    const result = await evaluate('Print["before"]\ncrash');
    expect(result.isError).toBe(true);
    expect(outputOf(result)).toMatch(
      /^before\n\nSIGSEGV in a library\n\nThe Wolfram kernel ended during the evaluation: it ended \(exit code 139\)\. .*This session had no saved state\.$/s,
    );
    expect(outputOf(await evaluate('1'))).toBe('Out[1]= 1');
  });

  test('counts as ended although a child process holds its pipes', async () => {
    const { evaluate } = await open();
    const output = outputOf(await evaluate('bequeath', { timeConstraint: 3600 }));
    process.kill(Number(/heir = (\d+)/.exec(output)?.[1]));
    expect(output).toContain('The Wolfram kernel ended during the evaluation: it ended (exit code 1).');
    expect(outputOf(await evaluate('1'))).toBe('Out[1]= 1');
  });

  test('may leave a pipe where its words were', async () => {
    const { evaluate } = await open();
    expect(outputOf(await evaluate('pipe'))).toMatch(/^The Wolfram kernel ended during the evaluation/);
    expect(outputOf(await evaluate('1'))).toBe('Out[1]= 1');
  });

  test('ends when the call is cancelled', async () => {
    const { begin, cancel, evaluate } = await open();
    const pid = Number(/= (\d+)/.exec(outputOf(await evaluate('pid')))?.[1]);
    const { id } = begin('hang');
    await eventually(() => logged().some(({ code }) => code === 'hang'), 'the evaluation begins');
    cancel(id);
    await eventually(() => !isAlive(pid), 'the kernel ends');
    expect(outputOf(await evaluate('1'))).toBe('Out[1]= 1');
  });

  test('takes one call after the other, and no more than fit in its queue', async () => {
    const { begin, cancel } = await open();
    const hanging = begin('hang');
    await eventually(() => logged().some(({ code }) => code === 'hang'), 'the evaluation begins');
    // Calls look for the program first, so that the last one is not always the one too many.
    const answers = Array.from({ length: 32 }, () => begin('1').answer);
    const { isError, content } = await Promise.race(answers);
    expect(isError).toBe(true);
    expect(content[0].text).toBe(
      '32 evaluations are already waiting for the Wolfram kernel. Call again when some of them are done.',
    );
    cancel(hanging.id);
    const results = await Promise.all(answers);
    expect(results.filter((result) => outputOf(result) === 'Out[1]= 1')).toHaveLength(31);
  });

  test('fails without a temporary folder, and reports this', async () => {
    const { evaluate } = await open();
    vi.stubEnv('TMPDIR', path.join(home, 'none'));
    const result = await evaluate('1');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`No temporary folder can be made in ${home}/none (ENOENT).`);
  });

  test('is started for an account without a home', async () => {
    vi.stubEnv('HOME', path.join(home, 'none'));
    const { evaluate } = await open();
    expect(outputOf(await evaluate('1'))).toBe('Out[1]= 1');
  });

  test('can start slowly and print text before that', async () => {
    vi.stubEnv('WOLFRAM_STAND_IN', 'slow');
    expect(outputOf(await (await open()).evaluate('1'))).toBe('Out[1]= 1');
    vi.stubEnv('WOLFRAM_STAND_IN', 'garbage');
    vi.stubEnv('AGENTTOOLS_HOME', writeFolder());
    expect(outputOf(await (await open()).evaluate('1'))).toBe('Out[1]= 1');
  });

  test.each([
    [
      'not-activated',
      'it is not activated: The Wolfram Engine requires one-time activation on this computer.',
    ],
    ['no-licence', 'it is not activated: Mathematica cannot find a valid password.'],
    ['exits', 'it ended (exit code 127): error while loading shared libraries.'],
  ])('reports why it does not start, and the fix (%s)', async (how, why) => {
    vi.stubEnv('WOLFRAM_STAND_IN', how);
    const { evaluate } = await open();
    const result = await evaluate('1');
    expect(result.isError).toBe(true);
    expect(result._meta).toEqual({ backend: 'kernel' });
    expect(textOf(result)).toContain(`The Wolfram kernel could not be started: ${why}`);
    expect(textOf(result)).toContain('wolframscript -activate');
    expect(textOf(result)).toContain('WOLFRAM_API_KEY');
    expect(textOf(await evaluate('1'))).toBe(textOf(result));
    expect(starts()).toHaveLength(1);
  });

  test('reports how to get one if it is missing', async () => {
    vi.stubEnv('WOLFRAMSCRIPT', undefined);
    vi.stubEnv('PATH', home);
    const { evaluate } = await open();
    const result = await evaluate('1');
    expect(result.isError).toBe(true);
    expect(result._meta).toBeUndefined();
    expect(textOf(result)).toMatch(
      /^No Wolfram kernel was found: .*https:\/\/www\.wolfram\.com\/engine\/.*WOLFRAMSCRIPT.*WOLFRAM_API_KEY/,
    );
  });

  test('reports a WOLFRAMSCRIPT that is not a program', async () => {
    vi.stubEnv('WOLFRAMSCRIPT', path.join(home, 'none'));
    const { evaluate } = await open({ options: { Method: 'Local' } });
    const result = await evaluate('1');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(
      `WOLFRAMSCRIPT is set to "${path.join(home, 'none')}", which is not a program.`,
    );
    expect(textOf(result)).not.toContain('WOLFRAM_API_KEY');
  });

  test('is asked for by a method that there is', async () => {
    const { evaluate } = await open({ options: { Method: 'Moon' } });
    const result = await evaluate('1');
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(
      'The option Method of the tool is set to "Moon". Expected Automatic, Local, Cloud.',
    );
    const session = await open({ options: { Method: 'Session' } });
    expect(outputOf(await session.evaluate('1'))).toBe('Out[1]= 1');
  });
});

describe('a notebook in the cloud', () => {
  const url = 'https://www.wolframcloud.com/obj/0f0e0d0c-1111-2222-3333-444455556666';
  const deployments = () => logged().filter(({ op }) => op === 'deploy');

  test('is there for a client that shows it, when the kernel is connected', async () => {
    vi.stubEnv('WOLFRAM_STAND_IN_CLOUD', 'connected');
    const { evaluate } = await open({ capabilities: ui });
    const result = await evaluate('1');
    expect(result._meta).toMatchObject({ backend: 'kernel', notebookUrl: `${url}?syntaxMethod=editor` });
    const texts = result.content.map(({ text }: Result) => text);
    expect(texts[0]).toBe('<result uuid="0f0e0d0c-1111-2222-3333-444455556666">\n');
    expect(texts[1]).toMatch(/^Out\[1\]= 1\n\n<system-reminder>/);
    expect(texts[2]).toBe('\n</result>');
    expect(result.structuredContent).toBeUndefined();
    expect(deployments()).toEqual([
      expect.objectContaining({ hideFooter: true, name: expect.stringMatching(/^[0-9a-f]{40}\.nb$/) }),
    ]);
  });

  test('has the answer of WolframAlpha, too', async () => {
    const services = await startServices();
    services.answers = { [llmPath]: { body: '3.14' } };
    vi.stubEnv('WOLFRAM_ALPHA_APPID', 'DEMO');
    vi.stubEnv('WOLFRAM_ALPHA_BASE', services.base);
    vi.stubEnv('WOLFRAM_ALPHA_API_BASE', services.base);
    const ask = async (options: Parameters<typeof openWolfram>[1]): Promise<Result> => {
      const { request } = await openWolfram('WolframAlpha', options);
      return await request('tools/call', { name: 'WolframAlpha', arguments: { query: ' pi ' } });
    };
    vi.stubEnv('WOLFRAM_STAND_IN_CLOUD', 'connected');
    const result = await ask({ ui: true });
    expect(result._meta).toMatchObject({
      backend: 'wolframalpha-llm-api',
      notebookUrl: `${url}?syntaxMethod=editor`,
    });
    expect(textOf(result)).toBe('<result uuid="0f0e0d0c-1111-2222-3333-444455556666">\n|3.14|\n</result>');
    expect(deployments()).toEqual([expect.objectContaining({ query: 'pi', hideFooter: true })]);
    for (const options of [{}, { ui: true, toolOptions: { WolframAlpha: { DeployNotebooks: false } } }]) {
      expect((await ask(options)).content).toEqual([{ type: 'text', text: '3.14' }]);
    }
    expect(deployments()).toHaveLength(1);
  });

  test('is requested for each query of WolframAlpha until the kernel is connected', async () => {
    const services = await startServices();
    services.answers = { [llmPath]: { body: '3.14' } };
    vi.stubEnv('WOLFRAM_ALPHA_APPID', 'DEMO');
    vi.stubEnv('WOLFRAM_ALPHA_BASE', services.base);
    vi.stubEnv('WOLFRAM_ALPHA_API_BASE', services.base);
    const { request } = await openWolfram('WolframAlpha', { ui: true });
    for (const query of ['a', 'b']) {
      const result = await request('tools/call', { name: 'WolframAlpha', arguments: { query } });
      expect(result._meta.notebookUrl).toBeUndefined();
    }
    expect(deployments()).toHaveLength(2);
  });

  test('is asked for without the option that an account does not know, and from then on at once', async () => {
    vi.stubEnv('WOLFRAM_STAND_IN_CLOUD', 'picky');
    const { evaluate } = await open({ capabilities: ui });
    for (const code of ['1', '2']) expect((await evaluate(code))._meta.notebookUrl).toContain(url);
    expect(deployments().map(({ hideFooter }) => hideFooter)).toEqual([true, false, false]);
  });

  test.each(['failing', 'foreign', 'crashing'])(
    'is not requested again after a failure (%s)',
    async (cloud) => {
      vi.stubEnv('WOLFRAM_STAND_IN_CLOUD', cloud);
      const { evaluate, request } = await open({ capabilities: ui });
      for (const code of ['1', '2']) {
        const result = await evaluate(code);
        expect(result.isError).toBeUndefined();
        expect(result._meta.notebookUrl).toBeUndefined();
        expect(outputOf(result)).toBe(`Out[1]= ${code}`);
      }
      expect(deployments()).toHaveLength(1);
      // It shows texts and images by itself, so that its viewer stays.
      const { tools } = await request('tools/list');
      expect(tools[0]._meta.ui.resourceUri).toBe('ui://wolfram/evaluator-viewer');
    },
  );

  test.each<[why: string, cloud: string | undefined, options: Parameters<typeof open>[0]]>([
    ['the client shows none', 'connected', {}],
    ['the kernel is not connected', undefined, { capabilities: ui }],
    ['the user does not want it', 'connected', { capabilities: ui, options: { DeployNotebooks: false } }],
  ])('is omitted if %s', async (_, cloud, options) => {
    vi.stubEnv('WOLFRAM_STAND_IN_CLOUD', cloud);
    const { evaluate } = await open(options);
    const result = await evaluate('1');
    expect(result._meta.notebookUrl).toBeUndefined();
    expect(textOf(result)).not.toContain('<result');
    expect(deployments()).toEqual([]);
  });
});
