import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DocumentError, parseDocument, readDocument } from '../../../../src/engine/base/files/document.js';
import { positionAt, positionsIn } from '../../../../src/engine/base/files/json-text.js';
import { writeFolder } from '../../../support/packages.js';

const failure = async (text: string, file: string) =>
  await parseDocument(text, file).then(
    () => undefined,
    (error: DocumentError) => error,
  );

describe('.json is strict, .jsonc is not', () => {
  test.each([
    ['plain', '{"a":1}', true],
    ['BOM', '\uFEFF{"a":1}', true],
    ['comments', '{/* one */"a":1} // two', false],
    ['a trailing comma', '{"a":1,}', false],
    ['both', '// first\n{"a":1, // second\n}', false],
  ])('%s', async (_, text, isJson) => {
    expect(await parseDocument(text, 'a.jsonc')).toEqual({ a: 1 });
    if (isJson) expect(await parseDocument(text, 'a.json')).toEqual({ a: 1 });
    else expect(await failure(text, 'a.json')).toBeInstanceOf(DocumentError);
  });

  test.each([
    ['a comment', '{\n  // no\n}', 4, 'use .jsonc'],
    ['a trailing comma', '{"a":1,}', 7, 'property name'],
    ['single quotes', "{'a':1}", 1, 'double quotes'],
    ['a missing comma', '{"a":1 "b":2}', 7, 'comma'],
    ['the end', '{"a":', 5, 'value is expected'],
    ['nothing', ' \n', 0, 'empty'],
    ['a BOM before it', '\uFEFF{"a" 1}', 6, 'colon'],
  ])('reports %s with its position', async (_, text, offset, words) => {
    const error = await failure(text, 'a.json');
    expect(error?.message).toContain(words);
    expect(error?.offset).toBe(offset);
  });

  test.each(['a.json', 'a.jsonc'])('hostile keys are ordinary keys in %s', async (file) => {
    const value = (await parseDocument('{"__proto__":{"x":1},"constructor":2}', file)) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect('x' in value).toBe(false);
  });

  test('every kind of value comes through', async () => {
    const text = '{"a":[1,-2.5e3,true,false,null,"\\u00e9\\n",{}],"a2":{"b":[]}}';
    expect(await parseDocument(text, 'a.jsonc')).toEqual(JSON.parse(text));
    expect(await parseDocument('{"a":1,"a":2}', 'a.jsonc')).toEqual({ a: 2 });
  });
});

describe('excessive documents', () => {
  test.each([
    ['arrays', '['.repeat(501)],
    ['objects', '{"a":'.repeat(501)],
    ['after a quote in a line comment', `// it's "so\n${'['.repeat(100_000)}`],
    ['after a quote in a block comment', `/* " */${'['.repeat(100_000)}`],
    ['after what looks like a closed comment', `/*/ " */${'['.repeat(100_000)}`],
    ['after an escaped quote', `["\\"",${'['.repeat(100_000)}`],
    ['after a string that does not end', `["a\n${'['.repeat(100_000)}`],
  ])('deep nesting: %s', async (_, text) => {
    expect((await failure(text, 'a.json'))?.message).toContain('nested deeper than 500');
    expect((await failure(text, 'a.jsonc'))?.message).toContain('nested deeper than 500');
  });

  test('500 levels are read, and brackets in strings and comments do not count', async () => {
    const deep = '['.repeat(500) + ']'.repeat(500);
    expect(await failure(deep, 'a.json')).toBeUndefined();
    expect(await failure(JSON.stringify('\\"['.repeat(1000)), 'a.json')).toBeUndefined();
    expect(await failure(`// ${'['.repeat(1000)}\n/* ${'{'.repeat(1000)} */ {}`, 'a.jsonc')).toBeUndefined();
  });

  test('more than 5 MB', async () => {
    const folder = writeFolder({ 'big.json': JSON.stringify('x'.repeat(5 * 1024 * 1024)) });
    await expect(readDocument(path.join(folder, 'big.json'), 'big.json')).rejects.toThrow('larger than 5 MB');
  });

  test.each(['absent.json', 'folder.json'])('%s', async (name) => {
    const folder = writeFolder({ 'folder.json/x': '' });
    await expect(readDocument(path.join(folder, name), name)).rejects.toThrow(`${name} is not a file.`);
  });
});

describe('places', () => {
  const text = '{\r\n  "tools": [\r\n    "one",\r\n    { "name": "two" }\r\n  ]\r\n}';

  test.each([
    [[], { line: 1, column: 1 }],
    [['tools'], { line: 2, column: 12 }],
    [['tools', 0], { line: 3, column: 5 }],
    [['tools', 1, 'name'], { line: 4, column: 15 }],
    [['tools', 1, 'name', 'deeper'], { line: 4, column: 15 }],
    [['tools', 7], { line: 2, column: 12 }],
    [['absent', 1], { line: 1, column: 1 }],
  ])('%j', (at, position) => {
    expect(positionsIn(text)(at)).toEqual(position);
  });

  test('a key can be pointed at instead of its value', () => {
    expect(positionsIn(text)(['tools'], { key: true })).toEqual({ line: 2, column: 3 });
  });

  test('text with comments has places too', () => {
    expect(positionsIn('// one\n{ "a": 1, }')(['a'])).toEqual({ line: 2, column: 8 });
  });

  test.each([
    [0, 1, 1],
    [2, 1, 3],
    [3, 2, 1],
    [4, 3, 1],
    [5, 3, 2],
  ])('offset %i is line %i, column %i', (offset, line, column) => {
    expect(positionAt('ab\n\nxy', offset)).toEqual({ line, column });
  });
});
