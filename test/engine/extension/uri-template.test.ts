import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readUriTemplate, UriTemplateError } from '../../../src/engine/extension/uri-template.js';

const match = (template: string, uri: string) => readUriTemplate(template).match(uri);

describe('returns the values of a matching URI', () => {
  test.each<[template: string, uri: string, values: object]>([
    // Level 1
    ['db://{table}', 'db://users', { table: 'users' }],
    ['db://{table}/row/{id}', 'db://users/row/7', { table: 'users', id: '7' }],
    ['db://{table}', 'db://a%20b%2Fc%C3%BC', { table: 'a b/cü' }],
    ['db://{table}', "db://What's new (2024)!", { table: "What's new (2024)!" }],
    ['db://{table}', 'db://Smith,%20John', { table: 'Smith, John' }],
    ['db://{table}', 'db://100%', { table: '100%' }],
    ['x://{a}-{b}', 'x://1-2-3', { a: '1-2', b: '3' }],
    ['x://{a}.json', 'x://a.json.json', { a: 'a.json' }],
    ['café://{x}', 'caf%c3%a9://y', { x: 'y' }],
    ['x://%7Euser/{x}', 'x://~user/y', { x: 'y' }],
    ['x://{__proto__}', 'x://y', { ['__proto__']: 'y' }],
    // Level 2
    ['file:///{+path}', 'file:///a/b%20c/d.txt', { path: 'a/b c/d.txt' }],
    ['file:///{+path}/info', 'file:///a/b/info', { path: 'a/b' }],
    ['x://a{#part}', 'x://a#b/c?d', { part: 'b/c?d' }],
    ['x://a{#part}', 'x://a', {}],
    // Level 3
    ['map://{x,y}', 'map://1,2', { x: '1', y: '2' }],
    ['map://{x,y}', 'map://1', { x: '1' }],
    ['map://{+x,y}/here', 'map://a/b,c/here', { x: 'a/b', y: 'c' }],
    ['x://a{#b,c}', 'x://a#1,2', { b: '1', c: '2' }],
    ['x://{name}{.ext}', 'x://a.tar.gz', { name: 'a', ext: 'tar.gz' }],
    ['x://{name}{.ext}', 'x://readme', { name: 'readme' }],
    ['x://a{/b,c}', 'x://a/1/2', { b: '1', c: '2' }],
    ['x://a{/b,c}', 'x://a/1', { b: '1' }],
    ['x://a{/b,c}', 'x://a', {}],
    ['x://a{;b,c}', 'x://a;b=1;c=2', { b: '1', c: '2' }],
    ['x://a{;b,c}', 'x://a;c', { c: '' }],
    ['find://{in}{?q,limit}', 'find://books?q=a%26b&limit=5', { in: 'books', q: 'a&b', limit: '5' }],
    ['find://{in}{?q,limit}', 'find://books?limit=5&q=', { in: 'books', q: '', limit: '5' }],
    ['find://{in}{?q,limit}', 'find://books', { in: 'books' }],
    ['find://a{?q}', 'find://a?', {}],
    ['find://a{?q}', 'find://a?q=b=c', { q: 'b=c' }],
    ['find://a?kind=b{&q}', 'find://a?kind=b&q=c', { q: 'c' }],
    ['find://a?kind=b{&q}', 'find://a?kind=b', {}],
    ['find://a{?q}{&r}', 'find://a?r=1&q=2', { q: '2', r: '1' }],
    ['find://a{?q}{#r}', 'find://a?q=1#2', { q: '1', r: '2' }],
    ['find:///{+path}{?q}', 'find:///a/b?q=1', { path: 'a/b', q: '1' }],
    // Level 4
    ['x://{a*}', 'x://1,2%2C3', { a: ['1', '2,3'] }],
    ['x://{a*}', 'x://1', { a: ['1'] }],
    ['x://a{/b*}', 'x://a/1/2/3', { b: ['1', '2', '3'] }],
    ['x://a{/b*}/end', 'x://a/1/2/end', { b: ['1', '2'] }],
    ['x://a{.b*}', 'x://a.1.2', { b: ['1', '2'] }],
    ['x://a{;b*}', 'x://a;b=1;b=2', { b: ['1', '2'] }],
    ['x://a{?b*,c}', 'x://a?b=1&c=3&b=2', { b: ['1', '2'], c: '3' }],
    ['x://{+a*}', 'x://1/2,3', { a: ['1/2', '3'] }],
    ['x://{a:3}', 'x://%C3%BCbc', { a: 'übc' }],
    ['x://{a:1}-{b}', 'x://1-2-3', { a: '1', b: '2-3' }],
    ['x://{a:1}/{a}', 'x://u/uber', { a: 'uber' }],
    ['x://{a}/{a}', 'x://1/1', { a: '1' }],
  ])('%s, %s', (template, uri, values) => expect(match(template, uri)).toEqual(values));
});

describe('rejects other URIs', () => {
  test.each([
    ['db://{table}', 'db://'],
    ['db://{table}', 'db://a/b'],
    ['db://{table}', 'db://a?b=c'],
    ['db://{table}', 'db://a#b'],
    ['db://{table}', 'DB://a'],
    ['db://{table}', 'xdb://a'],
    ['db://{table}/x', 'db://a/y'],
    ['x://a%2Fb/{c}', 'x://a/b/c'],
    ['find://a{?q}', 'find://a?r=1'],
    ['find://a{?q}', 'find://a?q=1&q=2'],
    ['find://a{?q:2}', 'find://a?q=123'],
    ['find://a{?q}', 'find://a&q=1'],
    ['x://{a:3}', 'x://1234'],
    ['x://{a:1}/{a}', 'x://u/other'],
    ['x://{a}/{a}', 'x://1/2'],
    ['x://{x,y}', 'x://1,2,3'],
    ['x://a{;b}', 'x://a;bc=1'],
  ])('%s, %s', (template, uri) => expect(match(template, uri)).toBeUndefined());

  test('rejects URIs above the length limit', () => {
    expect(match('x://{a}', `x://${'a'.repeat(1 << 24)}`)).toBeUndefined();
  });
});

test('the variables of a template have an order, and come once', () => {
  expect(readUriTemplate('x://{b,a*}{/c:3}{?b,%41.z}').variables).toEqual(['b', 'a', 'c', '%41.z']);
  expect(readUriTemplate('x://y').variables).toEqual([]);
});

describe('templates with ambiguous values', () => {
  test.each([
    ['x://{}', '{} is not a valid expression of RFC 6570'],
    ['x://{a b}', '{a b} is not a valid expression of RFC 6570'],
    ['x://{=a}', '{=a} is not a valid expression of RFC 6570'],
    ['x://{a:0}', '{a:0} is not a valid expression of RFC 6570'],
    ['x://{a:3*}', '{a:3*} is not a valid expression of RFC 6570'],
    ['x://{a', 'it has an unmatched brace at "x://{a"'],
    ['x://a}', 'it has an unmatched brace at "x://a}"'],
    ['x://{a}{b}', 'it is ambiguous where {a} ends and {b} begins; put a literal between them'],
    ['x://{a}{+b}', 'it is ambiguous where {a} ends and {+b} begins; put a literal between them'],
    ['x://{+a}{/b}', 'it is ambiguous where {+a} ends and {/b} begins; put a literal between them'],
    ['x://{?a}/b', 'something follows {?a}, and only a fragment comes after a query'],
    ['x://{?a}{b}', 'something follows {?a}, and only a fragment comes after a query'],
    ['x://{a:9999}/{b:9999}/{c:9999}', 'it is too long'],
  ])('%s', (template, reason) => {
    expect(() => readUriTemplate(template)).toThrow(new UriTemplateError(reason));
  });
});

test('returns every value that expands into a template', () => {
  const value = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(
      value,
      value,
      fc.array(value, { minLength: 1 }),
      fc.string({ unit: 'grapheme' }),
      (a, b, list, q) => {
        const [x, y, z, w] = [a, b, q].map(encodeURIComponent).concat(list.map(encodeURIComponent).join('/'));
        const uri = `t://${x}/in-${y}/${w}?q=${z}`;
        expect(match('t://{a}/in-{b}{/list*}{?q}', uri)).toEqual({ a, b, list, q });
      },
    ),
  );
});

test('matches any URI in bounded time for any template', () => {
  const template = readUriTemplate(
    `x://${Array.from({ length: 20 }, (_, index) => `{v${index}}`).join('-')}/!`,
  );
  expect(template.match(`x://${'-'.repeat(20_000)}`)).toBeUndefined();
});

test.each([
  ['x://a{?v*}', '?v=', '&v='],
  ['x://a{/v*}', '/', '/'],
])('nor does one with very many values take long: %s', (template, first, separator) => {
  const values = Array.from({ length: 200_000 }, () => 'b');
  const { v } = readUriTemplate(template).match(`x://a${first}${values.join(separator)}`)!;
  expect(v).toHaveLength(values.length);
});
