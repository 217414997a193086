import { describe, expect, test } from 'vitest';
import { contentSecurityPolicy } from '../../../src/engine/preview/csp.js';

const strict = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "font-src 'none'",
  "connect-src 'none'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'self'",
];

const directivesOf = (csp?: object) => contentSecurityPolicy(csp).policy.split('; ');

/** What differs from the default. */
const opened = (csp: object) => directivesOf(csp).filter((directive) => !strict.includes(directive));

test('is the strict default of the specification where nothing is declared', () => {
  expect(directivesOf()).toEqual(strict);
  expect(directivesOf({ connectDomains: [], resourceDomains: [], frameDomains: [] })).toEqual(strict);
});

describe('is opened for what is declared alone', () => {
  const a = 'https://a.example';
  test.each([
    ['connectDomains', [`connect-src ${a}`]],
    ['frameDomains', [`frame-src ${a}`]],
    ['baseUriDomains', [`base-uri ${a}`]],
    [
      'resourceDomains',
      [
        `script-src 'self' 'unsafe-inline' ${a}`,
        `style-src 'self' 'unsafe-inline' ${a}`,
        `img-src 'self' data: ${a}`,
        `media-src 'self' data: ${a}`,
        `font-src ${a}`,
      ],
    ],
  ])('%s', (key, expected) => expect(opened({ [key]: [a] })).toEqual(expected));

  test('several, with wildcards and ports', () => {
    const connectDomains = ['https://*.a.example', 'wss://b.example:8443'];
    expect(opened({ connectDomains })).toEqual(['connect-src https://*.a.example wss://b.example:8443']);
  });
});

describe('omits invalid origins and reports them', () => {
  test.each([
    '*',
    'https:',
    "'unsafe-eval'",
    'https://a.example; script-src *',
    'https://a.example https://b.example',
    'https://a.example\nx-header: y',
    7,
    null,
  ])('%j', (domain) => {
    const { policy, refused } = contentSecurityPolicy({ resourceDomains: [domain as string] });
    expect(policy.split('; ')).toEqual(strict);
    expect(refused).toEqual([
      { key: 'resourceDomains', domain: String(domain), reason: expect.stringMatching(/\.$/) },
    ]);
  });

  test('a string in place of a list', () => {
    expect(directivesOf({ connectDomains: 'https://a.example' })).toEqual(strict);
  });
});
