import { expect, test } from 'vitest';
import { readMeaning, readPattern } from '../../../src/engine/discovery/server-pattern.js';

const servers = {
  '@acme/weather/main': '@acme/weather',
  '@acme/weather/radar': '@acme/weather',
  'kit/kit': 'kit',
  'kit.js/main': 'kit.js',
  mine: undefined,
};

test.each([
  ['*', Object.keys(servers)],
  ['@acme/*', ['@acme/weather/main', '@acme/weather/radar']],
  ['@acme/weather', ['@acme/weather/main', '@acme/weather/radar']],
  ['acme/weather', ['@acme/weather/main', '@acme/weather/radar']],
  ['acme/weather/radar', ['@acme/weather/radar']],
  ['*/main', ['@acme/weather/main', 'kit.js/main']],
  ['*RADAR*', ['@acme/weather/radar']],
  ['Kit.JS', ['kit.js/main']],
  ['*radar*', ['@acme/weather/radar']],
  ['kit', ['kit/kit']],
  ['kit.js', ['kit.js/main']],
  ['kit?js', []],
  ['k**t*', ['kit/kit', 'kit.js/main']],
  ['mine', ['mine']],
  ['min', []],
  ['', []],
])('%s', (pattern, expected) => {
  const matches = readPattern(pattern);
  const found = Object.entries(servers).filter(([name, packageName]) =>
    matches({ name, package: packageName }),
  );
  expect(found.map(([name]) => name)).toEqual(expected);
});

test.each([
  [undefined, true],
  ['*', true],
  ['@acme/weather', true],
  ['acme/weather', true],
  ['@acme/*', true],
  ['@acme/weather/radar', true],
  ['acme/weather/ra*', true],
  ['@ac*dar', true],
  ['*radar*', true],
  ['@acme/weather-2/radar', false],
  ['@acme/other*', false],
  ['@acme/weath', false],
  ['weather*', false],
  ['other', false],
])('%s may ask for a server of @acme/weather: %s', (pattern, expected) => {
  expect(readMeaning(pattern)('@acme/weather')).toBe(expected);
});
