import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adaptResult } from '../../../src/engine/adaptation/adapt-result.js';
import { adaptationTarget } from '../../../src/engine/adaptation/adaptation-target.js';
import { splitText } from '../../../src/engine/adaptation/cut-text.js';
import { KeptResults } from '../../../src/engine/adaptation/kept-results.js';
import { readResultUri, resultUri } from '../../../src/engine/adaptation/read-result.js';
import { shrinkValue } from '../../../src/engine/adaptation/shrink-value.js';

const text = (value: string) => ({ type: 'text', text: value });

const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

async function adapt(clientName: string, result: object, tool: object = {}) {
  const target = adaptationTarget(clientName, { mode: 'auto', serverKey: 'k' });
  const call = { tool: { name: 'add', inputSchema: {}, ...tool }, result: result as never, owner: '' };
  return await adaptResult(call, { target, kept: new KeptResults() });
}

describe('a client that reads only text', () => {
  test('gets structured content as text', async () => {
    const result = { content: [{ type: 'image' }], structuredContent: { sum: 3 } };
    expect(await adapt('crush', result)).toEqual({
      content: [{ type: 'image' }, text('{"sum":3}')],
      structuredContent: { sum: 3 },
    });
  });

  test('keeps the text of the tool', async () => {
    const result = { content: [text('Three.')], structuredContent: { sum: 3 } };
    expect(await adapt('crush', result)).toEqual(result);
  });
});

describe('a client that refuses results without structured content', () => {
  test('gets it from the text if the output schema accepts it', async () => {
    const content = [text('{ "sum": 3 }')];
    expect(await adapt('opencode', { content }, { outputSchema })).toEqual({
      content,
      structuredContent: { sum: 3 },
    });
  });

  test.each([
    ['text with another value', { content: [text('{ "sum": "3" }')] }, { outputSchema }],
    ['text without JSON', { content: [text('three')] }, { outputSchema }],
    ['an array', { content: [text('[3]')] }, { outputSchema }],
    ['two texts', { content: [text('{ "sum": 3 }'), text('more')] }, { outputSchema }],
    ['a failure', { content: [text('{ "sum": 3 }')], isError: true }, { outputSchema }],
    ['no output schema', { content: [text('{ "sum": 3 }')] }, {}],
    [
      'an invalid schema',
      { content: [text('{ "sum": 3 }')] },
      { outputSchema: { type: 'object', required: 3 } },
    ],
  ])('gets %s unchanged', async (_, result, tool) => {
    expect(await adapt('opencode', result, tool)).toEqual(result);
  });
});

describe('kept results', () => {
  const keep = (kept: KeptResults, pages: readonly string[], owner = '') =>
    kept.keep({ owner, pages, mimeType: 'text/plain' });

  test('are read by their owner only', () => {
    const kept = new KeptResults();
    const id = keep(kept, ['a\n', 'b'], 'ada')!;
    expect(readResultUri(resultUri(id), 'ada', kept)).toEqual({
      contents: [{ uri: resultUri(id), mimeType: 'text/plain', text: 'a\nb' }],
    });
    expect(readResultUri(resultUri(id), 'bob', kept)).toBe(undefined);
    expect(readResultUri(`${resultUri(id)}/3`, 'ada', kept)).toBe(undefined);
  });

  test('make room for newer ones', () => {
    const kept = new KeptResults();
    const page = 'x'.repeat(5 * 1024 * 1024);
    const ids = [1, 2, 3, 4].map(() => keep(kept, [page])!);
    expect(ids.map((id) => kept.find(id, '') !== undefined)).toEqual([false, true, true, true]);
    expect(keep(kept, [page, page, page, page])).toBe(undefined);
    expect(kept.find(ids[3]!, '')).toBeDefined();
  });
});

test('parts of a text are the text together, and split no character', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', ' ', '. ', '\n', '😀', 'word') });
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 20 }), (value, max) => {
      const pieces = splitText(value, max);
      expect(pieces.join('')).toBe(value);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(max);
        // Throws for a half of a character.
        encodeURIComponent(piece);
      }
    }),
  );
});

test('a value is shortened mildly, and keeps the members of objects', async () => {
  const value = {
    a: 'x'.repeat(5000),
    list: Array.from({ length: 50 }, (_, index) => index),
    b: { c: true },
  };
  const shrunk = (await shrinkValue(value, 2000, async () => true)) as typeof value;
  expect(shrunk.a).toHaveLength(1002);
  expect(shrunk.list).toEqual(value.list);
  expect(shrunk.b).toEqual({ c: true });
  expect(await shrinkValue(value, 2000, async () => false)).toBe(undefined);
});
