import { describe, expect, test } from 'vitest';
import * as build from '../../../src/engine/runtime/result-builders.js';
import { compileSchema } from '../../../src/engine/schema/index.js';
import { type Composed, composeLive, openSession, type Session } from '../../support/session.js';
import { wireFaults } from '../../support/wire-schema.js';

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
type Revision = (typeof revisions)[number];

const isNew = (revision: Revision) => revision === '2026-07-28';

async function open(served: Composed, revision: Revision): Promise<Session> {
  return await openSession(served, isNew(revision) ? { era: 'modern' } : { version: revision });
}

/** The result of a request, held against the official schema of the revision. */
async function ask(session: Session, revision: Revision, method: string, params: object = {}) {
  const result = await session.request(method, params);
  const call = { by: 'client', message: { jsonrpc: '2.0', id: 1, method } } as const;
  const answer = { by: 'server', message: { jsonrpc: '2.0', id: 1, result } } as const;
  expect(wireFaults(revision, [call, answer])).toEqual([]);
  return result;
}

const text = (value: string) => ({ type: 'text', text: value });
const more = {
  annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' },
  meta: { 'acme/own': 1 },
} as const;
const sentMore = { annotations: more.annotations, _meta: more.meta };
const bytes = new Uint8Array([0, 1, 2]);
const link = { type: 'resource_link', uri: 'app://r', name: 'r' };
const sound = { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' };

type ByRevision = { readonly [R in Revision]?: object };

/** What a handler gives, and the result of it on 2026-07-28; before that non-objects are wrapped and some blocks texts. */
const rows: readonly (readonly [string, unknown, object, ByRevision?])[] = [
  ['a string', 'hello', { content: [text('hello')] }],
  ['nothing', undefined, { content: [text('Success')] }],
  ['text()', build.text('hi'), { content: [text('hi')] }],
  ['text() with more', build.text('hi', more), { content: [{ ...text('hi'), ...sentMore }] }],
  ['error()', build.error('bad'), { content: [text('bad')], isError: true }],
  [
    'error() with more',
    build.error('bad', more),
    { content: [{ ...text('bad'), ...sentMore }], isError: true },
  ],
  [
    'results()',
    build.results([build.text('a'), build.error('b'), 'c']),
    { content: [text('a'), text('b'), text('c')] },
  ],
  [
    'failing results()',
    build.results(['a', 'b'], { isError: true }),
    { content: [text('a'), text('b')], isError: true },
  ],
  ['a list of pieces', [build.text('a'), build.error('b')], { content: [text('a'), text('b')] }],
  ['an object', { a: 1 }, { content: [text('{"a":1}')], structuredContent: { a: 1 } }],
  ['structured()', build.structured({ a: 1 }), { content: [text('{"a":1}')], structuredContent: { a: 1 } }],
  [
    'structured() with blocks',
    build.structured({ a: 1 }, ['One.', build.text('Two.', more)]),
    { content: [text('One.'), { ...text('Two.'), ...sentMore }], structuredContent: { a: 1 } },
  ],
  [
    'resourceLink()',
    build.resourceLink('app://r', 'r'),
    { content: [link] },
    { '2024-11-05': { content: [text('r: app://r')] }, '2025-03-26': { content: [text('r: app://r')] } },
  ],
  [
    'resourceLink() with more',
    build.resourceLink('app://r', 'r', { description: 'd', mimeType: 'text/plain', title: 'R', ...more }),
    { content: [{ ...link, title: 'R', description: 'd', mimeType: 'text/plain', ...sentMore }] },
    { '2024-11-05': { content: [text('R: app://r')] }, '2025-03-26': { content: [text('R: app://r')] } },
  ],
  [
    'image()',
    build.image(bytes, 'image/png', more),
    { content: [{ type: 'image', data: 'AAEC', mimeType: 'image/png', ...sentMore }] },
  ],
  [
    'audio()',
    build.audio(bytes, 'audio/wav', more),
    { content: [{ ...sound, ...sentMore }] },
    { '2024-11-05': { content: [text('[audio: audio/wav]')] } },
  ],
  [
    'embedded() text',
    build.embedded('app://r', 'x', { mimeType: 'text/plain', ...more }),
    {
      content: [
        { type: 'resource', resource: { uri: 'app://r', mimeType: 'text/plain', text: 'x' }, ...sentMore },
      ],
    },
  ],
  [
    'embedded() bytes',
    build.embedded('app://r', bytes),
    { content: [{ type: 'resource', resource: { uri: 'app://r', blob: 'AAEC' } }] },
  ],
  [
    'a block',
    { ...text('x'), annotations: more.annotations },
    { content: [{ ...text('x'), annotations: more.annotations }] },
  ],
  [
    'a result in its own form',
    { content: [text('x')], structuredContent: { a: 1 }, _meta: { 'acme/own': 1 } },
    { content: [text('x')], structuredContent: { a: 1 }, _meta: { 'acme/own': 1 } },
  ],
  ['a number', 42, { content: [text('42')], structuredContent: 42 }],
  ['a boolean', false, { content: [text('false')], structuredContent: false }],
  ['null', null, { content: [text('null')], structuredContent: null }],
  ['a list', [1, 'two'], { content: [text('[1,"two"]')], structuredContent: [1, 'two'] }],
  [
    'structured() of a list',
    build.structured([1], ['One.']),
    { content: [text('One.')], structuredContent: [1] },
  ],
  ['a ToolError', new build.ToolError('try again'), { content: [text('try again')], isError: true }],
  ['another error', new Error('secret'), { content: [text('Tool execution failed')], isError: true }],
  [
    'a function',
    () => {},
    {
      content: [text('Tool "t" returned something that is not a result: a function has no JSON form.')],
      isError: true,
    },
  ],
  [
    'a bigint within',
    { rows: [{ count: 1n }] },
    {
      content: [
        text('Tool "t" returned something that is not a result: a BigInt at /rows/0/count has no JSON form.'),
      ],
      isError: true,
    },
  ],
];

/** A value as it goes to clients that know only objects. */
function wrapped(result: object): object {
  if (!('structuredContent' in result)) return result;
  const { structuredContent: value } = result;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? result : { ...result, structuredContent: { result: value } };
}

describe.each(revisions)('%s: what a handler gives is sent as its revision has it:', (revision) => {
  test.for(rows)('%s', async ([, given, natural, older = {}]) => {
    const handler = () => {
      if (given instanceof Error) throw given;
      return given;
    };
    const session = await open(await composeLive({ tools: { t: { handler } } }), revision);
    const { resultType, ...result } = await ask(session, revision, 'tools/call', { name: 't' });
    expect(resultType).toBe(isNew(revision) ? 'complete' : undefined);
    const { _meta: meta, ...rest } = result;
    const { 'io.modelcontextprotocol/serverInfo': _info, ...own } = meta ?? {};
    const sent = { ...rest, ...(Object.keys(own).length > 0 && { _meta: own }) };
    expect(sent).toEqual(older[revision] ?? (isNew(revision) ? natural : wrapped(natural)));
  });
});

const tree = {
  $ref: '#/$defs/node',
  $defs: { node: { type: 'array', items: { $ref: '#/$defs/node' } } },
};

/** An output schema, a value that fits it, one that does not, and whether clients that know only objects see it as it is. */
const outputs: readonly (readonly [string, object, unknown, unknown, boolean?])[] = [
  ['an object', { type: 'object', properties: { a: { type: 'number' } } }, { a: 1 }, { a: 'x' }, true],
  ['a list', { type: 'array', items: { type: 'number' } }, [1, 2], ['x']],
  ['a string', { type: 'string' }, 'x', 5],
  ['a number', { type: 'number', minimum: 1 }, 1, 0],
  ['a boolean', { type: 'boolean' }, false, 'no'],
  ['null', { type: 'null' }, null, 0],
  ['an object or nothing', { type: ['object', 'null'] }, { a: 1 }, 'x'],
  ['a choice', { anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] }, { a: 1 }, { b: 1 }],
  ['a choice of values', { enum: ['a', 1, null] }, null, 'b'],
  ['a recursive list', { type: 'array', items: { $ref: '#' } }, [[], [[]]], [[1]]],
  ['what refers to a definition', tree, [[[]]], [[1]]],
  [
    'a recursive list of an older dialect',
    {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      type: 'array',
      items: { $recursiveRef: '#' },
    },
    [[], [[]]],
    [[1]],
  ],
  [
    'what refers to itself within an address of its own',
    {
      type: 'array',
      items: {
        $id: 'kit://rows',
        type: 'array',
        items: { $ref: '#/$defs/n' },
        $defs: { n: { type: 'number' } },
      },
    },
    [[1]],
    [['x']],
  ],
  ['a value that only looks like a reference', { const: [{ $ref: '#' }] }, [{ $ref: '#' }], [{ $ref: '' }]],
  [
    'an older dialect',
    { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }] },
    ['x'],
    [1],
  ],
  [
    'a property that is anything',
    { type: 'object', properties: { a: true, b: false } },
    { a: 1 },
    { b: 1 },
    true,
  ],
];

describe.each(revisions)('%s: an output schema and the result that it is of:', (revision) => {
  test.each(outputs)('%s', async (_, schema, right, wrong, isPlain = false) => {
    const served = await composeLive({
      tools: {
        t: {
          outputSchema: schema,
          handler: ({ bad }: { bad?: boolean }) => build.structured(bad ? wrong : right),
        },
        u: {
          outputSchema: schema,
          onOutputMismatch: 'warn',
          handler: () => build.structured(wrong),
        },
      },
    });
    const session = await open(served, revision);
    const { tools } = await ask(session, revision, 'tools/list');
    const isNatural = isNew(revision) || isPlain;
    const { structuredContent } = await ask(session, revision, 'tools/call', { name: 't' });
    expect(structuredContent).toEqual(isNatural ? right : { result: right });

    const listed = await compileSchema(tools[0].outputSchema, { side: 'output', rawOnly: true });
    expect(await listed.check(structuredContent)).toMatchObject({ ok: true });
    expect(await listed.check(isNatural ? wrong : { result: wrong })).toMatchObject({ ok: false });
    if (isNew(revision)) expect(tools[0].outputSchema).toEqual(schema);
    else expect(tools[0].outputSchema.type).toBe('object');

    const refused = await ask(session, revision, 'tools/call', { name: 't', arguments: { bad: true } });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('does not match') }],
    });
    expect(refused).not.toHaveProperty('structuredContent');
    expect(served.reports).toEqual([]);

    const warned = await ask(session, revision, 'tools/call', { name: 'u' });
    expect(warned).not.toHaveProperty('isError');
    expect(warned.structuredContent).toEqual(
      isNatural && typeof wrong === 'object' ? wrong : isNew(revision) ? wrong : { result: wrong },
    );
    expect(served.reports).toEqual([expect.stringContaining('does not match its output schema')]);
  });
});

describe.each(revisions)('%s: a tool without output', (revision) => {
  test('has no output schema', async () => {
    const session = await open(await composeLive({ tools: { t: { handler: () => undefined } } }), revision);
    const { tools } = await ask(session, revision, 'tools/list');
    expect(tools[0]).not.toHaveProperty('outputSchema');
  });
});

describe.each(revisions)('%s: arguments that may be anything, or nothing,', (revision) => {
  test('are listed in the words of the revision', async () => {
    const inputSchema = { type: 'object', properties: { any: true, none: false, one: { type: 'string' } } };
    const served = await composeLive({ tools: { t: { inputSchema, handler: (args: object) => args } } });
    const session = await open(served, revision);
    const { tools } = await ask(session, revision, 'tools/list');
    const older = { ...inputSchema, properties: { any: {}, none: { not: {} }, one: { type: 'string' } } };
    expect(tools[0].inputSchema).toEqual(isNew(revision) ? inputSchema : older);
    expect(served.spec.registry.resolve('tools', 't')?.wire.inputSchema).toEqual(inputSchema);
    const refused = await ask(session, revision, 'tools/call', { name: 't', arguments: { none: 1 } });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('"none"') }] });
  });
});

describe.each(revisions)('%s: values of an enum', (revision) => {
  const values = [1, 'two', true] as const;
  const field = (wire: 'string' | 'native') => ({ type: 'enum', values, wire, required: true });

  test.each([
    ['native', { enum: [1, 'two', true] }, 1, 1],
    ['string', { type: 'string', enum: ['1', 'two', 'true'] }, '1', '1'],
  ] as const)('go over the wire as %s, and the handler has the values', async (wire, schema, sent, back) => {
    const seen: unknown[] = [];
    const handler = ({ of }: { of: unknown }) => {
      seen.push(of);
      return { of };
    };
    const tool = { input: { of: field(wire) }, output: { of: field(wire) }, handler };
    const session = await open(await composeLive({ tools: { t: tool } }), revision);
    const { tools } = await ask(session, revision, 'tools/list');
    expect(tools[0]).toMatchObject({
      inputSchema: { properties: { of: schema } },
      outputSchema: { properties: { of: schema } },
    });
    const result = await ask(session, revision, 'tools/call', { name: 't', arguments: { of: sent } });
    expect([seen, result.structuredContent, result.content]).toEqual([
      [1],
      { of: back },
      [text(JSON.stringify({ of: back }))],
    ]);
    const other = await ask(session, revision, 'tools/call', {
      name: 't',
      arguments: { of: wire === 'native' ? '1' : 1 },
    });
    expect(other.isError).toBe(true);
  });
});
