import { describe, expect, test } from 'vitest';
import * as build from '../../../src/engine/runtime/result-builders.js';
import { ResultError, toToolResult } from '../../../src/engine/runtime/tool-result.js';

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const structured = (value: unknown) => ({ ...text(JSON.stringify(value)), structuredContent: value });
const block = { type: 'text', text: 'x' };
const picture = { type: 'image', data: 'AAEC', mimeType: 'image/png' };

describe('conversion of return values', () => {
  const rows: readonly [string, unknown, unknown][] = [
    ['a string', 'hello', text('hello')],
    ['an empty string', '', text('')],
    ['undefined', undefined, text('Success')],
    ['text()', build.text('hi'), text('hi')],
    ['error()', build.error('bad'), { ...text('bad'), isError: true }],
    ['results()', build.results(['a', picture]), { content: [{ type: 'text', text: 'a' }, picture] }],
    ['failing results()', build.results([], { isError: true }), { content: [], isError: true }],
    ['structured()', build.structured({ a: 1 }), structured({ a: 1 })],
    ['structured() with text', build.structured(5, ['five']), { ...text('five'), structuredContent: 5 }],
    ['structured() of nothing', build.structured(undefined), text('null')],
    [
      'resourceLink()',
      build.resourceLink('a:b', 'b'),
      { content: [{ type: 'resource_link', uri: 'a:b', name: 'b' }] },
    ],
    ['image()', build.image(new Uint8Array([0, 1, 2]), 'image/png'), { content: [picture] }],
    [
      'audio()',
      build.audio('AAEC', 'audio/wav'),
      { content: [{ type: 'audio', data: 'AAEC', mimeType: 'audio/wav' }] },
    ],
    [
      'embedded()',
      build.embedded('a:b', 'x'),
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'x' } }] },
    ],
    ['one content block', picture, { content: [picture] }],
    ['content blocks', [block, picture], { content: [block, picture] }],
    ['blocks and built results', [block, build.text('y')], { content: [block, { type: 'text', text: 'y' }] }],
    [
      'a result in its own form',
      { content: [block], isError: true, _meta: { a: 1 } },
      { content: [block], isError: true, _meta: { a: 1 } },
    ],
    [
      'a result with nothing but structure',
      { content: [], structuredContent: [1] },
      { content: [], structuredContent: [1] },
    ],
    ['isError: false', { content: [block], isError: false }, { content: [block] }],
    ['an object', { a: 1 }, structured({ a: 1 })],
    ['an empty object', {}, structured({})],
    [
      'an object with content and more',
      { content: [block], other: 1 },
      structured({ content: [block], other: 1 }),
    ],
    ['an object with content of its own', { content: 'text' }, structured({ content: 'text' })],
    ['an object with a type of its own', { type: 'text' }, structured({ type: 'text' })],
    [
      'an object much like a block',
      { type: 'image', data: 'x', id: 1 },
      structured({ type: 'image', data: 'x', id: 1 }),
    ],
    ['a number', 42, structured(42)],
    ['zero', 0, structured(0)],
    ['a boolean', false, structured(false)],
    ['null', null, structured(null)],
    ['a list', [1, 'two', null], structured([1, 'two', null])],
    ['an empty list', [], structured([])],
    ['a list of strings', ['a', 'b'], structured(['a', 'b'])],
    ['a list of blocks and texts', [block, 'x'], { content: [block, { type: 'text', text: 'x' }] }],
    ['a list of blocks and others', [block, 5], structured([block, 5])],
    [
      'a finished result, spread',
      { ...text('x'), isError: true },
      { content: [{ type: 'text', text: 'x' }], isError: true },
    ],
    [
      'what JSON makes of it',
      { at: new Date(0), gone: undefined },
      structured({ at: '1970-01-01T00:00:00.000Z' }),
    ],
  ];

  test.each(rows)('%s', (_, value, result) => {
    expect(toToolResult(value)).toStrictEqual(result);
  });
});

describe('values without a wire form', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const rows: readonly [string, unknown][] = [
    ['a function', () => {}],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['a bigint inside', { a: [1n] }],
    ['a cycle', cycle],
    ['a cycle in a list', [cycle]],
    [
      'a getter that throws',
      Object.defineProperty({}, 'x', { enumerable: true, get: () => expect.fail('no') }),
    ],
    ['a result that holds a cycle', { content: [], structuredContent: cycle }],
    ['structured() of a function', build.structured(() => {})],
    ['image() of what is no base64', build.image('§', 'image/png')],
  ];

  test.each(rows)('%s', (_, value) => {
    expect(() => toToolResult(value)).toThrow(ResultError);
  });

  const named: readonly [string, unknown, string][] = [
    ['a map', new Map([[1, 2]]), 'a Map has no JSON form'],
    ['a set inside', { a: [new Set()] }, 'a Set at /a/0 has no JSON form'],
    ['an error', new TypeError('x'), 'an Error has no JSON form'],
    ['a promise', { a: Promise.resolve(1) }, 'a Promise at /a has no JSON form'],
    ['what is no number', { a: Number.NaN }, 'NaN at /a has no JSON form'],
    ['infinity', Number.POSITIVE_INFINITY, 'Infinity has no JSON form'],
    ['a bigint', 1n, 'a BigInt has no JSON form'],
    ['a map in structured()', build.structured({ a: new Map() }), 'a Map at /a has no JSON form'],
    ['what toJSON hides', { toJSON: () => new Map() }, 'a Map has no JSON form'],
    ['a failure without content', { isError: true }, 'it has "isError" but no list of blocks as "content"'],
    ['a failure with text', { isError: true, content: 'x' }, 'it has "isError" but no list of blocks'],
    ['a block alone', { type: 'image', data: 'AAEC' }, 'type "image": "mimeType" is missing'],
    ['text() of an object', build.text({ a: 1 } as never), 'type "text": "text" is not a string'],
    ['image() of no base64', build.image('not it !!', 'image/png'), 'type "image": "data" is not base64'],
    ['an unknown type', { content: [{ type: 'video' }] }, 'type "video": MCP has only text, image, audio,'],
    ['a cycle in _meta', { content: [block], _meta: cycle }, 'a value that holds itself at /_meta/self'],
    ['a cycle in a block', { ...block, _meta: cycle }, 'a value that holds itself at /_meta/self'],
    ['a bigint in a listed block', ['x', { ...block, _meta: { a: 1n } }], 'a BigInt at /1/_meta/a'],
    ['a _meta that hides', { ...block, _meta: { toJSON: () => 5 } }, 'type "text": "_meta" is not an object'],
    [
      'a listed block that hides',
      { content: [{ ...block, toJSON: () => 5 }], isError: true },
      'no list of blocks',
    ],
    [
      'a resource that hides',
      { type: 'resource', resource: { uri: 'a:b', text: 'x', toJSON: () => ({}) } },
      'type "resource": "resource" is not an object with "uri"',
    ],
  ];

  test.each(named)('names the value: %s', (_, value, message) => {
    expect(() => toToolResult(value)).toThrow(ResultError);
    expect(() => toToolResult(value)).toThrow(message);
  });

  test('drops a _meta that is not an object in JSON', () => {
    const _meta = { toJSON: () => 5 };
    expect(toToolResult({ content: [block], _meta })).toEqual({ content: [block] });
  });

  test('accepts a value with its own toJSON', () => {
    const failure = Object.assign(new Error('x'), { toJSON: () => ({ code: 5 }) });
    expect(toToolResult({ failure })).toMatchObject({ structuredContent: { failure: { code: 5 } } });
  });

  const malformed: readonly [string, object][] = [
    ['no text', { type: 'text' }],
    ['text that is none', { type: 'text', text: 5 }],
    ['no data', { type: 'image', mimeType: 'image/png' }],
    ['no MIME type', { type: 'audio', data: 'AAEC' }],
    ['data that is no base64', { type: 'image', data: 'no, it is not', mimeType: 'image/png' }],
    ['a link without name', { type: 'resource_link', uri: 'a:b' }],
    ['a link with a title that is none', { type: 'resource_link', uri: 'a:b', name: 'b', title: 5 }],
    ['a resource without content', { type: 'resource', resource: { uri: 'a:b' } }],
    ['a resource without address', { type: 'resource', resource: { text: 'x' } }],
    ['a resource with bad base64', { type: 'resource', resource: { uri: 'a:b', blob: '§' } }],
    ['an unknown type', { type: 'video', data: 'AAEC' }],
    ['a type that every object has', { type: 'constructor' }],
    ['annotations that are none', { ...block, annotations: 5 }],
    ['an audience that is none', { ...block, annotations: { audience: ['users'] } }],
    ['a priority above 1', { ...block, annotations: { priority: 2 } }],
    ['a date that is none', { ...block, annotations: { lastModified: 'yesterday' } }],
    ['_meta that is no object', { ...block, _meta: [] }],
  ];

  test.each(malformed)('a result with a malformed block: %s', (_, bad) => {
    const { type } = bad as { type: string };
    expect(() => toToolResult({ content: [block, bad] })).toThrow(`malformed block of type "${type}"`);
  });

  test('accepts well-formed blocks', () => {
    const annotations = {
      audience: ['user', 'assistant'],
      priority: 0.5,
      lastModified: '2026-01-02T03:04:05Z',
    };
    const blocks = [
      { ...block, annotations, _meta: { a: 1 } },
      {
        type: 'resource_link',
        uri: 'a:b',
        name: 'b',
        title: 'B',
        description: 'c',
        mimeType: 'text/plain',
        size: 3,
      },
      { type: 'resource', resource: { uri: 'a:b', blob: 'AAEC', mimeType: 'image/png' } },
    ];
    expect(toToolResult({ content: blocks })).toEqual({ content: blocks });
  });
});
