import { describe, expect, test } from 'vitest';
import {
  isItemName,
  isPackageName,
  isPublishedName,
  isWireName,
  parseQualifiedName,
  qualify,
  shortName,
} from '../../../src/engine/extension/names.js';

describe('a qualified name is a package and an item', () => {
  test.each([
    ['@acme/weather/forecast', '@acme/weather', 'forecast'],
    ['acme/weather/forecast', '@acme/weather', 'forecast'],
    ['weather/forecast', 'weather', 'forecast'],
    ['weather.js/a.b-c_D', 'weather.js', 'a.b-c_D'],
    ['Legacy/item', 'Legacy', 'item'],
  ])('%s', (text, packageName, item) => {
    expect(parseQualifiedName(text)).toEqual({ package: packageName, item });
  });

  test.each([
    '',
    '/',
    'forecast',
    '@acme',
    '@acme/weather',
    'a//b',
    '/a/b',
    'a/b/',
    '@/weather/forecast',
    'a/b/c/d',
    '@a/b/c/d',
    '../x',
    './x',
    'a/..',
    '../../x',
    '@../../x',
    '@a/../x',
    'a/b c',
    'a/@b',
    'a\\b/c',
    '.hidden/x',
    'https:/x',
  ])('%j is not one', (text) => {
    expect(parseQualifiedName(text)).toBeUndefined();
  });

  test('the form with @ is the one that is printed', () => {
    const { package: packageName, item } = parseQualifiedName('acme/weather/forecast')!;
    expect(qualify(packageName, item)).toBe('@acme/weather/forecast');
  });
});

test.each([
  ['@acme/weather', 'weather'],
  ['weather', 'weather'],
])('the short name of %s is %s', (name, short) => {
  expect(shortName(name)).toBe(short);
});

describe('item and wire names', () => {
  test.each(['a', 'A.b-c_9', '__proto__', 'constructor', '...', 'x'.repeat(128)])('%s is legal', (name) => {
    expect(isItemName(name)).toBe(true);
    expect(isWireName(name)).toBe(true);
  });

  test.each(['', 'a/b', 'a b', 'ä', '../x', 'x'.repeat(129), 5, null, undefined, ['a']])(
    '%j is not',
    (name) => {
      expect(isItemName(name)).toBe(false);
      expect(isWireName(name)).toBe(false);
    },
  );

  test.each(['.', '..'])('%s is no item name, since it would be no file name', (name) => {
    expect(isItemName(name)).toBe(false);
  });
});

describe('a registry', () => {
  test.each(['@acme/weather', '@acme/_weather', 'Legacy', 'a'.repeat(214)])('may have %s', (name) => {
    expect(isPublishedName(name)).toBe(true);
  });

  test.each([
    '--userconfig=evil',
    '-',
    '_weather',
    '.weather',
    '../weather',
    'https://weather',
    'a@b',
    '',
    'a'.repeat(215),
    undefined,
  ])('has no %s', (name) => {
    expect(isPublishedName(name)).toBe(false);
  });
});

describe('a package', () => {
  test.each(['weather', '@acme/weather', 'Legacy~1', 'wëtter', '天气'])('may be called %s', (name) => {
    expect(isPackageName(name)).toBe(true);
  });

  test.each([
    'a\nb',
    'zw\u200bsp',
    'a\u202e',
    '\u061calm',
    'soft\u00adhyphen',
    '@a\u{e0041}/b',
    'a\u001b[31m',
    'x\u3164',
    'x\ud800',
  ])('is never called %j, which is not what it looks like', (name) => {
    expect(isPackageName(name)).toBe(false);
  });
});
