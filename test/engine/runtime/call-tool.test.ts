import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ExitRequest } from '../../../src/engine/process/exit-request.js';
import { callTool } from '../../../src/engine/runtime/call-tool.js';
import type { Context } from '../../../src/engine/runtime/context.js';
import { ProtocolError, structured, ToolError, text } from '../../../src/engine/runtime/result-builders.js';
import {
  findToolOptions,
  parseToolOptions,
  reportUnknownOptions,
  reportUnknownTools,
  type ToolOptionValues,
} from '../../../src/engine/runtime/tool-options.js';
import { addFiles } from '../../support/packages.js';
import { type Composed, compose, composeLive } from '../../support/session.js';

/** Calls a tool of a composed server without a client. */
async function call(
  { spec, served }: Composed,
  name: string,
  args: Record<string, unknown> = {},
  signal = new AbortController().signal,
) {
  const tool = spec.registry.resolve('tools', name);
  if (!tool) throw new Error(`No tool ${name}: ${spec.leftOut.map(({ message }) => message).join()}`);
  const makeContext = (facts: { signal: AbortSignal }) => facts as unknown as Context;
  return await callTool(tool, args, { calls: served.live.calls, signal, makeContext });
}

const failure = (message: unknown) => ({ content: [{ type: 'text', text: message }], isError: true });

describe('arguments', () => {
  const input = {
    city: { type: 'string', required: true },
    days: { type: 'integer', default: 3, max: 7 },
  };

  test('are cast and completed before the handler sees them', async () => {
    const handler = vi.fn();
    await call(await composeLive({ tools: { x: { input, handler } } }), 'x', { city: 'Ostwick', extra: 1 });
    expect(handler).toHaveBeenCalledWith({ city: 'Ostwick', days: 3 }, expect.anything());
  });

  test.each([
    [{}, /^Invalid arguments for tool "x": "city" is required/],
    [{ city: 'a', days: 9 }, /"days" .* at \/days$/],
    [{ city: 5, days: 'many' }, /"city".*; "days"/],
  ])('names invalid ones and does not run the handler: %j', async (args, message) => {
    const handler = vi.fn();
    const served = await composeLive({ tools: { x: { input, handler } } });
    expect(await call(served, 'x', args)).toEqual(failure(expect.stringMatching(message)));
    expect(handler).not.toHaveBeenCalled();
    expect(served.reports).toEqual([]);
  });

  test("are copied only where an entry fixes some, which is no handler's to change", async () => {
    const clone = vi.spyOn(globalThis, 'structuredClone');
    const seen: unknown[] = [];
    const handler = ({ cities }: { cities: string[] }) => {
      seen.push([...cities]);
      cities.push('changed');
    };
    const server = { tools: ['x', { use: 'x', name: 'fixed', arguments: { cities: ['Ostwick'] } }] };
    const served = await composeLive({ tools: { x: { handler } }, server });
    await call(served, 'x', { cities: [] });
    expect(clone).not.toHaveBeenCalled();
    clone.mockRestore();
    for (const _ of ['first', 'second']) await call(served, 'fixed');
    expect(seen).toEqual([[], ['Ostwick'], ['Ostwick']]);
  });

  test('delivers them unchanged to a tool without input', async () => {
    const handler = vi.fn();
    const args = JSON.parse('{"a":1,"__proto__":{"b":2}}');
    await call(await composeLive({ tools: { x: { handler } } }), 'x', args);
    expect(handler.mock.calls[0]![0]).toEqual(args);
    expect(Object.keys(handler.mock.calls[0]![0])).toEqual(['a', '__proto__']);
  });
});

describe('initialize hooks', () => {
  test("run in order, the server's first, and before the handler", async () => {
    const order: string[] = [];
    const note = (what: string) => () => void order.push(what);
    const served = await composeLive({
      tools: { x: { initialize: note('tool'), handler: note('handler') } },
      server: { tools: '*', initialize: note('server') },
    });
    await call(served, 'x');
    await call(served, 'x');
    expect(order).toEqual(['server', 'tool', 'handler', 'handler']);
  });

  test('are not run for tools that do not need them', async () => {
    const initialize = vi.fn();
    const served = await composeLive({
      tools: { x: { initialize, handler: () => 'x' }, y: { handler: () => 'y' } },
    });
    await call(served, 'y');
    expect(initialize).not.toHaveBeenCalled();
  });

  test('run once for concurrent first calls', async () => {
    let running = 0;
    const initialize = vi.fn(async () => {
      running++;
      await new Promise((resolve) => setTimeout(resolve, 10));
    });
    const handler = vi.fn(() => running);
    const served = await composeLive({ tools: { x: { initialize, handler } } });
    const results = await Promise.all([call(served, 'x'), call(served, 'x'), call(served, 'x')]);
    expect(initialize).toHaveBeenCalledTimes(1);
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual([1, 1, 1]);
  });

  test('run once for an item listed twice', async () => {
    const initialize = vi.fn();
    const served = await composeLive({
      tools: { x: { initialize, handler: () => 'x' } },
      server: { tools: ['x', { use: 'x', name: 'y' }] },
    });
    await Promise.all([call(served, 'x'), call(served, 'y')]);
    expect(initialize).toHaveBeenCalledTimes(1);
  });

  test('report to the model that the tool could not be initialized, and run again after a failure', async () => {
    const initialize = vi
      .fn()
      .mockRejectedValueOnce(new Error('secret'))
      .mockRejectedValueOnce(new ToolError('not yet'))
      .mockResolvedValue(undefined);
    const handler = vi.fn(() => 'done');
    const served = await composeLive({ tools: { x: { initialize, handler } } });
    const told = (reason: string) =>
      failure(`Tool "x" could not be initialized${reason}. The next use tries again.`);
    expect(await call(served, 'x')).toEqual(told(''));
    expect(served.reports.join('\n')).toContain('"initialize" failed: Error: secret');
    const [first, second] = await Promise.all([call(served, 'x'), call(served, 'x')]);
    expect([first, second]).toEqual([told(': not yet'), told(': not yet')]);
    expect(handler).not.toHaveBeenCalled();
    expect(await call(served, 'x')).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(initialize).toHaveBeenCalledTimes(3);
  });

  test('count towards the time of the call', async () => {
    const served = await composeLive({
      tools: { x: { timeoutMs: 20, initialize: () => new Promise(() => {}), handler: () => 'x' } },
    });
    expect(await call(served, 'x')).toEqual(failure('Tool "x" gave no answer within 0.02 s.'));
  });
});

describe('time', () => {
  test('ends the call and aborts its signal when it is up', async () => {
    let seen: AbortSignal | undefined;
    const served = await composeLive({
      tools: {
        slow: {
          timeoutMs: 20,
          handler: (_: unknown, { signal }: Context) => {
            seen = signal;
            return new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => reject(signal.reason)),
            );
          },
        },
      },
    });
    expect(await call(served, 'slow')).toEqual(failure('Tool "slow" gave no answer within 0.02 s.'));
    expect(seen?.aborted).toBe(true);
    expect(served.reports).toEqual([]);
  });

  test('longer than timers reach is no time at all', async () => {
    const handler = () => new Promise((resolve) => setTimeout(() => resolve('done'), 10));
    const served = await composeLive({ tools: { x: { timeoutMs: 1e12, handler } } });
    expect((await call(served, 'x')).isError).toBeUndefined();
  });

  test('does not count a cancelled call as a failure', async () => {
    const controller = new AbortController();
    const served = await composeLive({
      tools: {
        x: {
          handler: (_: unknown, { signal }: Context) =>
            new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => reject(new Error('stopped'))),
            ),
        },
      },
    });
    const answer = call(served, 'x', {}, controller.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect((await answer).isError).toBe(true);
    expect(served.reports).toEqual([]);
  });
});

describe('thrown values', () => {
  const foreign = Object.assign(Object.create(null), {
    message: 'told',
    [Symbol.for('agenttools/tool-error')]: true,
  });
  const rows: readonly [string, unknown, string, boolean][] = [
    ['ToolError', new ToolError('Try another city.'), 'Try another city.', false],
    ['a branded object', foreign, 'told', false],
    [
      'an exit request',
      new ExitRequest('process.exit', 1),
      'Tool "x": process.exit was called. A server goes on; return or throw to end the call.',
      false,
    ],
    ['an error', new Error('secret'), 'Tool execution failed', true],
    ['a string', 'secret', 'Tool execution failed', true],
    ['nothing', undefined, 'Tool execution failed', true],
    ['an odd object', Object.create(null), 'Tool execution failed', true],
  ];

  test.each(rows)('%s', async (_, thrown, message, isReported) => {
    const served = await composeLive({
      tools: {
        x: {
          handler() {
            throw thrown;
          },
        },
      },
    });
    expect(await call(served, 'x')).toEqual(failure(message));
    expect(served.reports.length > 0).toBe(isReported);
  });

  test('unexpectedly goes to stderr with its stack and is kept from the model', async () => {
    const served = await composeLive({
      tools: { x: { handler: () => Promise.reject(new Error('secret')) } },
    });
    expect(JSON.stringify(await call(served, 'x'))).not.toContain('secret');
    expect(served.reports.join()).toMatch(/^@acme\/kit\/x: Error: secret\n +at /);
  });

  test('unexpectedly is shown by a server that exposes errors', async () => {
    const served = await composeLive({
      tools: { x: { handler: () => Promise.reject(new Error('secret')) } },
      server: { tools: '*', exposeErrors: true },
    });
    expect(await call(served, 'x')).toEqual(failure('secret'));
  });

  test('as ProtocolError passes as it is', async () => {
    const thrown = new ProtocolError(-32042, 'Sign in first', { url: 'https://example.org' });
    const served = await composeLive({ tools: { x: { handler: () => Promise.reject(thrown) } } });
    await expect(call(served, 'x')).rejects.toBe(thrown);
  });

  test.each([
    ['a text', 'E_AUTH'],
    ['no number', Number.NaN],
    ['nothing', undefined],
  ])('as ProtocolError with %s as code is a failure of the tool', async (_, code) => {
    const thrown = new ProtocolError(code as never, 'Sign in first');
    const tools = { x: { handler: () => Promise.reject(thrown) } };
    const served = await composeLive({ tools, server: { tools: '*', exposeErrors: true } });
    expect(await call(served, 'x')).toEqual(failure('Sign in first'));
  });

  test('return an error for a value without a wire form', async () => {
    const served = await composeLive({ tools: { x: { handler: () => 1n } } });
    expect(await call(served, 'x')).toEqual(
      failure(expect.stringContaining('returned something that is not a result')),
    );
    expect(served.reports).toHaveLength(1);
  });
});

describe('a handler in a module', () => {
  const manifest = { tools: ['x'] };
  const definition = { 'agenttools/tools/x.json': { handler: './run.js#run' } };
  const bad: Record<string, Record<string, string>> = {
    'that went away': { 'run.js': '' },
    'that throws': { 'run.js': 'throw new Error("boom")' },
    'without the export': { 'run.js': 'export const other = 1' },
    'that exports no function': { 'run.js': 'export const run = 5' },
  };

  test.each(Object.entries(bad))(
    '%s is reported to the model without detail, and to stderr with detail',
    async (_, files) => {
      const served = await compose(manifest, { ...definition, ...files });
      if (!files['run.js']) rmSync(path.join(served.directory, 'run.js'));
      expect(await call(served, 'x')).toEqual(
        failure(expect.stringMatching(/^Tool "x" could not be loaded\./)),
      );
      expect(served.reports).toHaveLength(1);
      expect(served.reports[0]).toMatch(/^@acme\/kit\/x: the handler could not be loaded: .*run/);
    },
  );

  test.each(['that went away', 'that throws'])('%s works at the next call after a fix', async (name) => {
    const served = await compose(manifest, { ...definition, ...bad[name] });
    if (!bad[name]!['run.js']) rmSync(path.join(served.directory, 'run.js'));
    await call(served, 'x');
    addFiles(served.directory, { 'run.js': 'export const run = () => "mended"' });
    expect(await call(served, 'x')).toEqual({ content: [{ type: 'text', text: 'mended' }] });
  });

  test.each([
    ['../../etc/run.js', 'path-outside-package', 'leaves the package'],
    ['/etc/run.js', 'path-outside-package', 'absolute'],
    ['run', 'missing-handler', 'not a module reference'],
    ['./nowhere.js#run', 'missing-handler', 'no file ./nowhere.js'],
    ['./agenttools', 'missing-handler', 'no file'],
  ])('at %s can never be had, so the tool is left out', async (handler, code, reason) => {
    const { spec } = await compose(manifest, { 'agenttools/tools/x.json': { handler } });
    expect(spec.registry.all('tools')).toEqual([]);
    expect(spec.leftOut).toMatchObject([{ code, message: expect.stringContaining(reason) }]);
  });

  test('is not imported by composing or by wrong arguments', async () => {
    const served = await compose(manifest, {
      'agenttools/tools/x.json': {
        handler: './run.js#run',
        input: { a: { type: 'string', required: true } },
      },
      'run.js': 'globalThis.ranTooEarly = true; export const run = () => 1',
    });
    await call(served, 'x');
    expect(globalThis).not.toHaveProperty('ranTooEarly');
    await call(served, 'x', { a: 'b' });
    expect(globalThis).toHaveProperty('ranTooEarly');
  });
});

describe('a result and its output schema', () => {
  const output = { count: { type: 'integer', required: true } };
  const returning = (value: unknown, more: object = {}) =>
    composeLive({ tools: { x: { output, handler: () => value, ...more } } });

  test('sends a match', async () => {
    expect(await call(await returning({ count: 1 }), 'x')).toEqual({
      content: [{ type: 'text', text: '{"count":1}' }],
      structuredContent: { count: 1 },
    });
  });

  test.each([
    ['another value', { count: 'many' }, /does not match its output schema: "count"/],
    ['no structure', 'text only', /the tool returned no structured content/],
    ['nothing', undefined, /the tool returned no structured content/],
  ])('fails on a mismatch: %s', async (_, value, message) => {
    const result = await call(await returning(value), 'x');
    expect(result).toEqual(failure(expect.stringMatching(message)));
    expect(result).not.toHaveProperty('structuredContent');
  });

  test('sends a mismatch if the author opts in', async () => {
    const served = await returning({ count: 'many' }, { onOutputMismatch: 'warn' });
    expect(await call(served, 'x')).toMatchObject({ structuredContent: { count: 'many' } });
    expect(served.reports).toEqual([
      expect.stringMatching(/^@acme\/kit\/x: .*does not match its output schema/),
    ]);
  });

  test('an error needs no structure', async () => {
    expect(await call(await returning({ content: [], isError: true }), 'x')).toEqual({
      content: [],
      isError: true,
    });
  });

  test('are what JSON makes of what a library made of them', async () => {
    const day = z.object({
      at: z.codec(z.string(), z.date(), { decode: (text) => new Date(text), encode: String }),
    });
    const jsonSchema = { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) };
    const own = { '~standard': { ...day['~standard'], jsonSchema } };
    expect(await call(await returning({ at: '2026-01-02' }, { output: own }), 'x')).toMatchObject({
      structuredContent: { at: '2026-01-02T00:00:00.000Z' },
    });
    const counts = z.object({ n: z.number().transform(BigInt) });
    const served = await returning(
      { n: 1 },
      { output: { '~standard': { ...counts['~standard'], jsonSchema } } },
    );
    expect(await call(served, 'x')).toEqual(
      failure(expect.stringContaining('a BigInt at /n has no JSON form')),
    );
  });

  test('text the author wrote stays beside a value the schema completed', async () => {
    const withDefault = z.object({ count: z.number().default(7) });
    expect(await call(await returning(structured({}, ['Seven.']), { output: withDefault }), 'x')).toEqual({
      content: [{ type: 'text', text: 'Seven.' }],
      structuredContent: { count: 7 },
    });
    expect(await call(await returning({}, { output: withDefault }), 'x')).toEqual({
      content: [{ type: 'text', text: '{"count":7}' }],
      structuredContent: { count: 7 },
    });
  });

  test('a string is the value where a string is asked for, and text where it is not', async () => {
    const wanted = { outputSchema: { type: 'string' }, output: undefined };
    expect(await call(await returning('Ostwick', wanted), 'x')).toEqual({
      content: [{ type: 'text', text: '"Ostwick"' }],
      structuredContent: 'Ostwick',
    });
    expect(await call(await returning(text('Ostwick'), wanted), 'x')).toMatchObject({ isError: true });
  });
});

describe('MCP_TOOL_OPTIONS', () => {
  test.each([
    [undefined, {}, 0],
    ['', {}, 0],
    ['  ', {}, 0],
    ['{"x":{"a":1}}', { x: { a: 1 } }, 0],
    ['{"x":{"a":1},"y":5,"z":[]}', { x: { a: 1 } }, 2],
    ['nonsense', {}, 1],
    ['[]', {}, 1],
    ['5', {}, 1],
  ])('%j', (value, options, reports) => {
    const report = vi.fn();
    expect(parseToolOptions(value, report)).toEqual(options);
    expect(report).toHaveBeenCalledTimes(reports);
  });

  test('for unknown tools are reported', async () => {
    const { spec } = await composeLive({ tools: { x: { name: 'wired', handler: () => 1 } } });
    const report = vi.fn();
    reportUnknownTools(
      { '@acme/kit/x': {}, wired: {}, x: {}, wierd: {}, other: {} },
      spec.registry.all('tools'),
      report,
    );
    expect(report.mock.calls.flat()).toEqual([
      'MCP_TOOL_OPTIONS["wierd"] is for a tool that this server does not have, and is ignored. Did you mean "wired"?',
      'MCP_TOOL_OPTIONS["other"] is for a tool that this server does not have, and is ignored.',
    ]);
  });

  test('reports undeclared options, unless the tool declares none', async () => {
    const { spec } = await composeLive({
      tools: {
        x: { name: 'wired', handler: () => 1, options: { Units: { default: null }, Images: true } },
        open: { handler: () => 1 },
      },
    });
    const reportsOf = (set: ToolOptionValues) => {
      const report = vi.fn();
      reportUnknownOptions(set, spec.registry.all('tools'), report);
      return report.mock.calls.flat();
    };
    const misspelt = { Unitz: 's3cret', Units: 'metric', Images: false, other: 1 };
    const said = (key: string) => [
      `MCP_TOOL_OPTIONS["${key}"] sets "Unitz", which the tool does not declare. Did you mean "Units"?`,
      `MCP_TOOL_OPTIONS["${key}"] sets "other", which the tool does not declare. It declares: Units, Images.`,
    ];
    expect(reportsOf({ wired: misspelt, open: misspelt, nothing: misspelt })).toEqual(said('wired'));
    // Only what is looked up counts.
    expect(reportsOf({ x: { Unitz: 1 }, '@acme/kit/x': misspelt })).toEqual(said('@acme/kit/x'));
    expect(reportsOf({ wired: {} })).toEqual([]);
  });

  test('overlay the defaults, looked up by qualified name, then wire name, then item name', async () => {
    const { spec } = await composeLive({
      tools: {
        x: {
          name: 'wire',
          handler: () => 1,
          options: { a: 1, b: { default: 2, type: 'integer' }, c: { deep: 1 } },
        },
      },
    });
    const [tool] = spec.registry.all('tools');
    const set = { '@acme/kit/x': { a: 'qualified' }, wire: { a: 'wire' }, x: { a: 'item' } };
    expect(findToolOptions(tool!, {})).toEqual({ a: 1, b: 2, c: { deep: 1 } });
    expect(findToolOptions(tool!, set)).toEqual({ a: 'qualified', b: 2, c: { deep: 1 } });
    expect(findToolOptions(tool!, { wire: set.wire, x: set.x }).a).toBe('wire');
    expect(findToolOptions(tool!, { x: set.x, constructor: {} }).a).toBe('item');
    expect(findToolOptions(tool!, { other: { a: 5 } }).a).toBe(1);
  });
});

describe('state shared by all calls', () => {
  test('keeps an initialize hook running when the first call is cancelled', async () => {
    let release = () => {};
    const seen: Context[] = [];
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = {
      tools: '*',
      initialize: async (ctx: Context) => {
        seen.push(ctx);
        await gate;
        if (ctx.signal.aborted) throw new Error('stopped');
      },
    };
    const served = await composeLive({ tools: { x: { handler: () => 'done' } }, server });
    const cancelling = new AbortController();
    const first = call(served, 'x', {}, cancelling.signal);
    const second = call(served, 'x');
    await vi.waitFor(() => expect(seen).toHaveLength(1), 10_000);
    cancelling.abort();
    release();
    expect(await second).toEqual({ content: [{ type: 'text', text: 'done' }] });
    await first;
    expect(seen[0]).not.toHaveProperty('tool');
  });

  test('AGENTTOOLS_EXPOSE_ERRORS=1 shows unexpected errors to the model', async () => {
    const handler = () => {
      throw new Error('boom');
    };
    const { spec, served } = await composeLive({ tools: { x: { handler } } });
    const calls = { ...served.live.calls, env: { AGENTTOOLS_EXPOSE_ERRORS: '1' } };
    const exposed = { spec, served: { ...served, live: { calls } } } as unknown as Composed;
    expect(await call(exposed, 'x')).toEqual(failure('boom'));
  });
});
