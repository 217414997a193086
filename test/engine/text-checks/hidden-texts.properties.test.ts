import { array, assert, constantFrom, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { checkItemTexts } from '../../../src/engine/text-checks/item-texts.js';
import { hiddenTexts, honestTexts, textPlaces } from '../../support/hidden-texts.js';
import { runs } from '../../support/runs.js';

const faultsOf = (item: unknown) => [...checkItemTexts(item, { label: 'the tool "a"' })];

const honest = constantFrom(...Object.values(honestTexts));
const hidden = constantFrom(...Object.values(hiddenTexts));
const places = array(constantFrom(...Object.keys(textPlaces)), { minLength: 1, maxLength: 4 });

/** An item in an item in an item, with a text in the innermost one. */
const nest = (names: readonly string[], text: string): unknown =>
  names.reduceRight<unknown>(
    (inner, name, index) => (index === names.length - 1 ? inner : { [name]: [inner, { inner }] }),
    textPlaces[names.at(-1)!]!(text),
  );

test('a hidden text is found at each position of a text, at each depth', () => {
  const cases = record({ text: honest, payload: hidden, position: nat(), places });
  assert(
    property(cases, ({ text, payload, position, places: names }) => {
      const letters = [...text];
      const at = position % (letters.length + 1);
      const mixed = [...letters.slice(0, at), payload, ...letters.slice(at)].join('');
      expect(faultsOf(nest(names, mixed)).length).toBeGreaterThan(0);
    }),
    { numRuns: 5 * runs },
  );
});

test('honest texts stay honest together', () => {
  assert(
    property(array(honest, { minLength: 1, maxLength: 6 }), (texts) => {
      expect(faultsOf({ description: texts.join('\n') })).toEqual([]);
      expect(faultsOf({ description: texts.join(' ') })).toEqual([]);
    }),
    { numRuns: 2 * runs },
  );
});

test('faults are printable ASCII', () => {
  assert(
    property(array(hidden, { maxLength: 3 }), (payloads) => {
      const text = payloads.join('x');
      for (const { message, excerpt } of faultsOf({ [text]: text }))
        expect(`${message} ${excerpt}`).toMatch(/^[\x20-\x7e…]*$/);
    }),
  );
});
