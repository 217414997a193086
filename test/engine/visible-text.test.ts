import { describe, expect, it } from 'vitest';
import { visibleText, visibleTexts } from '../../src/engine/visible-text.js';

describe('a visible text', () => {
  it.each([
    ['Grüße, 東京 👩‍🌾', 'Grüße, 東京 👩‍🌾'],
    ['a\n\tb', 'a\n\tb'],
    ['a\r\nb\rc', 'a\nb\\u000dc'],
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['a\u202eb\u2066c\u2029', 'a\\u202eb\\u2066c\\u2029'],
    ['\u0000\u007f\u0080\u009b', '\\u0000\\u007f\\u0080\\u009b'],
  ])('of %j is %j', (text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it('is made of every text in data, keys too', () => {
    expect(visibleTexts({ 'a\u001b': ['\u0007', 1, null, { b: undefined }] })).toEqual({
      'a\\u001b': ['\\u0007', 1, null, { b: undefined }],
    });
  });
});
