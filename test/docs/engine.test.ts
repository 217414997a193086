import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import * as engine from '../../src/engine.js';
import { writeFolder } from '../support/packages.js';
import { typeErrors } from './support/example-packages.js';
import { blocks, pages } from './support/pages.js';

const programs = blocks.filter(({ words }) => words.program !== undefined);

describe('the page about the engine', () => {
  test.each(Object.keys(engine))('uses %s in an example', (name) => {
    expect(programs.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text))).toBe(true);
    expect(pages.engine).toContain(`\`${name}\``);
  });

  test('compiles', async () => {
    const root = writeFolder({
      'package.json': { type: 'module' },
      ...Object.fromEntries(programs.map(({ words, text }) => [`src/${words.program}`, text])),
    });
    mkdirSync(path.join(root, 'node_modules'));
    const types = path.resolve(import.meta.dirname, '../../node_modules/@types');
    symlinkSync(types, path.join(root, 'node_modules/@types'));
    expect(await typeErrors(root)).toBe('');
  }, 60_000);
});
