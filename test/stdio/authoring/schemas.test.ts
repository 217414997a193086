import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';

const query = { type: 'object', properties: { q: { type: 'string', minLength: 2 } }, required: ['q'] };

describe.each(revisions)('schemas (%s)', (revision) => {
  let server: Connected;
  const got = async (name: string, args: object) =>
    (await server.call(name, { ...args })).structuredContent?.got;

  beforeAll(async () => {
    server = await connect(`${installFixture('authoring')}/schemas`, { revision });
  });

  test('a field spec is listed as a JSON Schema [N-06, N-19, N-41]', async () => {
    expect((await server.tool('fields')).inputSchema).toEqual({
      type: 'object',
      properties: {
        message: { type: 'string', description: 'What to say.' },
        repeat: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
        mode: { type: 'string', enum: ['plain', 'loud'], default: 'plain' },
        level: { type: 'string', enum: ['1', '2', '3'] },
        quiet: { type: 'boolean', default: false },
        address: {
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string', default: 'Ostwick' } },
        },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
        rows: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
        },
        note: { type: 'string' },
      },
      required: ['message'],
    });
    expect((await server.tool('plain-fields')).inputSchema).toEqual({
      type: 'object',
      properties: { note: { type: 'string' }, size: { type: 'number', minimum: 0 } },
    });
  });

  test('casts valid arguments: defaults, choices, no undeclared keys [N-41]', async () => {
    expect(await got('fields', { message: 'hi' })).toEqual({
      message: 'hi',
      repeat: 1,
      mode: 'plain',
      quiet: false,
    });
    expect(
      await got('fields', {
        message: 'hi',
        level: '2',
        stray: 1,
        address: { street: 'High', stray: 1 },
        rows: [{ id: 1, stray: 1 }],
      }),
    ).toEqual({
      message: 'hi',
      repeat: 1,
      mode: 'plain',
      level: 2,
      quiet: false,
      address: { street: 'High', city: 'Ostwick' },
      rows: [{ id: 1 }],
    });
  });

  test('rejects invalid arguments with the tool name and each path [N-40]', async () => {
    const answer = await server.call('fields', { repeat: 99, mode: 'shy', rows: [{}] });
    expect(answer.isError).toBe(true);
    const [{ text }] = answer.content;
    expect(text).toMatch(/^Invalid arguments for tool "?fields"?: /);
    for (const place of ['message', '/repeat', '/mode', '/rows/0']) expect(text).toContain(place);
  });

  test.each(['json-schema', 'marked-json-schema', 'json-text', 'raw-only', 'raw-text'])(
    'a schema in JSON is listed as it is (%s) [N-06, N-07]',
    async (name) => {
      expect((await server.tool(name)).inputSchema).toEqual(query);
    },
  );

  test.each(['json-schema', 'json-text', 'raw-only'])(
    'passes valid arguments on unchanged (%s) [N-06, N-41]',
    async (name) => {
      expect(await got(name, { q: 'ab', stray: { deep: [1] } })).toEqual({ q: 'ab', stray: { deep: [1] } });
      expect(await server.call(name, { q: 'a' })).toMatchObject({ isError: true });
    },
  );

  test('outputSchema wins over output too [N-07]', async () => {
    expect((await server.tool('output-raw')).outputSchema).toMatchObject({
      properties: { got: { type: 'object' } },
    });
    expect(await got('output-raw', { a: 1 })).toEqual({ a: 1 });
  });

  test('keeps keywords beyond field specs verbatim, also unknown ones [N-06, L-21]', async () => {
    expect((await server.tool('choice')).inputSchema).toEqual({
      type: 'object',
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      properties: { a: { $ref: '#/$defs/name' }, b: { $ref: '#/$defs/name' } },
      $defs: { name: { type: 'string', 'x-hint': 'kept' } },
      additionalProperties: false,
    });
    expect(await got('choice', { a: 'x' })).toEqual({ a: 'x' });
    for (const wrong of [{}, { a: 'x', b: 'y' }, { a: 1 }, { c: 'x' }]) {
      expect(await server.call('choice', wrong)).toMatchObject({ isError: true });
    }
  });

  test('are objects without properties for tools without inputs [L-16, N-42]', async () => {
    expect((await server.tool('no-input')).inputSchema).toEqual({ type: 'object', properties: {} });
    expect(await got('no-input', {})).toEqual({});
    const { structuredContent } = (await server.client.callTool({ name: 'no-input' })) as {
      structuredContent: unknown;
    };
    expect(structuredContent).toEqual({ got: {} });
  });

  test('the title falls back to the name, a description to nothing [L-10, L-11, N-04]', async () => {
    expect(await server.tool('untold')).toMatchObject({ title: 'untold' });
    expect(await server.tool('untold')).not.toHaveProperty('description');
    expect(await server.tool('titled')).toMatchObject({ title: 'A Title', description: 'Has a title.' });
  });
});
