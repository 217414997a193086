import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesWithKeys, shapesIn, updateKeys } from '../../.scripts/keys.mjs';
import { keyTables } from '../../src/engine/extension/definition-shapes.js';
import { type DefinitionShape, type KeyShape, withoutLinks } from '../../src/engine/extension/key-shape.js';
import { root } from '../support/program.js';

const source = { keyTables, withoutLinks };
const files = filesWithKeys();
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Rows that no page shows, and no type has. */
const undocumented = [keyTables.server!.evaluator];

/** Rows that no type has: apps have no code, and names select entries for toolkits and items. */
const untyped = [
  ...undocumented,
  ...['app', 'toolkitEntry', 'changedItem', 'changedPrompt', 'changedResource'].flatMap((table) =>
    rowsOf(keyTables[table]!),
  ),
  keyTables.changedTool!.use,
];

function rowsOf(shape: DefinitionShape): readonly KeyShape[] {
  return Object.values(shape).flatMap((row) => [
    row,
    ...(row.shape ? rowsOf(row.shape) : []),
    ...(row.each ? rowsOf(row.each) : []),
  ]);
}

/** Rows of a type: also rows of objects that it writes inline. A named type shows its own rows. */
function inlineRows(shape: DefinitionShape): readonly KeyShape[] {
  return Object.values(shape).flatMap((row) => [
    row,
    ...(row.typescript === undefined ? [row.shape, row.each].flatMap((one) => inlineRows(one ?? {})) : []),
  ]);
}

/** Rows that files of one ending show. */
function shownIn(ending: string): ReadonlySet<KeyShape> {
  const shapes = files
    .filter((file) => file.endsWith(ending))
    .flatMap((file) => shapesIn(file, read(file), source));
  return new Set(shapes.flatMap((shape) => (ending === '.md' ? Object.values(shape) : inlineRows(shape))));
}

describe('generated keys', () => {
  it.each(files)('are current in %s', (file) => {
    expect(updateKeys(file, read(file), source)).toBe(read(file));
  });

  it('are in all pages and all types', () => {
    expect(files.filter((file) => file.endsWith('.md')).length).toBeGreaterThan(5);
    expect(files.filter((file) => file.endsWith('.ts')).length).toBeGreaterThan(5);
  });

  it.each([
    ['.md', undocumented],
    ['.ts', untyped],
  ])('show all rows in files with the ending %s', (ending, skipped) => {
    const shown = shownIn(ending);
    const missing = Object.entries(keyTables).flatMap(([table, shape]) =>
      rowsOf(shape).flatMap((row) =>
        shown.has(row) || skipped.includes(row) ? [] : [`${table}: ${row.description}`],
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe('a row', () => {
  const render = (file: string, marker: string, keys: DefinitionShape) => {
    const empty = file.endsWith('.ts')
      ? `  // #region keys: ${marker}\n  // #endregion`
      : `<!-- keys: ${marker} -->\n<!-- /keys -->`;
    return updateKeys(file, empty, { keyTables: { tool: keys }, withoutLinks })
      .split('\n')
      .slice(1, -1);
  };

  it('becomes a property with a comment', () => {
    const unit: KeyShape = { types: ['string'], description: 'A [unit](units.md).', values: ['k', 'c'] };
    const level: KeyShape = { types: ['count'], description: 'A level.', nullable: true };
    const run: KeyShape = { types: ['callable'], description: 'Runs.', typescript: '(ctx: Context): void' };
    expect(render('a.ts', 'tool, requires run', { unit, level, run })).toEqual([
      '  /** A unit. */',
      "  readonly unit?: 'k' | 'c';",
      '  /** A level. */',
      '  readonly level?: number | null;',
      '  /** Runs. */',
      '  run(ctx: Context): void;',
    ]);
  });

  it('has the type of its marker', () => {
    const type: KeyShape = { types: ['string'], description: 'A type.' };
    expect(render('a.ts', "tool only type, requires type, as 'a' | 'b'", { type, other: type })).toEqual([
      '  /** A type. */',
      "  readonly type: 'a' | 'b';",
    ]);
    const two = () => render('a.ts', 'tool, as string', { type, other: type });
    expect(two).toThrow('The marker "keys: tool, as string" has a type for 2 keys. Choose one.');
  });

  it('becomes a property with an inline type for an object', () => {
    const text: KeyShape = { types: ['string'], description: 'A text.', required: true };
    const list: KeyShape = { types: ['list'], description: 'Texts.', shape: { text } };
    expect(render('a.ts', 'tool', { list })).toEqual([
      '  /** Texts. */',
      '  readonly list?: readonly {',
      '    /** A text. */',
      '    readonly text: string;',
      '  }[];',
    ]);
  });

  it('becomes a line of a table, with links', () => {
    const unit: KeyShape = { types: ['string'], description: 'A [unit](a.md#b), k | c.', required: true };
    expect(render('a.md', 'tool', { unit })).toContain('| `unit` | A [unit](#b), k \\| c. Required. |');
    expect(render('c.md', 'tool', { unit })).toContain('| `unit` | A [unit](a.md#b), k \\| c. Required. |');
  });

  it('is chosen by the marker', () => {
    const row: KeyShape = { types: ['any'], description: 'Any.' };
    const keys = { a: row, b: row, c: { ...row, shape: { d: row } } };
    const chosen = (marker: string) =>
      shapesIn('a.md', `<!-- keys: ${marker} -->\n<!-- /keys -->`, { keyTables: { x: keys, y: { a: row } } })
        .flatMap(Object.keys)
        .join();
    expect(['x', 'x only a, c', 'x without a, c', 'x beyond y', 'x.c'].map(chosen)).toEqual([
      'a,b,c',
      'a,c',
      'b',
      'b,c',
      'd',
    ]);
    expect(() => chosen('z')).toThrow('names "z", which is no table of keys');
    expect(() => chosen('x only e')).toThrow('names the key "e", which "x" does not have');
    expect(() => chosen('x but a')).toThrow('Cannot read the marker "keys: x but a".');
  });

  it('fails for a function without a TypeScript type', () => {
    const run: KeyShape = { types: ['callable'], description: 'Runs.' };
    expect(() => render('a.ts', 'tool', { run })).toThrow('The row of the key "run" has no "typescript".');
  });
});
