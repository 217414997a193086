import { expect, it } from 'vitest';
import { expand } from '../../../src/preview-page/items.js';

it.each([
  ['kit://{a}', { a: 'x y/z' }, 'kit://x%20y%2Fz'],
  ['kit://{+a}', { a: 'x/y' }, 'kit://x/y'],
  ['kit://r{?a,b}', { a: '1', b: 'ü' }, 'kit://r?a=1&b=%C3%BC'],
  ['kit://r?x=1{&b}', { b: '2' }, 'kit://r?x=1&b=2'],
  ['kit://r{/a,b}', { a: '1', b: '2' }, 'kit://r/1/2'],
  ['kit://r{?a}', {}, 'kit://r'],
  ['kit://{path*}', { path: 'p' }, 'kit://p'],
])('expands %s', (template, values, expected) => {
  expect(expand(template, values)).toBe(expected);
});
