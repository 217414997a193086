import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorMessage } from '../../../src/engine/base/thrown-value.js';
import { loadNative } from '../../support/native.js';
import { addFiles, writeFolder } from '../../support/packages.js';

type Modules = typeof import('./support/modules.js');

let modules: Modules;

beforeAll(async () => {
  modules = await loadNative<Modules>('../test/engine/extension/support/modules.ts');
});

describe('a module reference', () => {
  test.each([
    ['./a.js', './a.js', 'default'],
    ['./dist/a.js#run', './dist/a.js', 'run'],
    ['./a#b.js#run', './a#b.js', 'run'],
    ['./x/../a.js#default', './x/../a.js', 'default'],
  ])('%s', (text, file, exportName) => {
    expect(modules.parseModuleReference(text)).toEqual({ file, exportName });
  });

  test.each([
    ['lodash', 'form'],
    ['a.js', 'form'],
    ['node:fs#readFile', 'form'],
    ['', 'form'],
    ['#run', 'form'],
    ['./a.js#', 'form'],
    ['/a.js', 'outside'],
    ['C:\\a.js', 'outside'],
    ['../a.js', 'outside'],
    ['./../a.js#run', 'outside'],
  ])('rejects %j, because of its %s', (text, fault) => {
    expect(() => modules.parseModuleReference(text)).toThrow(expect.objectContaining({ fault }));
  });

  test.each(['./absent.js', './folder'])('does not resolve %s', async (file) => {
    const folder = writeFolder({ 'folder/a.js': '' });
    await expect(modules.loadReference({ directory: folder }, file, 'anything')).rejects.toMatchObject({
      fault: 'missing',
    });
  });

  test('a link out of the package is not followed', async () => {
    const outside = writeFolder({ 'a.mjs': 'globalThis.ranOutside = true; export default 1' });
    const folder = writeFolder();
    symlinkSync(path.join(outside, 'a.mjs'), path.join(folder, 'a.mjs'));
    await expect(modules.loadReference({ directory: folder }, './a.mjs', 'anything')).rejects.toMatchObject({
      fault: 'outside',
    });
    expect(globalThis).not.toHaveProperty('ranOutside');
  });
});

describe('exports of a module', () => {
  const rows: readonly [string, string, string, string, unknown][] = [
    ['ESM default', 'a.mjs', 'export default 1', 'default', 1],
    ['ESM named', 'a.mjs', 'export const run = 1', 'run', 1],
    ['ESM without default', 'a.mjs', 'export const run = 1', 'default', undefined],
    ['ESM default that only holds it', 'a.mjs', 'export default { run: 1 }', 'run', 1],
    ['CommonJS', 'a.cjs', 'module.exports = 1', 'default', 1],
    ['CommonJS named', 'a.cjs', 'exports.run = 1', 'run', 1],
    ['CommonJS named, hidden from analysis', 'a.cjs', 'Object.assign(exports, { run: 1 })', 'run', 1],
    ['transpiled default', 'a.cjs', 'exports.__esModule = true; exports.default = 1', 'default', 1],
    [
      'transpiled named',
      'a.cjs',
      'exports.__esModule = true; exports.default = 1; exports.run = 2',
      'run',
      2,
    ],
    [
      'transpiled, defined',
      'a.cjs',
      'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = 1',
      'default',
      1,
    ],
    ['transpiled without default', 'a.cjs', 'exports.__esModule = true; exports.run = 1', 'run', 1],
    ['CommonJS with a default of its own', 'a.cjs', 'exports.default = 1', 'default', { default: 1 }],
    ['nothing that only every object has', 'a.mjs', 'export default {}', 'toString', undefined],
    ['nothing that only every object has', 'a.cjs', 'module.exports = {}', 'constructor', undefined],
  ];

  test.each(rows)('%s (%s, %s, %s)', async (_, file, code, name, expected) => {
    const folder = writeFolder({ [file]: code });
    expect(modules.readExport(await modules.importModule(path.join(folder, file)), name)).toEqual(expected);
  });

  test('follows the nearest package.json for .js', async () => {
    const folder = writeFolder({
      'esm/package.json': { type: 'module' },
      'esm/a.js': 'export const run = import.meta.url.slice(0, 5)',
      'cjs/package.json': {},
      'cjs/a.js': 'exports.run = typeof require',
    });
    expect(await modules.loadReference({ directory: folder }, './esm/a.js#run', 'anything')).toBe('file:');
    expect(await modules.loadReference({ directory: folder }, './cjs/a.js#run', 'anything')).toBe('function');
  });
});

test('imports a path that a URL would misread', async () => {
  const folder = writeFolder({ 'a b/50%#1?.mjs': 'export default 1' });
  expect(await modules.loadReference({ directory: folder }, './a b/50%#1?.mjs#default', 'anything')).toBe(1);
});

describe('a module is evaluated once', () => {
  const counting = `globalThis.counted = (globalThis.counted ?? 0) + 1;
    export const one = {}, two = {};`;

  test('for all who refer to it', async () => {
    const folder = writeFolder({ 'a.mjs': counting.replaceAll('counted', 'countedForAll') });
    const one = () => modules.loadReference({ directory: folder }, './a.mjs#one', 'anything');
    const [first, second] = await Promise.all([
      one(),
      one(),
      modules.loadReference({ directory: folder }, './a.mjs#two', 'anything'),
    ]);
    expect(first).toBe(second);
    expect(globalThis).toHaveProperty('countedForAll', 1);
  });

  test('is not evaluated again for a missing export', async () => {
    const folder = writeFolder({ 'a.mjs': counting.replaceAll('counted', 'countedMissing') });
    const missing = () => modules.loadReference({ directory: folder }, './a.mjs#three', 'anything');
    for (let call = 0; call < 3; call++) {
      await expect(missing()).rejects.toThrow('has no export "three". It exports: one, two.');
    }
    await modules.loadReference({ directory: folder }, './a.mjs#one', 'anything');
    expect(globalThis).toHaveProperty('countedMissing', 1);
  });
});

describe('a fixed module', () => {
  const bad: Record<string, string> = {
    'it threw': 'throw new Error("boom")',
    'it was no JavaScript': 'export default (',
    'it lacked the export': 'export const other = 1',
    'it imported what is not there': 'import "./nowhere.mjs"; export const run = 1',
  };

  test.each(Object.entries(bad))('%s', async (_, code) => {
    const folder = writeFolder({ 'a.mjs': code });
    const load = () => modules.loadReference({ directory: folder }, './a.mjs#run', 'anything');
    await expect(load()).rejects.toThrow(modules.ModuleReferenceError);
    await expect(load()).rejects.toThrow(modules.ModuleReferenceError);
    await new Promise((resolve) => setTimeout(resolve, 10));
    addFiles(folder, { 'a.mjs': 'export const run = 42' });
    expect(await load()).toBe(42);
  });

  test('loads for another reference to the same module first', async () => {
    const folder = writeFolder({ 'a.mjs': 'throw new Error("boom")' });
    await expect(modules.loadReference({ directory: folder }, './a.mjs#one', 'anything')).rejects.toThrow(
      'boom',
    );
    addFiles(folder, { 'a.mjs': 'export const one = {}, two = one' });
    const two = await modules.loadReference({ directory: folder }, './a.mjs#two', 'anything');
    expect(await modules.loadReference({ directory: folder }, './a.mjs#one', 'anything')).toBe(two);
  });

  test('CommonJS too', async () => {
    const folder = writeFolder({ 'a.cjs': 'throw new Error("boom")' });
    const load = () => modules.loadReference({ directory: folder }, './a.cjs#run', 'anything');
    await expect(load()).rejects.toThrow('./a.cjs could not be loaded: boom');
    addFiles(folder, { 'a.cjs': 'exports.run = 42' });
    expect(await load()).toBe(42);
  });

  test('a file that was missing before', async () => {
    const folder = writeFolder();
    const load = () => modules.loadReference({ directory: folder }, './a.mjs', 'anything');
    await expect(load()).rejects.toMatchObject({ fault: 'missing' });
    addFiles(folder, { 'a.mjs': 'export default 42' });
    expect(await load()).toBe(42);
  });
});

test.each([
  [new Error('boom'), 'boom'],
  ['boom', 'boom'],
  [{ message: 'boom' }, 'boom'],
  [{ message: 5 }, '{ message: 5 }'],
  [undefined, 'undefined'],
  [null, 'null'],
  [Symbol('boom'), 'Symbol(boom)'],
  [Object.create(null), '[Object: null prototype] {}'],
])('reads the message of %j as %j', (thrown, message) => {
  expect(errorMessage(thrown)).toBe(message);
});
