import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/program.js';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const page = read('CONTRIBUTING.md');

/** The first group of each match of a pattern in the page. */
const named = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, name = '']) => name);

test('CONTRIBUTING.md names scripts that exist', () => {
  const scripts = named(/npm run ([\w:]+)/g);
  const { scripts: known } = JSON.parse(read('package.json'));
  expect(scripts.length).toBeGreaterThan(5);
  expect(scripts.filter((name) => !Object.hasOwn(known, name))).toEqual([]);
});

test('CONTRIBUTING.md names files that exist', () => {
  const files = named(/\b((?:test|src)\/[\w./-]*[\w/])/g);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test('CONTRIBUTING.md names steps of CI that exist', () => {
  const steps = named(/^\.ci\/run '?([^'\n]+)'?$/gm);
  expect(steps).toHaveLength(2);
  for (const step of steps) expect(read('.ci/steps.mjs')).toMatch(new RegExp(`^ +'?${step}'?:`, 'm'));
});

test('the scripts name every room of the engine, and only rooms that exist', () => {
  const rows = Object.keys(JSON.parse(read('.scripts/rooms.json')));
  const [, list = ''] = /usualModules = \[(.*?)\]/s.exec(read('.scripts/mutants.mjs'))!;
  const modules = [...list.matchAll(/'(.+?)'/g)].map(([, name]) => `engine/${name}`);
  expect(modules.length).toBeGreaterThan(10);
  expect([...rows, ...modules].filter((room) => !existsSync(path.join(root, 'src', room)))).toEqual([]);
  const folders = readdirSync(path.join(root, 'src/engine')).map((name) => `engine/${name}`);
  expect(folders.filter((folder) => !rows.includes(folder))).toEqual([]);
});
