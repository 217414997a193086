import { expect, test } from 'vitest';
import { findMatches } from '../../.scripts/voice.mjs';

const matches = (file: string, source: string) =>
  findMatches(file, source).map(({ kind, name, place }) => [kind, name, place]);

test('finds clauses in comments and messages, with their positions', () => {
  const source = `/** What a tool returns. */\nexport const text = 'It is not there.';\n// Nobody\n// reads it.\n`;
  expect(matches('src/a.ts', source)).toEqual([
    ['comments', 'opens with a clause', 'src/a.ts:1:5'],
    ['comments', 'clause for a noun', 'src/a.ts:1:5'],
    ['comments', 'nobody', 'src/a.ts:3:4'],
    ['strings', 'is not there', 'src/a.ts:2:25'],
  ]);
});

test('leaves code, import paths and single words alone', () => {
  const source = `import { told } from './what/who.js';\nconst whose = told('nobody');\n`;
  expect(matches('src/a.ts', source)).toEqual([]);
});

test('finds clauses in titles of tests', () => {
  const source = `test('what fails is reported', () => {});\nit.each([1])('reports %s', () => {});\n`;
  expect(matches('test/a.test.ts', source)).toEqual([
    ['titles', 'title opens with a clause', 'test/a.test.ts:1:7'],
  ]);
});

test('finds clauses in docs, outside code', () => {
  const source = '# Title\n\nWhat is it? `what`\n\n- Where it stands: here.\n\n```js\n// what\n```\n';
  const found = matches('docs/a.md', source);
  expect(found.map(([, , place]) => place)).toEqual(['docs/a.md:5:3', 'docs/a.md:5:12']);
});
