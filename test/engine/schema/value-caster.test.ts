import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../../src/engine/schema/index.js';
import { type CastsByPointer, withCasts } from '../../../src/engine/schema/value-caster.js';

const date = { type: 'string', format: 'date-time' };
const when = '2001-02-03T04:05:06.000Z';

async function delivered(
  properties: object,
  casts: CastsByPointer,
  value: object,
  more: object = {},
): Promise<unknown> {
  const schema = await compileSchema(
    { type: 'object', properties, ...more },
    { side: 'input', rawOnly: true },
  );
  const checked = await withCasts(schema, casts).check(value);
  return checked.ok ? checked.value : checked.issues;
}

describe('delivers a value in the type of its schema', () => {
  test.each([
    ['Date', date, when, new Date(when)],
    ['URL', { type: 'string', format: 'uri' }, 'https://a.example/b', new URL('https://a.example/b')],
    ['Uint8Array', { type: 'string' }, 'aGk=', new Uint8Array([104, 105])],
    ['Buffer', { type: 'string' }, 'aGk=', Buffer.from('hi')],
    ['Set', { type: 'array' }, ['a', 'b'], new Set(['a', 'b'])],
  ] as const)('%s', async (cast, schema, sent, expected) => {
    const value = await delivered({ x: schema }, { '/properties/x': cast }, { x: sent, y: sent });
    expect(value).toEqual({ x: expected, y: sent });
    expect((value as { x: unknown }).x?.constructor).toBe(expected.constructor);
  });

  test('at any depth', async () => {
    const schema = {
      list: { type: 'array', items: date },
      pair: { type: 'array', prefixItems: [date, {}], items: date },
      map: { type: 'object', properties: { 'a/b': date }, additionalProperties: date },
    };
    const casts: CastsByPointer = {
      '/properties/list/items': 'Date',
      '/properties/list': 'Set',
      '/properties/pair/prefixItems/0': 'Date',
      '/properties/pair/items': 'Date',
      '/properties/map/properties/a~1b': 'Date',
      '/properties/map/additionalProperties': 'Date',
    };
    const sent = { list: [when], pair: [when, when, when], map: { 'a/b': when, c: when } };
    const at = new Date(when);
    expect(await delivered(schema, casts, sent)).toEqual({
      list: new Set([at]),
      pair: [at, when, at],
      map: { 'a/b': at, c: at },
    });
  });

  test('by the member that it fits', async () => {
    const of = (kind: string, properties: object) => ({
      type: 'object',
      properties: { kind: { const: kind }, ...properties },
      required: ['kind'],
    });
    const schema = {
      x: { anyOf: [of('a', { at: { type: 'string' } }), of('b', { at: date }), { type: 'null' }] },
    };
    const casts: CastsByPointer = { '/properties/x/anyOf/1/properties/at': 'Date' };
    const cast = (x: unknown) => delivered(schema, casts, { x });
    expect(await cast({ kind: 'a', at: when })).toEqual({ x: { kind: 'a', at: when } });
    expect(await cast({ kind: 'b', at: when })).toEqual({ x: { kind: 'b', at: new Date(when) } });
    expect(await cast(null)).toEqual({ x: null });
  });

  test('in types that hold themselves', async () => {
    const node = { type: 'object', properties: { at: date, next: { $ref: '#/$defs/Node' } } };
    const sent = { x: { at: when, next: { at: when, next: {} } } };
    const value = await delivered(
      { x: { $ref: '#/$defs/Node' } },
      { '/$defs/Node/properties/at': 'Date' },
      sent,
      {
        $defs: { Node: node },
      },
    );
    const at = new Date(when);
    expect(value).toEqual({ x: { at, next: { at, next: {} } } });
  });
});

test('does not cast values that match no schema', async () => {
  const issues = await delivered({ x: date }, { '/properties/x': 'Date' }, { x: 'soon' });
  expect(issues).toEqual([
    { path: '/x', message: expect.stringContaining('"x" must match format "date-time"') },
  ]);
});

test('rejects a valid date string that Date cannot represent', async () => {
  const second = '1990-12-31T23:59:60Z';
  const issues = await delivered({ x: date }, { '/properties/x': 'Date' }, { x: second });
  expect(issues).toEqual([{ path: '/x', message: '"x" must be what a Date can be made of' }]);
});

test('names of every object stay where they are', async () => {
  const sent = JSON.parse(`{"__proto__":{"at":"${when}"},"at":"${when}"}`) as object;
  const value = (await delivered({ at: date }, { '/properties/at': 'Date' }, sent)) as object;
  expect(Object.keys(value)).toEqual(['__proto__', 'at']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});
