import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { getPrompt, PromptFailure } from '../../../src/engine/runtime/get-prompt.js';
import {
  assistant,
  image,
  ProtocolError,
  results,
  ToolError,
  text,
  user,
} from '../../../src/engine/runtime/result-builders.js';
import { fill, templateSlots } from '../../../src/engine/runtime/text-template.js';
import { type Composed, compose, composeLive } from '../../support/session.js';

async function get({ spec, served }: Composed, name: string, args: Record<string, string> = {}) {
  const prompt = spec.registry.resolve('prompts', name);
  if (!prompt) throw new Error(`No prompt ${name}: ${spec.leftOut.map(({ message }) => message).join()}`);
  const makeContext = (facts: { signal: AbortSignal }) => facts as unknown as Context;
  return await getPrompt(prompt, args, {
    calls: served.live.calls,
    signal: new AbortController().signal,
    makeContext,
  });
}

const said = async (definition: object, args: Record<string, string> = {}) =>
  (await get(await composeLive({ prompts: { x: definition } }), 'x', args)).messages;

const userText = (value: string) => ({ role: 'user', content: { type: 'text', text: value } });
const picture = { type: 'image', data: 'AAEC', mimeType: 'image/png' };

describe('a template', () => {
  test.each([
    ['Hello, {{name}}!', 'Hello, Ada!'],
    ['{{ name }} and {{name}}', 'Ada and Ada'],
    ['{{absent}}.', '.'],
    ['{{constructor}}', ''],
    ['Plan {{absent}} for {{name}}', 'Plan for Ada'],
    ['Greet {{name}} {{absent}}', 'Greet Ada'],
    ['Greet {{absent}}{{name}}', 'Greet Ada'],
    ['{{absent}} {{name}}', 'Ada'],
    ['Hi,\n{{absent}} greet {{name}}', 'Hi,\ngreet Ada'],
    ['{name} {{{name}}} {{}} {{na me}} $name `name`', '{name} {Ada} {{}} {{na me}} $name `name`'],
    ['{{money}}', '$& $1 {{name}}'],
  ])('%s', (template, filled) => {
    expect(fill(template, { name: 'Ada', money: '$& $1 {{name}}' })).toBe(filled);
  });

  test('knows its slots', () => {
    expect(templateSlots('{{b}} {{ a }} {{b}} {c}')).toEqual(['b', 'a']);
  });
});

describe('content is', () => {
  const listed = [{ name: 'name', required: true }, { name: 'mood' }];

  test('plain text without substitution', async () => {
    expect(await said({ content: 'Hello, {{name}}!', arguments: listed }, { name: 'Ada' })).toEqual([
      userText('Hello, {{name}}!'),
    ]);
  });

  test('a template; what is optional and absent is empty', async () => {
    const content = { template: 'Hello, {{name}}{{mood}}!' };
    expect(await said({ content, arguments: listed }, { name: 'Ada' })).toEqual([userText('Hello, Ada!')]);
  });

  const call = ({ name }: { name: string }) => `Hello, ${name}!`;
  const types: readonly [string, object, string][] = [
    ['no type, a string', { content: './x.js' }, './x.js'],
    ['auto, a string', { type: 'auto', content: './x.js' }, './x.js'],
    ['text, a string', { type: 'text', content: './x.js' }, './x.js'],
    ['no type, a function', { content: call }, 'Hello, Ada!'],
    ['auto, a function', { type: 'auto', content: call }, 'Hello, Ada!'],
    ['function, a function', { type: 'function', content: call }, 'Hello, Ada!'],
    ['auto, a template', { type: 'auto', content: { template: '{{name}}' } }, 'Ada'],
    ['text, a template', { type: 'text', content: { template: '{{name}}' } }, 'Ada'],
  ];

  test.each(types)('chosen by type and form: %s', async (_, definition, expected) => {
    expect(await said({ ...definition, arguments: listed }, { name: 'Ada' })).toEqual([userText(expected)]);
  });

  test('a module reference only with the type "function"', async () => {
    const files = {
      'agenttools/prompts.json': { x: { type: 'function', content: './x.js#greet' } },
      'x.js': 'export const greet = ({ name }, ctx) => "Hello, " + name + "! " + typeof ctx.signal',
    };
    expect((await get(await compose({ prompts: ['x'] }, files), 'x', { name: 'Ada' })).messages).toEqual([
      userText('Hello, Ada! object'),
    ]);
  });

  test('accepts messages with roles', async () => {
    const messages = [
      { role: 'user', content: 'Hi, {{name}}' },
      { role: 'assistant', content: { template: 'Hello, {{name}}!' } },
      { role: 'user', content: picture },
    ];
    expect(await said({ messages }, { name: 'Ada' })).toEqual([
      userText('Hi, {{name}}'),
      { role: 'assistant', content: { type: 'text', text: 'Hello, Ada!' } },
      { role: 'user', content: picture },
    ]);
  });
});

describe('a function returns', () => {
  const rows: readonly [string, unknown, unknown][] = [
    ['a string', 'hi', [userText('hi')]],
    ['a number', 42, [userText('42')]],
    [
      'messages',
      [user('a'), assistant('b')],
      [userText('a'), { role: 'assistant', content: { type: 'text', text: 'b' } }],
    ],
    ['plain messages', [{ role: 'user', content: 'a' }], [userText('a')]],
    ['a message', { role: 'user', content: picture }, [{ role: 'user', content: picture }]],
    ['strings', ['a', 'b'], [userText('a'), userText('b')]],
    [
      'blocks, one message each',
      [{ type: 'text', text: 'a' }, picture],
      [userText('a'), { role: 'user', content: picture }],
    ],
    ['a block', picture, [{ role: 'user', content: picture }]],
    ['text()', text('a'), [userText('a')]],
    ['image()', image('AAEC', 'image/png'), [{ role: 'user', content: picture }]],
    ['results()', results(['a', picture as never]), [userText('a'), { role: 'user', content: picture }]],
    ['content', { content: [{ type: 'text', text: 'a' }] }, [userText('a')]],
    ['no messages', [], []],
  ];

  test.each(rows)('%s', async (_, value, messages) => {
    expect(await said({ content: () => value })).toEqual(messages);
  });

  test('messages with a description', async () => {
    const served = await composeLive({
      prompts: {
        x: { description: 'static', content: () => ({ description: 'live', messages: ['a', user('b')] }) },
        y: { description: 'static', content: () => 'a' },
        z: { content: () => 'a' },
      },
    });
    expect(await get(served, 'x')).toEqual({ description: 'live', messages: [userText('a'), userText('b')] });
    expect((await get(served, 'y')).description).toBe('static');
    expect(await get(served, 'z')).not.toHaveProperty('description');
  });

  test.each([
    [undefined],
    [null],
    [true],
    [{}],
    [{ role: 'system', content: 'x' }],
    [{ role: 'user' }],
    [[{ type: 'image' }]],
    [[5]],
  ])('nothing else: %j', async (value) => {
    const served = await composeLive({ prompts: { x: { content: () => value } } });
    await expect(get(served, 'x')).rejects.toMatchObject({
      code: 'failed',
      message: 'Prompt execution failed',
    });
    expect(served.reports[0]).toMatch(/^@acme\/kit\/x: /);
  });
});

test('a block that has no JSON form is named on stderr', async () => {
  const own: Record<string, unknown> = {};
  own.self = own;
  const block = { type: 'text', text: 'x', _meta: own };
  const served = await composeLive({ prompts: { x: { content: () => [{ role: 'user', content: block }] } } });
  await expect(get(served, 'x')).rejects.toThrow('Prompt execution failed');
  expect(served.reports[0]).toContain('a value that holds itself at /0/content/_meta/self has no JSON form');
});

test.each([
  [{ role: 'system', content: 'x' }, 'a message has the role "system", not "user" or "assistant"'],
  [{ type: 'image', data: 'AAEC' }, 'malformed block of type "image": "mimeType" is missing'],
  [{ role: 'user', content: { type: 'poem' } }, 'malformed block of type "poem": MCP has only text'],
])('reports an invalid message on stderr: %j', async (value, problem) => {
  const served = await composeLive({ prompts: { x: { content: () => value } } });
  await expect(get(served, 'x')).rejects.toThrow('Prompt execution failed');
  expect(served.reports[0]).toContain(problem);
});

describe('arguments', () => {
  const definition = {
    arguments: [
      { name: 'a', required: true },
      { name: 'b', required: true, description: 'B' },
      { name: 'c', title: 'C' },
    ],
    content: () => 'x',
  };

  test('rejects missing required arguments', async () => {
    const served = await composeLive({ prompts: { x: definition } });
    await expect(get(served, 'x', { b: '' })).rejects.toEqual(
      new PromptFailure('arguments', 'Missing required arguments: a'),
    );
    await expect(get(served, 'x')).rejects.toThrow('a, b');
    expect((await get(served, 'x', { a: '1', b: '', more: 'x' })).messages).toHaveLength(1);
  });

  test('are listed, each with whether it is required', async () => {
    const { spec } = await composeLive({ prompts: { x: definition, y: { content: 'y' } } });
    expect(spec.registry.all('prompts').map(({ wire }) => wire)).toEqual([
      {
        name: 'x',
        title: 'x',
        arguments: [
          { name: 'a', required: true },
          { name: 'b', description: 'B', required: true },
          { name: 'c', title: 'C', required: false },
        ],
      },
      { name: 'y', title: 'y', arguments: [] },
    ]);
  });
});

describe('thrown values', () => {
  const throwing = (thrown: unknown, server?: object) =>
    composeLive({
      prompts: {
        x: {
          content() {
            throw thrown;
          },
        },
      },
      ...(server && { server }),
    });

  test('returns the message of a ToolError', async () => {
    await expect(get(await throwing(new ToolError('No such city.')), 'x')).rejects.toEqual(
      new PromptFailure('failed', 'No such city.'),
    );
  });

  test('anything else is not, save to stderr', async () => {
    const served = await throwing(new Error('secret'));
    await expect(get(served, 'x')).rejects.toEqual(new PromptFailure('failed', 'Prompt execution failed'));
    expect(served.reports[0]).toContain('Error: secret');
  });

  test('shows any error if the server exposes errors', async () => {
    const served = await throwing(new Error('secret'), { prompts: '*', exposeErrors: true });
    await expect(get(served, 'x')).rejects.toThrow('secret');
  });

  test('a ProtocolError passes as it is', async () => {
    const thrown = new ProtocolError(-32602, 'x');
    await expect(get(await throwing(thrown), 'x')).rejects.toBe(thrown);
  });

  test('reports a timeout', async () => {
    const served = await composeLive({
      prompts: { x: { timeoutMs: 10, content: () => new Promise(() => {}) } },
    });
    await expect(get(served, 'x')).rejects.toThrow('Prompt "x" gave no answer within 0.01 s.');
  });
});

describe('a definition that cannot work is skipped with a reason', () => {
  test.each([
    [{}, 'has no "content"'],
    [{ content: 'x', messages: [] }, 'not both'],
    [{ content: 5 }, 'unusable "content"'],
    [{ content: { text: 'x' } }, 'unusable "content"'],
    [{ type: 'text', content: () => 'x' }, 'because "type" is "text"'],
    [{ type: 'function', content: { template: 'x' } }, 'unusable "content"'],
    [{ type: 'poem', content: 'x' }, '"text", "function", "auto"'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'messages.0.role'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages.0.content'],
    [{ messages: [{ role: 'user' }] }, 'messages.0.content'],
    [{ content: 'x', arguments: ['a'] }, 'arguments.0'],
    [{ content: 'x', arguments: [{ description: 'a' }] }, 'arguments.0.name'],
    [{ content: 'x', arguments: [{ name: 'a' }, { name: 'a' }] }, 'declared twice'],
    [{ content: 'x', name: '' }, 'empty name'],
  ])('%j', async (definition, message) => {
    const { spec } = await composeLive({ prompts: { x: definition, fine: { content: 'x' } } });
    expect(spec.leftOut.map((one) => one.message)).toEqual([expect.stringContaining(message)]);
    expect(spec.registry.all('prompts').map(({ name }) => name)).toEqual(['fine']);
  });
});
