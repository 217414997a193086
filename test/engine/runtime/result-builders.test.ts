import { beforeAll, describe, expect, test } from 'vitest';
import { brands, isBranded } from '../../../src/engine/runtime/authoring-symbols.js';
import { toPromptResult } from '../../../src/engine/runtime/prompt.js';
import * as build from '../../../src/engine/runtime/result-builders.js';
import { toToolResult } from '../../../src/engine/runtime/tool-result.js';
import { loadNative } from '../../support/native.js';

describe('a builder', () => {
  test('leaves out what was not given', () => {
    expect(toToolResult(build.text('x')).content).toStrictEqual([{ type: 'text', text: 'x' }]);
    expect(toToolResult(build.embedded('a:b', new Uint8Array([1]))).content).toStrictEqual([
      { type: 'resource', resource: { uri: 'a:b', blob: 'AQ==' } },
    ]);
  });

  test('takes annotations and meta', () => {
    const options = { annotations: { priority: 1 }, meta: { a: 1 } };
    const more = { annotations: { priority: 1 }, _meta: { a: 1 } };
    expect(toToolResult(build.text('x', options)).content).toEqual([{ type: 'text', text: 'x', ...more }]);
    expect(toToolResult(build.resourceLink('a:b', 'b', { ...options, title: 'B' })).content).toEqual([
      { type: 'resource_link', uri: 'a:b', name: 'b', title: 'B', ...more },
    ]);
    expect(toToolResult(build.embedded('a:b', 'x', { ...options, mimeType: 'text/plain' })).content).toEqual([
      { type: 'resource', resource: { uri: 'a:b', text: 'x', mimeType: 'text/plain' }, ...more },
    ]);
  });

  test.each([
    ['a text', 'bad', 'bad'],
    ['an error', new TypeError('bad'), 'bad'],
    ['an object', { code: 5 }, '{"code":5}'],
    ['a number', 5, '5'],
    ['nothing', undefined, 'undefined'],
  ])('makes a text of a failure: %s', (_, given, told) => {
    expect(toToolResult(build.error(given))).toStrictEqual({
      content: [{ type: 'text', text: told }],
      isError: true,
    });
  });

  test('keeps the meta of one block at the block', () => {
    const made = toToolResult(build.text('x', { meta: { a: 1 } }));
    expect(made).toStrictEqual({ content: [{ type: 'text', text: 'x', _meta: { a: 1 } }] });
    const whole = { content: [{ type: 'text', text: 'x' }], _meta: { b: 1 } };
    expect(toToolResult(whole)).toStrictEqual(whole);
  });

  test('can be nested in the list of another', () => {
    const { content } = build.results([
      'a',
      build.text('b'),
      build.results(['c', 'd']),
      { type: 'text', text: 'e' },
    ]);
    expect(content.map((block) => block.text)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('requires exactly one block for a message', () => {
    expect(build.user('hi')).toEqual({ role: 'user', content: { type: 'text', text: 'hi' } });
    expect(build.assistant(build.image('AAEC', 'image/png')).content).toEqual({
      type: 'image',
      data: 'AAEC',
      mimeType: 'image/png',
    });
    expect(() => build.user(build.results(['a', 'b']))).toThrow(TypeError);
    expect(() => build.user(build.results([]))).toThrow(TypeError);
  });

  test('leaves no trace of its mark in JSON', () => {
    expect(JSON.stringify(build.error('x'))).toBe('{"content":[{"type":"text","text":"x"}],"isError":true}');
  });
});

describe('structured() and results()', () => {
  const structured = build.structured as (...given: unknown[]) => unknown;
  const results = build.results as (...given: unknown[]) => unknown;
  const piece = build.text('a');
  const exchanged = /^structured\(\) takes the value first, .* Exchange the arguments\.$/;
  test.for<[string, () => unknown, RegExp]>([
    ['the items before the value', () => structured([piece, 'b'], { q: 1 }), exchanged],
    ['the items before a list', () => structured([piece], [{ q: 1 }]), exchanged],
    [
      'one item without a list',
      () => structured({ q: 1 }, piece),
      /^The items of structured\(\) are an object\. Expected a list/,
    ],
    [
      'an item that is data',
      () => structured([1], [3]),
      /^Item 1 of structured\(\) is a number\. Expected a string, a content block/,
    ],
    ['a list in a list', () => results(['a', ['b']]), /^Item 2 of results\(\) is a list\./],
    ['no list of results', () => results('a'), /^The items of results\(\) are a string\./],
  ])('refuse %s', ([, make, message]) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  test('take a list as value', () => {
    expect(structured(['a', 'b'], ['two letters'])).toMatchObject({ structuredContent: ['a', 'b'] });
  });
});

describe("an extension's copy agrees with AgentTools", () => {
  let copy: typeof build;

  beforeAll(async () => {
    copy = await loadNative<typeof build>('engine/runtime/result-builders.ts');
    expect(copy.ToolError).not.toBe(build.ToolError);
  });

  test('on results', () => {
    expect(toToolResult(copy.structured([1], ['one']))).toEqual(toToolResult(build.structured([1], ['one'])));
    expect(toToolResult([copy.text('a'), build.text('b')]).content.map((block) => block.text)).toEqual([
      'a',
      'b',
    ]);
    expect(toToolResult(copy.results([build.text('a')])).content).toHaveLength(1);
  });

  test('on errors', () => {
    expect(isBranded(new copy.ToolError('x'), brands.toolError)).toBe(true);
    expect(isBranded(new copy.ProtocolError(1, 'x'), brands.protocolError)).toBe(true);
    expect(isBranded(new copy.ToolError('x'), brands.protocolError)).toBe(false);
  });

  test('on messages', () => {
    expect(toPromptResult([copy.user('a'), build.assistant('b')]).messages).toEqual([
      build.user('a'),
      build.assistant('b'),
    ]);
  });

  test('recognises brands without either copy', () => {
    const failure = Object.assign(new Error('x'), { [Symbol.for('agenttools/tool-error')]: true });
    expect(isBranded(failure, brands.toolError)).toBe(true);
    const result = {
      content: [{ type: 'text', text: 'x' }],
      more: 1,
      [Symbol.for('agenttools/result')]: true,
    };
    expect(toToolResult(result)).toEqual({ content: [{ type: 'text', text: 'x' }] });
  });

  test.each([null, undefined, 'x', 5, {}, { [Symbol.for('agenttools/result')]: 1 }])(
    '%j has no mark',
    (value) => {
      expect(isBranded(value, brands.result)).toBe(false);
    },
  );
});
