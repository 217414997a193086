import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const repository = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(repository, 'docs/security.md'), 'utf8');
const [stopped = '', open = ''] = text.split('## Not stopped');

test('each threat of the page of security has a protection, and tests that exist', () => {
  const rows = stopped.split('\n').filter((line) => /^\| (?!threat|---)/.test(line));
  expect(rows.length).toBeGreaterThan(15);
  const tests = rows.map((row) => [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!));
  expect(rows.filter((_, index) => tests[index]!.length === 0)).toEqual([]);
  expect(tests.flat().filter((file) => !existsSync(path.join(repository, file)))).toEqual([]);
});

test('the page of security names the threats that remain', () => {
  expect(open.match(/^- \*\*/gm)!.length).toBeGreaterThan(4);
});
