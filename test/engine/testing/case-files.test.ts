import { describe, expect, test } from 'vitest';
import { listDefinitionFiles } from '../../../src/engine/extension/definition-files.js';
import { Extension } from '../../../src/engine/extension/extension.js';
import { readCases } from '../../../src/engine/testing/case-files.js';
import { writePackage } from '../../support/packages.js';

const greet = { tool: 'greet', expect: { text: 'Hi' } };

const read = async (files: Readonly<Record<string, unknown>>) =>
  await readCases(writePackage({ tools: [] }, files as never));

/** Faults as `file:line:column message`. */
const faultsOf = async (files: Readonly<Record<string, unknown>>) =>
  (await read(files)).faults.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);

describe('the case files of a package', () => {
  test('are found in all folders, without installed and nested packages', async () => {
    const { files } = await read({
      'agenttools/tools/greet.case.json': greet,
      'test/more.case.json': greet,
      'node_modules/x/a.case.json': greet,
      'packages/other/package.json': {},
      'packages/other/b.case.json': greet,
      'agenttools/tools/greet.case.snapshot.json': {},
    });
    expect(files).toEqual(['agenttools/tools/greet.case.json', 'test/more.case.json']);
  });

  test('are no definitions', async () => {
    const directory = writePackage({ tools: ['greet'] }, {
      'agenttools/tools/greet.json': { handler: './greet.js' },
      'agenttools/tools/greet.case.json': greet,
      'agenttools/tools/greet.case.js': 'export default {}',
      'agenttools/tools/greet.case.snapshot.json': {},
    } as never);
    const { root } = (await Extension.open(directory)).manifest;
    expect((await listDefinitionFiles(directory, root)).items('tools')).toEqual(['greet']);
  });

  test('have one case, named after the file', async () => {
    const { cases } = await read({ 'greet.case.json': greet });
    expect(cases).toEqual([
      { ...greet, name: 'greet', place: { file: 'greet.case.json', line: 1, column: 1 } },
    ]);
  });

  test('have several cases with defaults', async () => {
    const { cases, faults } = await read({
      'greet.case.json': `{
  "tool": "greet", "era": "modern",
  "cases": [
    { "name": "first", "arguments": { "name": "Ada" } },
    { "prompt": "ask" }
  ]
}`,
    });
    expect(faults).toEqual([]);
    expect(cases).toEqual([
      {
        tool: 'greet',
        era: 'modern',
        name: 'first',
        arguments: { name: 'Ada' },
        place: { file: 'greet.case.json', line: 4, column: 15 },
      },
      {
        prompt: 'ask',
        era: 'modern',
        name: 'greet 2',
        place: { file: 'greet.case.json', line: 5, column: 5 },
      },
    ]);
  });

  test('can be code with a check', async () => {
    const { cases, faults } = await read({
      'greet.case.js': 'export default { tool: "greet", expect: { check: (result) => result } };',
    });
    expect(faults).toEqual([]);
    expect(cases[0]?.expect?.check).toBeTypeOf('function');
  });
});

describe('a faulty case file', () => {
  test.each<[string, string, string]>([
    ['is no JSON', '{\n  "tool": oops }', 'a.case.json:2:11 Not valid JSON'],
    [
      'has an unknown key',
      '{\n  "tool": "greet",\n  "expects": {} }',
      'a.case.json:3:3 "expects" is not a known name',
    ],
    [
      'has a value of a wrong type',
      '{ "tool": "greet",\n "expect": { "text": 1 } }',
      'a.case.json:2:22 "text" must be string',
    ],
    [
      'has no item',
      '{ "expect": {} }',
      'a.case.json:1:1 A case needs one of tool, prompt, resource, list, complete.',
    ],
    ['has two items', '{ "tool": "a", "prompt": "b" }', 'this one has tool and prompt'],
    ['has no cases', '{ "tool": "a",\n "cases": [] }', 'a.case.json:2:11 The file has no cases.'],
    ['has a wrong pattern', '{ "tool": "a", "expect": { "pattern": "(" } }', 'a.case.json:1:39 "pattern"'],
    [
      'has two cases of one name',
      '{ "tool": "a", "cases": [{ "name": "x" },\n { "name": "x" }] }',
      'a.case.json:2:12 Two cases have the name "x".',
    ],
    [
      'has an answer with two actions',
      '{ "tool": "a", "elicit": [{ "decline": true, "cancel": true }] }',
      'An answer in "elicit" needs one of accept, decline and cancel.',
    ],
    [
      'completes nothing',
      '{ "complete": { "argument": "a" } }',
      '"complete" needs either "prompt" or "resource".',
    ],
    ['has options of a prompt', '{ "prompt": "a", "options": {} }', '"options" is for tools.'],
    [
      'expects two notifications as one',
      '{ "tool": "a", "expect": { "notifications": [{ "changed": "tools", "progress": {} }] } }',
      'needs one of progress, log and changed',
    ],
  ])('%s', async (_name, text, expected) => {
    const faults = await faultsOf({ 'a.case.json': text });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(expected);
  });

  test('leaves the cases of other files', async () => {
    const list = { tool: 'greet', cases: [{ name: 'bad', arguments: 1 }, { name: 'good' }] };
    const own = await read({ 'a.case.json': list });
    expect(own.cases.map(({ name }) => name)).toEqual(['good']);
    expect(own.faults).toHaveLength(1);
    const { cases, faults } = await read({ 'a.case.json': '{', 'b.case.json': greet });
    expect([cases.length, faults.length]).toEqual([1, 1]);
  });

  test('has the position in the code, if it is code', async () => {
    const faults = await faultsOf({ 'a.case.mjs': 'export default {\n  tool: 1,\n};' });
    expect(faults).toEqual(['a.case.mjs:2:3 "tool" must be string']);
  });

  test('reports an error of its code', async () => {
    expect(await faultsOf({ 'a.case.js': 'throw new Error("no database")' })).toEqual([
      'a.case.js:1:1 It could not be loaded: no database',
    ]);
  });
});
