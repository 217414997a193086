import { describe, expect, test } from 'vitest';
import { checkItemTexts } from '../../../src/engine/text-checks/item-texts.js';
import { hiddenTexts, honestTexts, textPlaces } from '../../support/hidden-texts.js';

const codesOf = (item: unknown) =>
  [...checkItemTexts(item, { label: 'the tool "a"' })].map(({ code }) => code);

/** Places of names: marks and soft hyphens make two names look the same. */
const namePlaces = ['name', 'a property name', 'an argument of a prompt'];

test.for(Object.entries(honestTexts))('honest: %s', ([, text]) => {
  const hasMarks = /[\u00AD\u061C\u180E\u200E\u200F]/.test(text);
  for (const [place, inPlace] of Object.entries(textPlaces))
    expect([place, ...codesOf(inPlace(text))]).toEqual(
      hasMarks && namePlaces.includes(place) ? [place, 'text/weak-marks'] : [place],
    );
});

describe('a hidden text is found in every place', () => {
  test.for(Object.entries(hiddenTexts))('%s', ([, payload]) => {
    for (const [place, inPlace] of Object.entries(textPlaces))
      expect([place, codesOf(inPlace(`Adds.${payload}`)).length > 0]).toEqual([place, true]);
  });
});

test('hidden texts are found in texts of all scripts', () => {
  // Marks of direction are usual in texts from right to left, also many.
  for (const [script, text] of Object.entries(honestTexts))
    for (const [kind, payload] of Object.entries(hiddenTexts))
      expect([script, kind, codesOf({ description: `${text}${payload}` }).length > 0]).toEqual([
        script,
        kind,
        true,
      ]);
});

test('messages and excerpts are printable ASCII', () => {
  for (const text of Object.values(honestTexts))
    for (const payload of Object.values(hiddenTexts))
      for (const { message, excerpt } of checkItemTexts({ [payload]: `${text}${payload}` }, { label: 'x' }))
        expect(`${message} ${excerpt}`).toMatch(/^[\x20-\x7e…]*$/);
});
