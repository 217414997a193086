import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { ToolError } from '../../../src/engine/runtime/result-builders.js';
import { fields, jsonSchema } from '../../../src/index.js';
import { composeLive, type LiveItems, openSession } from '../../support/session.js';
import { play } from '../support/rounds.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Message = any;

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** What a client answers, by the message of a question or by the method. */
type Answers = Readonly<Record<string, Message | ((params: Message) => Message)>>;

interface Asking {
  readonly answers?: Answers;
  readonly capabilities?: object;
}

const accept = (content: object) => ({ action: 'accept', content });

/** Does the same in either era: gives the result, and what was asked in order. */
const eras = {
  legacy: async (items: LiveItems, request: readonly [string, object], asking: Asking = {}) => {
    const { answers = {}, capabilities = everything } = asking;
    const composed = await composeLive(items);
    const session = await openSession(composed, {
      capabilities,
      answer: (asked) => answerOf(answers, asked),
    });
    const result = await session.request(...request);
    // What the server wants to know for itself is not asked by the handler.
    const asked = session.asked.filter(
      ({ method, params }) => method !== 'roots/list' || params !== undefined,
    );
    return { result, asked: asked as Message[], reports: composed.reports };
  },
  modern: async (items: LiveItems, request: readonly [string, object], asking: Asking = {}) => {
    const { answers = {}, capabilities = everything } = asking;
    const composed = await composeLive(items);
    const session = await openSession(composed, { era: 'modern', capabilities });
    const { result, rounds } = await play(session, request, (asked) => answerOf(answers, asked));
    return { result, asked: rounds.flatMap((round) => Object.values(round)), reports: composed.reports };
  },
} as const;

function answerOf(answers: Answers, { method, params }: Message): Message {
  const answer = answers[params?.message ?? method];
  return typeof answer === 'function' ? answer(params) : answer;
}

const call = (name: string, args = {}) => ['tools/call', { name, arguments: args }] as const;

type Ask = (args: Record<string, unknown>, ctx: Context) => unknown;
const tool = (handler: Ask, more: object = {}): LiveItems => ({ tools: { t: { handler, ...more } } });

describe.each(['legacy', 'modern'] as const)('%s: a question', (era) => {
  const run = eras[era];
  const askName: Ask = async (_args, ctx) =>
    await ctx.elicit('Name?', { name: { type: 'string', required: true } });

  test('comes back with what was filled in, cast and with defaults', async () => {
    const handler: Ask = async (_args, ctx) => {
      const spec = fields({
        size: { type: 'enum', values: [1, 2] },
        count: { type: 'integer', default: 7 },
      });
      return await ctx.elicit('Which?', spec);
    };
    const { result } = await run(tool(handler), call('t'), {
      answers: { 'Which?': accept({ size: '2', more: 1 }) },
    });
    expect(result.structuredContent).toEqual(accept({ size: 2, count: 7 }));
  });

  test.each([
    [{ action: 'decline' }, { action: 'decline' }],
    [{ action: 'cancel' }, { action: 'cancel' }],
    [{ action: 'decline', content: { name: 'x' } }, { action: 'decline' }],
    [{ action: 'maybe' }, { action: 'cancel' }],
    [{}, { action: 'cancel' }],
    [{ action: 'accept', content: 'Ada' }, { action: 'cancel' }],
    [{ action: 'accept', content: null }, { action: 'cancel' }],
    [{ action: 'accept', content: [] }, { action: 'cancel' }],
  ])('answered %j is %j', async (answer, expected) => {
    const { result, asked } = await run(tool(askName), call('t'), { answers: { 'Name?': answer } });
    expect(result.structuredContent).toEqual(expected);
    expect(asked).toHaveLength(1);
  });

  test('accepted without content is accepted empty, where nothing is required', async () => {
    const handler: Ask = async (_args, ctx) => await ctx.elicit('Go?', { note: 'string' });
    const { result } = await run(tool(handler), call('t'), { answers: { 'Go?': { action: 'accept' } } });
    expect(result.structuredContent).toEqual(accept({}));
  });

  test('is repeated with the problem after an invalid answer', async () => {
    const handler: Ask = async (_args, ctx) =>
      await ctx.elicit('Age?', { age: { type: 'integer', min: 0, required: true } });
    const texts: string[] = [];
    let tries = 0;
    const answer = ({ message }: Message) => {
      texts.push(message);
      tries += 1;
      return tries === 1 ? accept({ age: -1 }) : accept({ age: 1 });
    };
    const hearing = new Proxy({}, { get: () => answer }) as Answers;
    const { result } = await run(tool(handler), call('t'), { answers: hearing });
    expect(result.structuredContent).toEqual(accept({ age: 1 }));
    expect(texts).toEqual(['Age?', expect.stringMatching(/^Age\?\n\n.*age.* 0/s)]);
  });

  test('may be one of many, one after another and at once', async () => {
    const handler: Ask = async (_args, ctx) => {
      const ask = async (what: string) => {
        const answer = await ctx.elicit(what, { v: { type: 'string', required: true } });
        return answer.action === 'accept' ? answer.content.v : answer.action;
      };
      const first = await ask('first');
      const both = await Promise.all([ask('second'), ask('third')]);
      return [first, ...both, await ask('fourth')].join(' ');
    };
    const answers = Object.fromEntries(
      ['first', 'second', 'third', 'fourth'].map((one) => [one, accept({ v: one.toUpperCase() })]),
    );
    const { result, asked } = await run(tool(handler), call('t'), { answers });
    expect(result.content[0].text).toBe('FIRST SECOND THIRD FOURTH');
    expect(asked.map(({ params }) => params.message)).toEqual(['first', 'second', 'third', 'fourth']);
  });

  test('can come from a prompt or a resource', async () => {
    const ask = async (ctx: Context) => {
      const answer = await ctx.elicit('Who?', { who: { type: 'string', required: true } });
      return answer.action === 'accept' ? `for ${answer.content.who}` : answer.action;
    };
    const items: LiveItems = {
      prompts: { p: { content: (_args: unknown, ctx: Context) => ask(ctx) } },
      resources: { r: { uri: 'app://r', read: (_uri: string, _vars: object, ctx: Context) => ask(ctx) } },
    };
    const answers = { 'Who?': accept({ who: 'Ada' }) };
    const prompt = await run(items, ['prompts/get', { name: 'p' }], { answers });
    expect(prompt.result.messages[0].content.text).toBe('for Ada');
    const resource = await run(items, ['resources/read', { uri: 'app://r' }], { answers });
    expect(resource.result.contents[0].text).toBe('for Ada');
  });

  test('can come from nested tools, each with separate keys', async () => {
    const items: LiveItems = {
      tools: {
        inner: {
          input: { n: 'integer' },
          handler: async ({ n }: { n: number }, ctx: Context) => {
            const answer = await ctx.elicit(`inner ${n}`, { v: 'string' });
            return answer.action === 'accept' ? String(answer.content.v) : answer.action;
          },
        },
        outer: {
          handler: async (_args: object, ctx: Context) => {
            const own = await ctx.elicit('outer', { v: 'string' });
            const [one, two] = await Promise.all([
              ctx.callTool('inner', { n: 1 }),
              ctx.callTool('inner', { n: 2 }),
            ]);
            return `${own.action} ${one.content[0]!.text} ${two.content[0]!.text}`;
          },
        },
      },
    };
    const answers = { outer: accept({}), 'inner 1': accept({ v: 'a' }), 'inner 2': accept({ v: 'b' }) };
    const { result, asked } = await run(items, call('outer'), { answers });
    expect(result.content[0].text).toBe('accept a b');
    expect(asked).toHaveLength(3);
  });

  test('can send the user to an address', async () => {
    const handler: Ask = async (_args, ctx) => await ctx.elicitUrl('Sign in.', 'https://acme.example/in');
    const { result, asked } = await run(tool(handler), call('t'), {
      answers: { 'Sign in.': { action: 'accept' } },
    });
    expect(result.structuredContent).toEqual({ action: 'accept' });
    expect(asked[0].params).toMatchObject({
      mode: 'url',
      message: 'Sign in.',
      url: 'https://acme.example/in',
    });
    expect('elicitationId' in asked[0].params).toBe(era === 'legacy');
  });

  test('fails if its key is taken', async () => {
    const handler: Ask = async (_args, ctx) => {
      const options = { key: 'twice' };
      return await Promise.all([
        ctx.elicit('a', { v: 'string' }, options),
        ctx.elicit('b', { v: 'string' }, options),
      ]);
    };
    const { result, reports } = await run(tool(handler), call('t'), {
      answers: { a: accept({}), b: accept({}) },
    });
    expect(result).toMatchObject({ isError: true });
    expect(reports.join()).toContain('have the key "twice"');
  });

  test.each([
    ['an address that is none', (ctx: Context) => ctx.elicitUrl('x', 'nowhere'), 'not a URL'],
    ['no schema', (ctx: Context) => ctx.elicit('x', undefined as never), '{} asks for a yes or no'],
    ['no text', (ctx: Context) => ctx.elicit(undefined as never, { v: 'string' }), 'needs a text'],
  ])('with %s is refused, with a message to the model', async (_what, ask, problem) => {
    const { result, asked } = await run(
      tool((_args, ctx) => ask(ctx)),
      call('t'),
    );
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(problem) }] });
    expect(asked).toEqual([]);
  });

  test.each<[string, unknown, RegExp]>([
    ['nested fields', { at: { type: 'object', fields: { x: 'number' } } }, /field "at"/],
    ['a list of texts', { tags: 'string[]' }, /field "tags".*array of choices/],
    ['numbers to choose from', { n: { type: 'enum', values: [1, 2], wire: 'native' } }, /field "n".*texts/],
    [
      'text or nothing',
      jsonSchema({ type: 'object', properties: { a: { type: ['string', 'null'] } } }),
      /field "a"/,
    ],
    ['no fields at all', jsonSchema({ type: 'object' }), /has none/],
    ['no schema', { a: { type: 'strang' } }, /unusable.*strang/],
  ])('fails with a reason for the model if no form fits: %s', async (_what, schema, problem) => {
    const { result, asked } = await run(
      tool((_args, ctx) => ctx.elicit('x', schema)),
      call('t'),
    );
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(problem) }] });
    expect(asked).toEqual([]);
  });

  test('is not asked where handlers make lists, completions or initialize', async () => {
    const trouble = async (_: unknown, ctx: Context) => {
      await ctx.elicit('x', { v: 'string' });
      return [];
    };
    const completing = { prompts: { p: { content: 'p', arguments: [{ name: 'a', complete: trouble }] } } };
    const completion = [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
    ] as const;
    await expect(run(completing, completion)).rejects.toMatchObject({ code: -32603 });
    const initialize = async (ctx: Context) => void (await ctx.elicit('x', { v: 'string' }));
    const started = await run(
      tool(() => 'x', { initialize }),
      call('t'),
    );
    expect(started.result.isError).toBe(true);
    expect(started.reports.join()).toContain('"initialize" cannot ask');
    expect(started.asked).toEqual([]);
  });

  test('does not hinder what a handler that went on returns', async () => {
    const handler: Ask = (_args, ctx) => {
      ctx.elicit('never mind', { v: 'string' }).catch(() => {});
      return 'done';
    };
    const { result } = await run(tool(handler), call('t'));
    expect(result.content[0].text).toBe('done');
  });
});

describe.each(['legacy', 'modern'] as const)('%s: a step', (era) => {
  const run = eras[era];

  test('is done once, and gives the same each time', async () => {
    const done: string[] = [];
    const handler: Ask = async (_args, ctx) => {
      const booked = await ctx.step('book', () => {
        done.push('book');
        return { at: new Date(0), number: done.length };
      });
      await ctx.elicit('Sure?', { v: 'string' });
      const nothing = await ctx.step('none', async () => void done.push('none'));
      await ctx.elicit('Really?', { v: 'string' });
      return { booked, nothing: nothing === undefined };
    };
    const answers = { 'Sure?': accept({}), 'Really?': accept({}) };
    const { result } = await run(tool(handler), call('t'), { answers });
    expect(done).toEqual(['book', 'none']);
    expect(result.structuredContent).toEqual({
      booked: { at: '1970-01-01T00:00:00.000Z', number: 1 },
      nothing: true,
    });
  });

  test('is not recorded if it fails', async () => {
    let tries = 0;
    const handler: Ask = async (_args, ctx) => {
      const outcome = await ctx
        .step('try', () => {
          tries += 1;
          if (tries === 1) throw new ToolError('not yet');
          return tries;
        })
        .catch((error: Error) => error.message);
      await ctx.elicit('Again?', { v: 'string' });
      return String(outcome);
    };
    const { result } = await run(tool(handler), call('t'), { answers: { 'Again?': accept({}) } });
    expect(result.content[0].text).toBe(era === 'legacy' ? 'not yet' : '2');
  });

  test('can run again after a failure', async () => {
    let tries = 0;
    const attempt = () => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      return tries;
    };
    const handler: Ask = async (_args, ctx) =>
      String(await ctx.step('try', attempt).catch(() => ctx.step('try', attempt)));
    const { result } = await run(tool(handler), call('t'));
    expect(result.content[0].text).toBe('2');
  });

  test.each<[string, (ctx: Context) => unknown, string]>([
    [
      'keeps what JSON cannot hold',
      (ctx) => ctx.step('big', () => 1n),
      'The step "big" gave what JSON cannot hold',
    ],
    [
      'has the key of another',
      (ctx) => Promise.all([ctx.step('a', () => 1), ctx.step('a', () => 2)]),
      'key "a"',
    ],
    ['asks', (ctx) => ctx.step('a', () => ctx.elicit('x', { v: 'string' })), 'within a step'],
    [
      'calls a tool that asks',
      (ctx) => ctx.step('a', () => ctx.callTool('asker').then(({ isError }) => ({ isError }))),
      'within a step',
    ],
  ])('fails if it %s', async (_what, wrong, problem) => {
    const asker = { handler: (_args: object, ctx: Context) => ctx.elicit('x', { v: 'string' }) };
    const items: LiveItems = { tools: { t: { handler: (_: object, ctx: Context) => wrong(ctx) }, asker } };
    const { reports, asked } = await run(items, call('t'));
    expect(reports.join()).toContain(problem);
    expect(asked).toEqual([]);
  });

  test('fails with a reason for the model if its result is too large', async () => {
    const handler: Ask = async (_args, ctx) => await ctx.step('much', () => 'x'.repeat(300_000));
    const { result } = await run(tool(handler), call('t'));
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/step "much".*262144/) }],
    });
  });
});

describe.each(['legacy', 'modern'] as const)("%s: the client's model and roots", (era) => {
  test.each<[string, object, string]>([
    ['hold what JSON cannot', { messages: [], maxTokens: 1n }, 'a BigInt at /maxTokens has no JSON form'],
    ['are none', [], 'params that are an object'],
  ])('are not asked with params that %s', async (_what, params, problem) => {
    const handler: Ask = (_args, ctx) => ctx.sample(params as never);
    const { result, asked, reports } = await eras[era](tool(handler), call('t'));
    expect(result.isError).toBe(true);
    expect(asked).toEqual([]);
    expect(reports.join()).toContain(problem);
  });

  const run = eras[era];
  const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 };
  const message = { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' };

  test('answer', async () => {
    const handler: Ask = async (_args, ctx) => ({
      said: await ctx.sample(params),
      roots: await ctx.roots({ key: 'where' }),
    });
    const answers = {
      'sampling/createMessage': message,
      'roots/list': { roots: [{ uri: 'file:///a', name: 'A', more: 1 }, { nothing: true }] },
    };
    const { result } = await run(tool(handler), call('t'), { answers });
    expect(result.structuredContent).toEqual({ said: message, roots: [{ uri: 'file:///a', name: 'A' }] });
  });

  test.each([
    [
      'sampling',
      (ctx: Context) => ctx.sample(params),
      { 'sampling/createMessage': { model: 'm' } },
      'no message',
    ],
    ['roots', (ctx: Context) => ctx.roots(), { 'roots/list': { roots: 'here' } }, 'no list'],
  ])('fail the tool after a malformed answer: %s', async (_what, ask, answers, problem) => {
    const { result } = await run(
      tool((_args, ctx) => ask(ctx)),
      call('t'),
      { answers },
    );
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(problem) }] });
  });
});

describe('a client without the capability', () => {
  const ways: readonly [string, object, (ctx: Context) => unknown, object][] = [
    ['elicitation', {}, (ctx) => ctx.elicit('x', { v: 'string' }), { elicitation: {} }],
    [
      'elicitation.form',
      { elicitation: { url: {} } },
      (ctx) => ctx.elicit('x', { v: 'string' }),
      { elicitation: { form: {} } },
    ],
    [
      'elicitation.url',
      { elicitation: {} },
      (ctx) => ctx.elicitUrl('x', 'https://a.example'),
      { elicitation: { url: {} } },
    ],
    ['sampling', {}, (ctx) => ctx.sample({ messages: [], maxTokens: 1 }), { sampling: {} }],
    [
      'sampling.tools',
      { sampling: {} },
      (ctx) => ctx.sample({ messages: [], maxTokens: 1, tools: [] }),
      { sampling: { tools: {} } },
    ],
    ['roots', {}, (ctx) => ctx.roots(), { roots: {} }],
  ];

  test.each(ways)(
    'gets an error instead of the request: %s',
    async (capability, capabilities, ask, required) => {
      const items = tool((_args, ctx) => ask(ctx));
      const text = `Tool "t" needs the client capability "${capability}", which this client does not have.`;
      const legacy = await eras.legacy(items, call('t'), { capabilities });
      expect(legacy.result).toMatchObject({ isError: true, content: [{ text }] });
      expect(legacy.asked).toEqual([]);
      await expect(eras.modern(items, call('t'), { capabilities })).rejects.toMatchObject({
        code: -32021,
        message: text,
        data: { requiredCapabilities: required },
      });
    },
  );

  test.each(['legacy', 'modern'] as const)(
    'ends the call at its time limit, even if the handler keeps asking: %s',
    async (era) => {
      const insist: Ask = async (_args, ctx) => {
        for (;;) await ctx.elicit('x', { v: 'string' }).catch(() => {});
      };
      const items = { tools: { t: { timeoutMs: 50, handler: insist } } };
      const { result } = await eras[era](items, call('t'), { capabilities: {} });
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: 'Tool "t" gave no answer within 0.05 s.' }],
      });
    },
  );

  test.each(['legacy', 'modern'] as const)(
    'gets an error for prompts and resources, too: %s',
    async (era) => {
      const items: LiveItems = {
        prompts: { p: { content: (_: unknown, ctx: Context) => ctx.elicit('x', { v: 'string' }) } },
        resources: { r: { uri: 'app://r', read: (_u: string, _v: object, ctx: Context) => ctx.roots() } },
      };
      const none = { capabilities: {} };
      await expect(eras[era](items, ['prompts/get', { name: 'p' }], none)).rejects.toMatchObject({
        message: expect.stringContaining('"elicitation"'),
      });
      await expect(eras[era](items, ['resources/read', { uri: 'app://r' }], none)).rejects.toMatchObject({
        message: expect.stringContaining('"roots"'),
      });
    },
  );

  test.each(['legacy', 'modern'] as const)('can be served otherwise: %s', async (era) => {
    const handler: Ask = async (_args, ctx) => (ctx.can('elicitation') ? 'asks' : 'guesses');
    const without = await eras[era](tool(handler), call('t'), { capabilities: {} });
    expect(without.result.content[0].text).toBe('guesses');
  });
});
