import { describe, expect, it } from 'vitest';
import {
  fillSecretReferences,
  findSecretReferences,
  isSecretName,
} from '../../../src/engine/base/secret-reference.js';

describe('a text', () => {
  it.each([
    ['secret:API_KEY', ['API_KEY']],
    ['Bearer secret:a.b-c', ['a.b-c']],
    ['https://{secret:HOST}.example/mcp?key={secret:KEY}&again={secret:KEY}', ['HOST', 'KEY']],
    ['https://acme.example/%7Bsecret:KEY%7D/mcp', ['KEY']],
    ['{"token":"{secret:KEY}"}', ['KEY']],
  ])('%s refers to secrets', (text, names) => {
    expect(findSecretReferences(text)).toEqual(names);
  });

  it.each([
    'secret:',
    'secret:../x',
    'secret:A B',
    'secret:1',
    ' secret:A',
    'secret:A\n',
    'a secret:A b',
    'see secret:A, B',
    'x=secret:A',
    'SECRET:A',
    '{secret:}',
    '{secret:A',
    `secret:${'A'.repeat(129)}`,
  ])('%j refers to none', (text) => {
    expect(findSecretReferences(text)).toEqual([]);
    expect(fillSecretReferences(text, () => 'value')).toBe(text);
  });

  it('gets the values in place of the references, which are not searched again', () => {
    const reveal = (name: string) => `<${name} {secret:B} $& $1>`;
    expect(fillSecretReferences('Bearer secret:A', reveal)).toBe('Bearer <A {secret:B} $& $1>');
    expect(fillSecretReferences('x{secret:A}y{secret:B}', reveal)).toBe(
      'x<A {secret:B} $& $1>y<B {secret:B} $& $1>',
    );
  });
});

it.each([
  ['API_KEY', true],
  ['__proto__', true],
  ['a.b-c', true],
  ['', false],
  ['../x', false],
  ['a b', false],
  ['-a', false],
  ['A\n', false],
  ['ä', false],
])('%j as a name: %s', (text, expected) => {
  expect(isSecretName(text)).toBe(expected);
});
