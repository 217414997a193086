import { expect, test } from 'vitest';
import { parseUrl } from '../../../src/engine/base/parse-url.js';

test('a URL is parsed with its base, and other texts are undefined', () => {
  expect(parseUrl('/a?b#c', 'https://x.example')?.href).toBe('https://x.example/a?b#c');
  expect(parseUrl('/a?b#c')).toBeUndefined();
  expect(parseUrl('https://')).toBeUndefined();
});

test('a name with other letters than ASCII is parsed however often', () => {
  for (let run = 0; run < 20_000; run++) parseUrl('https://plain.example');
  const refused = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example')).filter(
    (url) => url?.host !== 'xn--bcher-kva.example',
  );
  expect(refused).toEqual([]);
});
