import { describe, expect, it } from 'vitest';
import {
  visibleJson,
  visibleLine,
  visibleMessage,
  visibleText,
  visibleTexts,
} from '../../../src/engine/base/visible-text.js';

describe('a visible text', () => {
  it.each([
    ['Grüße, 東京 👩‍🌾', 'Grüße, 東京 👩‍🌾'],
    ['a\n\tb', 'a\n\tb'],
    ['a\r\nb\rc', 'a\nb\\u000dc'],
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['a\u202eb\u2066c\u2029', 'a\\u202eb\\u2066c\\u2029'],
    ['\u0000\u007f\u0080\u009b', '\\u0000\\u007f\\u0080\\u009b'],
    ['a\u200bb\u200e\u061c\u00adc\ufeff', 'a\\u200bb\\u200e\\u061c\\u00adc\\ufeff'],
    ['\u{e0045}\u{e0056} \u3164 \u{e0100}', '\\u{e0045}\\u{e0056} \\u3164 \\u{e0100}'],
    ['lone \ud83d and \udc69', 'lone \\ud83d and \\udc69'],
    ['a\u200db \u200c', 'a\\u200db \\u200c'],
    ['👩\u200d', '👩\\u200d'],
    ['a\ufe0f 1\ufe0f ❤\ufe0f\ufe0f', 'a\\ufe0f 1\\ufe0f ❤\ufe0f\\ufe0f'],
  ])('shows %j as %j', (text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it.each([
    '👩🏽\u200d🌾',
    '🏳\ufe0f\u200d🌈',
    '❤\ufe0f',
    '1\ufe0f\u20e3',
    '👨\u200d👩\u200d👧',
    'می\u200cخواهم',
    'क्\u200dष',
    '𝒳',
    'é',
  ])('keeps %s', (text) => {
    expect(visibleText(text)).toBe(text);
  });

  it('is made of every text in data, keys too', () => {
    expect(visibleTexts({ 'a\u001b': ['\u0007', 1, null, { b: undefined }] })).toEqual({
      'a\\u001b': ['\\u0007', 1, null, { b: undefined }],
    });
  });
});

it('a visible line breaks nowhere', () => {
  expect(visibleLine('1.0.0\r\n\n@acme/safe\t2\u2028x\u200b')).toBe(
    '1.0.0\\n\\n@acme/safe\\t2\\u2028x\\u200b',
  );
});

it('nor does a message, whose line breaks are spaces', () => {
  expect(visibleMessage('It failed:\n  here\r\nnote: all\u2029is well\n')).toBe(
    'It failed: here note: all\\u2029is well',
  );
});

it('parses to the same value after escaping', () => {
  const value = { 'a\u200b': '\u{e0045}\u009b👩\u200d🌾\ud800', b: 'x\ny' };
  const json = visibleJson(JSON.stringify(value, null, 2));
  expect(JSON.parse(json)).toEqual(value);
  expect(json).toBe(visibleText(json));
});
