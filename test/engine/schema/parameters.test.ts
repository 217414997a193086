import { expect, it, test } from 'vitest';
import { compileSchema, SchemaError, translateParameters } from '../../../src/engine/schema/index.js';

/** What each spec of a parameter becomes. */
const translated: [spec: unknown, field: object][] = [
  ['String', { type: 'string', required: true }],
  ['integer', { type: 'integer', required: true }],
  ['NUMBER', { type: 'number', required: true }],
  ['Boolean', { type: 'boolean', required: true }],
  [
    { Interpreter: 'String', Help: 'A city', Required: false },
    { type: 'string', required: false, description: 'A city' },
  ],
  [
    { interpreter: 'String', help: 'A city', required: false },
    { type: 'string', required: false, description: 'A city' },
  ],
  [{ Help: 'Text' }, { type: 'string', required: true, description: 'Text' }],
  [['Restricted', 'String', '^[a-z]+$'], { type: 'string', required: true, pattern: '^[a-z]+$' }],
  [['Restricted', 'String', '.*'], { type: 'string', required: true }],
  [
    ['Restricted', 'String', '(?ms)\\A[[:alpha:]\\-]+.\\x{1F600}\\z'],
    { type: 'string', required: true, pattern: '^[A-Za-z\\-]+[\\s\\S]\\ud83d\\ude00$' },
  ],
  [
    ['Restricted', 'String', ['a', 'b']],
    { type: 'enum', required: true, values: ['a', 'b'], wire: 'native' },
  ],
  [['restricted', 'Integer', [1, 10]], { type: 'integer', required: true, min: 1, max: 10 }],
  [
    { Interpreter: ['Restricted', 'Number', [0, null]], Required: false },
    { type: 'number', required: false, min: 0 },
  ],
  [['Restricted', 'Integer', [1, 2, 3]], { type: 'enum', required: true, values: [1, 2, 3], wire: 'native' }],
];

test.each(translated)('%j is translated', (spec, field) => {
  expect(translateParameters({ p: spec })).toEqual([['p', field]]);
  expect(translateParameters([['p', spec]])).toEqual([['p', field]]);
});

test.each(translated)('%j compiles', async (spec) => {
  const { wire } = await compileSchema(translateParameters({ p: spec }), { side: 'input' });
  expect(wire).toHaveProperty('properties.p');
});

/** Each wrong spec, what is said about it and where. */
const wrong: [spec: unknown, message: RegExp, path: (string | number)[]][] = [
  ['Date', /"Date" is not a known interpreter. Known: String,/, []],
  [5, /5 is not a known interpreter/, []],
  [{ Interpreter: 'Date' }, /not a known interpreter/, ['Interpreter']],
  [{ type: 'string' }, /"type" is not known here/, ['type']],
  [{ Help: 5 }, /"Help" must be a string/, ['Help']],
  [{ help: 5 }, /"help" must be a string/, ['help']],
  [{ Help: 'a', help: 'b' }, /"help" is not known here/, ['help']],
  [{ Required: 'yes' }, /"Required" must be true or false/, ['Required']],
  [['Restricted', 'String'], /must be \["Restricted"/, []],
  [[{ toString: 'a' }], /must be \["Restricted"/, []],
  [{ Interpreter: { toString: 'a' } }, /not a known interpreter/, ['Interpreter']],
  [['Restricted', 'Date', []], /not a known interpreter/, [1]],
  [['Restricted', 'String', 5], /must be a pattern, or a list of strings/, [2]],
  [['Restricted', 'Integer', 'a'], /must be \[min, max\]/, [2]],
  [['Restricted', 'Boolean', [true]], /left out/, [2]],
  [['Restricted', 'String', '('], /cannot be written/, [2]],
  [['Restricted', 'String', '(?i)a'], /cannot be written/, [2]],
];

test.each(wrong)('%j is refused', (spec, message, path) => {
  const attempt = () =>
    translateParameters([
      ['a', 'String'],
      ['p', spec],
    ]);
  expect(attempt).toThrow(SchemaError);
  expect(attempt).toThrow(
    expect.objectContaining({ message: expect.stringMatching(message), path: [1, 1, ...path] }),
  );
});

it.each([
  ['a text', 'city', []],
  ['a list of names', ['city'], [0]],
])('refuses %s', (_, value, path) => {
  expect(() => translateParameters(value)).toThrow(expect.objectContaining({ path }));
});

it('keeps the order of the parameters', () => {
  expect(
    translateParameters([
      ['10', 'String'],
      ['2', 'String'],
    ]),
  ).toMatchObject([
    ['10', {}],
    ['2', {}],
  ]);
});
