import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';
import { eventually } from '../../support/program.js';

const dot = Buffer.of(137, 80, 78, 71).toString('base64');

describe.each(revisions)('tool results on the wire (%s)', (revision) => {
  let server: Connected;

  beforeAll(async () => {
    server = await connect(`${installFixture('authoring')}/results`, { revision });
  });

  test('a string is one text block [L-36, N-43]', async () => {
    expect((await server.call('string')).content).toEqual([{ type: 'text', text: 'plain words' }]);
  });

  test('text() is one text block, with its annotations [L-36]', async () => {
    const annotations = { audience: ['user'], priority: 0.5 };
    expect((await server.call('text')).content).toEqual([
      { type: 'text', text: 'chosen words', annotations },
    ]);
  });

  test('error() is a failed result that the model can read [L-37, N-44]', async () => {
    expect(await server.call('error')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'no such street' }],
    });
  });

  test('return the message of a thrown ToolError [L-37, L-46, N-44]', async () => {
    expect(await server.call('thrown-tool-error')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'the bridge is closed' }],
    });
  });

  test.each(['thrown', 'thrown-thing'])(
    'reports any other thrown value on stderr only (%s) [L-45, L-46, N-44]',
    async (name) => {
      expect(await server.call(name)).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'Tool execution failed' }],
      });
      expect(JSON.stringify(server.spoken)).not.toContain('hunter2');
    },
  );

  test('a ProtocolError is an error of the protocol [N-44]', async () => {
    await expect(server.call('protocol-error')).rejects.toMatchObject({
      code: -31999,
      data: { since: 'noon' },
    });
  });

  test('results() are its pieces in order, of which an error is only a text [L-38, L-39, L-42, L-43]', async () => {
    const { content, isError } = await server.call('results');
    expect(content).toEqual([
      { type: 'text', text: 'first' },
      { type: 'text', text: 'second failed' },
      { type: 'resource_link', uri: 'kit://map', name: 'map' },
      {
        type: 'resource_link',
        uri: 'kit://plan',
        name: 'plan',
        description: 'The plan.',
        mimeType: 'text/plain',
      },
    ]);
    expect(isError).toBeFalsy();
  });

  test('fail for results() with isError [L-39]', async () => {
    expect(await server.call('failed-results')).toMatchObject({
      isError: true,
      content: [{ text: 'half' }, { text: 'done' }],
    });
  });

  test.each(['structured', 'object'])(
    'data is structured content with its JSON as text (%s) [L-40, N-43]',
    async (name) => {
      const { content, structuredContent } = await server.call(name);
      expect(structuredContent).toEqual({ x: 1, y: [2] });
      expect(content).toEqual([{ type: 'text', text: '{"x":1,"y":[2]}' }]);
    },
  );

  test('structured() takes blocks instead of the JSON [L-41]', async () => {
    expect(await server.call('structured-with-items')).toMatchObject({
      structuredContent: { x: 1 },
      content: [
        { type: 'text', text: 'x is one' },
        { type: 'image', data: dot, mimeType: 'image/png' },
      ],
    });
  });

  test('data that is no object is wrapped where the revision wants objects [N-43]', async () => {
    const held = (value: unknown) => (revision === '2025-11-25' ? { result: value } : value);
    expect(await server.call('list')).toMatchObject({
      structuredContent: held([1, 2]),
      content: [{ text: '[1,2]' }],
    });
    expect(await server.call('number')).toMatchObject({
      structuredContent: held(42),
      content: [{ text: '42' }],
    });
    // `false` is a value like any other, not a failure.
    expect(await server.call('false')).toMatchObject({ structuredContent: held(false) });
    expect((await server.call('false')).isError).toBeFalsy();
    expect(await server.call('numbers')).toMatchObject({ structuredContent: held([1, 2, 3]) });
  });

  test('return "Success" for undefined [L-31]', async () => {
    expect((await server.call('nothing')).content).toEqual([{ type: 'text', text: 'Success' }]);
  });

  test('blocks, lists of blocks and finished results go as they are [N-43, N-47]', async () => {
    expect((await server.call('block')).content).toEqual([{ type: 'text', text: 'one block' }]);
    expect((await server.call('blocks')).content).toEqual([
      { type: 'text', text: 'before' },
      { type: 'image', data: dot, mimeType: 'image/png' },
      { type: 'audio', data: dot, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'kit://note', mimeType: 'text/plain', text: 'a note' } },
      { type: 'resource', resource: { uri: 'kit://dot', blob: dot } },
    ]);
    expect(await server.call('verbatim')).toMatchObject({
      content: [{ type: 'text', text: 'as it is' }],
      _meta: { 'acme.example/seen': true },
    });
  });

  test('fails with the reason if a result has no JSON form, and the server goes on [N-46, N-49]', async () => {
    expect(await server.call('no-json')).toMatchObject({ isError: true });
    expect(await server.textOf('no-json')).toContain('JSON');
    expect(await server.textOf('string')).toBe('plain words');
  });

  test('an output schema is listed, and what fits it arrives [L-18, L-20, L-44, N-06]', async () => {
    const { outputSchema } = await server.tool('divide');
    expect(outputSchema).toEqual({
      type: 'object',
      properties: { quotient: { type: 'number' } },
      required: ['quotient'],
    });
    expect(await server.call('divide', { x: 9, y: 2 })).toMatchObject({
      structuredContent: { quotient: 4.5 },
      content: [{ text: '{"quotient":4.5}' }],
    });
    expect(await server.call('divide-in-words')).toMatchObject({
      structuredContent: { quotient: 2 },
      content: [{ text: 'two' }],
    });
  });

  test('a tool without one lists none [L-18]', async () => {
    expect(await server.tool('string')).not.toHaveProperty('outputSchema');
  });

  test('a failure needs not fit the output schema [L-37]', async () => {
    const answer = await server.call('divide', { x: 1, y: 0 });
    expect(answer).toMatchObject({ isError: true, content: [{ text: 'division by zero' }] });
    expect(answer).not.toHaveProperty('structuredContent');
  });

  test('fails with tool and path if a result does not match the output schema [L-44, N-45]', async () => {
    const answer = await server.call('mismatch');
    expect(answer.isError).toBe(true);
    expect(answer.content[0].text).toMatch(/"mismatch".*quotient/);
    expect(answer).not.toHaveProperty('structuredContent');
  });

  test('sends a mismatch with a warning on stderr if the author opts in [N-45]', async () => {
    // The client itself refuses what does not fit the schema that it was listed.
    const answer = server.call('tolerated-mismatch');
    await expect(answer.then(({ structuredContent }) => structuredContent)).rejects.toThrow(/schema/);
    expect(server.lastAnswer().result.structuredContent).toEqual({ quotient: 'two' });
    await eventually(() => /tolerated-mismatch.*quotient/.test(server.stderr()), 'the warning');
  });
});
