import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { writeFolder, writePackage } from '../support/packages.js';
import { fixture, openProgram, type Program, startProgram } from '../support/program.js';
import { modern } from './support/messages.js';

const noisy = fixture('stdio-noisy');
const { all: ways } = (await import(`${noisy}/src/print.js`)) as { all: readonly string[] };

/** An extension of one tool in code. */
const tool = (body: string, before = ''): string =>
  writePackage(
    { tools: ['one'] },
    {
      'agenttools/tools/one.json': { description: 'One.', handler: './one.js#one' },
      'one.js': `${before}\nexport async function one(args, ctx) {\n${body}\n}`,
    },
  );

describe('stdout carries nothing but messages', () => {
  test('when an extension prints in any way, and it all lands on stderr', async () => {
    const program = await openProgram(noisy);
    for (const [index, way] of ways.entries()) {
      const mark = `<mark ${index} of ${way}>`;
      expect(await program.textOf('print', { way, mark }), way).toBe('printed');
      await program.said(mark);
    }
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.lines).toHaveLength(ways.length + 1);
  });

  test('when the module of a definition prints while it is loaded', async () => {
    // A start with recorded definitions does not load it.
    const program = startProgram(noisy, { env: { AGENTTOOLS_HOME: writeFolder() } });
    await program.initialize();
    await program.said('<import: console.log>');
    await program.said('<import: console.table>');
    await program.said('<import: process.stdout.write>');
    await program.said('<import: writeSync>');
    expect(program.lines).toHaveLength(1);
    expect(await program.textOf('chatty')).toBe('quiet');
    await program.said('<chatty handler>');
    await program.end();
    expect(program.lines).toHaveLength(2);
  });

  test('when handlers of prompts and resources print', async () => {
    const program = await openProgram(noisy);
    expect((await program.request('prompts/get', { name: 'chatty' })).messages).toHaveLength(1);
    expect((await program.request('resources/read', { uri: 'noisy://chatty' })).contents[0].text).toBe(
      'quiet',
    );
    await program.end();
    expect(program.stderr.match(/<at-import handler>/g)).toHaveLength(2);
    expect(program.lines).toHaveLength(3);
  });

  test('when the module of a data definition prints at the first call', async () => {
    const program = await openProgram(
      tool(`return 'quiet';`, `console.log('<loaded>'); process.stdout.write('<loaded too>\\n');`),
    );
    await program.request('tools/list');
    expect(program.stderr).toBe('');
    expect(await program.textOf('one')).toBe('quiet');
    await program.said('<loaded too>');
    await program.end();
    expect(program.lines).toHaveLength(3);
  });

  test('when an extension prints without end', async () => {
    const program = await openProgram(
      tool(`for (let n = 0; n < 1000; n += 1) console.log('x'.repeat(1000)); return 'printed';`),
    );
    program.send(modern(1, 'tools/call', { name: 'one' }), modern(2, 'tools/list'));
    expect((await program.next(1)).result).toBeDefined();
    expect((await program.next(2)).result).toBeDefined();
    await vi.waitFor(() => expect(program.stderr.length).toBeGreaterThan(1_000_000), 10_000);
    await program.end();
  });
});

describe.concurrent('stdin is', () => {
  test('empty and at its end for an extension', async () => {
    const program = await openProgram(
      tool(`
        let read = '';
        for await (const chunk of process.stdin) read += chunk;
        return JSON.stringify({ read, isTTY: process.stdin.isTTY });`),
    );
    expect(JSON.parse(await program.textOf('one'))).toEqual({ read: '', isTTY: false });
    expect(await program.request('ping')).toEqual({});
    await program.end();
  });

  test('empty for who reads the descriptor', async () => {
    const program = await openProgram(
      tool(
        `return JSON.stringify([readFileSync(0, 'utf8'), readSync(0, Buffer.alloc(9))]);`,
        `import { readFileSync, readSync } from 'node:fs';`,
      ),
    );
    expect(JSON.parse(await program.textOf('one'))).toEqual(['', 0]);
    expect(await program.request('ping')).toEqual({});
    await program.end();
  });

  test('not to be taken from us by listeners, pause or destroy', async () => {
    const program = await openProgram(
      tool(`
        process.stdin.on('data', () => process.stderr.write('<stolen>'));
        process.stdin.resume(); process.stdin.pause(); process.stdin.destroy();
        return 'done';`),
    );
    expect(await program.textOf('one')).toBe('done');
    expect(await program.textOf('one')).toBe('done');
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr).not.toContain('<stolen>');
  });

  test('empty for what an extension starts with the stdin it inherits', async () => {
    const program = await openProgram(
      tool(
        `return execFileSync('cat', { stdio: ['inherit', 'pipe', 'pipe'], encoding: 'utf8' }) + '|' +
          execSync('cat', { encoding: 'utf8' });`,
        `import { execFileSync, execSync } from 'node:child_process';`,
      ),
    );
    expect(await program.textOf('one')).toBe('|');
    expect(await program.request('ping')).toEqual({});
    await program.end();
  });
});

/** An extension of a tool in code for each of the texts, by their places. */
const tools = (bodies: readonly string[], before = ''): string =>
  writePackage(
    { tools: bodies.map((_, index) => `tool${index}`) },
    {
      'agenttools/tools.json': Object.fromEntries(
        bodies.map((_, index) => [
          `tool${index}`,
          { description: 'One.', handler: `./tools.js#tool${index}` },
        ]),
      ),
      'tools.js': [
        before,
        ...bodies.map((body, index) => `export async function tool${index}(args, ctx) {\n${body}\n}`),
      ].join('\n'),
    },
  );

describe('an extension cannot end the server', () => {
  const exits = [
    ['process.exit()', `process.exit(3);`],
    ['process.reallyExit()', `process.reallyExit(1);`],
    ['process.abort()', `process.abort();`],
    ['process.exit() under try', `try { process.exit(); } finally { await null; }`],
  ] as const;
  const refusal = {
    isError: true,
    content: [{ text: expect.stringMatching(/process\.\w+\(\)/) }],
  };
  let exiting: Program;

  beforeAll(async () => {
    exiting = await openProgram(tools(exits.map(([, body]) => body)));
  });

  // After any of them it ends as ever when its client goes.
  afterAll(async () => {
    expect(await exiting.end()).toEqual({ code: 0, signal: null });
  });

  test.each(exits.map(([by], index) => [by, index] as const))(
    'by %s: the call fails with a reason',
    async (_, index) => {
      expect(await exiting.call(`tool${index}`)).toMatchObject(refusal);
      expect(await exiting.request('ping')).toEqual({});
    },
  );

  test('by process.exit() later in the call: the call fails with a reason', async () => {
    const program = await openProgram(
      tool(`await new Promise((resolve) => setTimeout(resolve, 5)); process.exit(0);`),
    );
    expect(await program.call('one')).toMatchObject(refusal);
    expect(await program.request('ping')).toEqual({});
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});

describe.concurrent('an extension cannot end the server behind its back', () => {
  test.each([
    ['an error in a timer', `setTimeout(() => { throw new Error('<stray>'); }, 1);`],
    ['process.exit() in a timer', `setTimeout(() => { console.log('<stray>'); process.exit(4); }, 1);`],
    ['a rejection nobody handles', `Promise.reject(new Error('<stray>'));`],
    ['a rejection that is no error', `Promise.reject('<stray>');`],
    [
      'an error event nobody hears',
      `const e = new EventEmitter(); setImmediate(() => e.emit('error', new Error('<stray>')));`,
    ],
    ['an error in a microtask', `queueMicrotask(() => { throw new Error('<stray>'); });`],
    ['an exit code', `process.exitCode = 7; console.log('<stray>');`],
    ['a child that cannot be started', `spawn('no-such-program-<stray>');`],
    ['a listener for signals', `process.on('SIGTERM', () => {}); console.log('<stray>');`],
    ['listeners removed', `process.removeAllListeners(); console.log('<stray>');`],
  ])('by %s: the call succeeds, stderr has a report, and the exit code is 0', async (_, body) => {
    const before = `import { EventEmitter } from 'node:events'; import { spawn } from 'node:child_process';`;
    const program = await openProgram(tool(`${body}\nreturn 'answered';`, before));
    expect(await program.textOf('one')).toBe('answered');
    await program.said('<stray>');
    expect(await program.request('ping')).toEqual({});
    expect(await program.textOf('one')).toBe('answered');
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  test('by exiting while a handler module is loaded: the call fails, the server lives', async () => {
    const program = await openProgram(tool(`return 'never';`, 'process.exit(5);'));
    expect(await program.call('one')).toMatchObject({ isError: true });
    expect(await program.request('ping')).toEqual({});
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });

  test('by exiting while a definition is loaded: the item is left out, the server lives', async () => {
    const program = await openProgram(
      writePackage(
        { tools: ['bad', 'good'] },
        {
          'agenttools/tools/bad.js': 'process.exit(5); export default {};',
          'agenttools/tools/good.js': 'export default { description: "Good.", handler: () => "good" };',
        },
      ),
    );
    expect((await program.request('tools/list')).tools).toHaveLength(1);
    await program.said('left out: @acme/kit/bad');
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});
