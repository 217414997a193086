import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPage } from '../../../src/engine/validate/page/analyze-page.js';
import { runs } from '../../support/runs.js';

test('reads any page and finds only references that are in it', () => {
  const pieces = [
    ...[
      '<',
      '>',
      '/',
      '="',
      "'",
      '`',
      '${',
      '}',
      '(',
      ')',
      ' ',
      '\r\n',
      '&amp;',
      '\0',
      '\ud800',
      '<!--',
      '-->',
    ],
    ...[
      '<script>',
      '</script>',
      '<style>',
      '</style>',
      '<svg>',
      '<template>',
      '<img src=',
      'srcset=',
      'style=',
    ],
    ...[
      'onload=',
      '<base href=',
      'fetch',
      'import',
      'const a =',
      'url(',
      '@import ',
      'https://a.example/',
      'a',
    ],
  ];
  const html = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((all) => all.join(''));
  fc.assert(
    fc.property(html, (text) => {
      const { reaches, evaluations, faults } = readPage(text);
      for (const { offset } of [...reaches, ...evaluations, ...faults]) {
        expect(offset >= 0 && offset <= text.length).toBe(true);
      }
    }),
    { numRuns: 5 * runs },
  );
});
