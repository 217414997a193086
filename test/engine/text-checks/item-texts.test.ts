import { expect, test } from 'vitest';
import { checkItemTexts } from '../../../src/engine/text-checks/item-texts.js';

const label = 'the tool "add"';

test('all strings and keys of an item are checked', () => {
  const item = {
    description: 'Adds.',
    inputSchema: {
      properties: { 'a\u200Bb': { type: 'string', enum: ['x', 'y\u202Ez'], default: 'p\u0430y' } },
    },
    _meta: { list: [['z\u2060']] },
  };
  expect([...checkItemTexts(item, { label })]).toEqual([
    {
      code: 'text/invisible-characters',
      message:
        'The key "inputSchema.properties.a\\u{200B}b" of the tool "add" has invisible characters (U+200B).',
      severity: 'error',
      path: ['inputSchema', 'properties', 'a\u200Bb'],
      isKey: true,
      text: 'a\u200Bb',
      excerpt: '"a\\u{200B}b"',
    },
    {
      code: 'text/bidi-controls',
      message:
        '"inputSchema.properties.a\\u{200B}b.enum.1" of the tool "add" has controls that change the order of the text on a screen (U+202E).',
      severity: 'error',
      path: ['inputSchema', 'properties', 'a\u200Bb', 'enum', 1],
      isKey: false,
      text: 'y\u202Ez',
      excerpt: '"y\\u{202E}z"',
    },
    expect.objectContaining({ code: 'text/mixed-scripts', isKey: false }),
    expect.objectContaining({ code: 'text/invisible-characters', path: ['_meta', 'list', 0, 0] }),
  ]);
});

test('letters of two scripts are an error in names only', () => {
  const name = 'p\u0430y';
  const severities = (item: unknown) => [...checkItemTexts(item, { label })].map((one) => one.severity);
  expect(severities({ name })).toEqual(['error']);
  expect(severities({ arguments: [{ name }] })).toEqual(['error']);
  expect(severities({ inputSchema: { properties: { [name]: {} } } })).toEqual(['error']);
  expect(severities({ title: name, annotations: { [name]: { name } } })).toEqual([
    'warning',
    'warning',
    'warning',
  ]);
});
