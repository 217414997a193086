import { existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type DefinitionError, Extension } from '../../../src/engine/extension/extension.js';
import { addFiles, openPackage, writeFolder, writePackage } from '../../support/packages.js';

const stripsTypes = Boolean((process.features as { typescript?: unknown }).typescript);

/** A definition file in each format, which says which one it is. */
const content = (ending: string): string => {
  if (/^\.[cm]?ts$/.test(ending)) return `const title: string = '${ending}'; export default { title };`;
  if (ending === '.cjs') return `module.exports = { title: '${ending}' };`;
  return ending.startsWith('.json') ? `{"title":"${ending}"}` : `export default { title: '${ending}' };`;
};

async function titleOf(files: Record<string, unknown>): Promise<unknown> {
  const extension = await openPackage({ tools: ['x'] }, files);
  return (await extension.definition('tools', 'x')).value.title;
}

async function faultOf(extension: Extension, item = 'x'): Promise<DefinitionError> {
  return await extension.definition('tools', item).then(
    () => expect.fail('There should be no definition.'),
    (error) => error,
  );
}

describe('the file that defines an item', () => {
  const endings = ['.js', '.mjs', '.cjs', '.json', '.jsonc'];

  test.each(endings.map((ending, index) => [ending, endings.slice(index)]))(
    '%s before %j',
    async (first, there) => {
      const files = (there as string[]).map((ending) => [`agenttools/tools/x${ending}`, content(ending)]);
      expect(await titleOf(Object.fromEntries(files))).toBe(first);
    },
  );

  test('its own before the combined one', async () => {
    expect(
      await titleOf({
        'agenttools/tools/x.jsonc': content('.jsonc'),
        'agenttools/tools.js': 'export default {}',
      }),
    ).toBe('.jsonc');
  });

  test.each([
    ['text that is no JSON', '.json', '{'],
    ['code that throws', '.js', 'throw new Error("boom")'],
    ['no object', '.json', '[]'],
    ['no default export', '.js', 'export const x = {}'],
  ])('its own even when it is bad: %s', async (_, ending, text) => {
    const extension = await openPackage(
      { tools: ['x'] },
      { [`agenttools/tools/x${ending}`]: text, 'agenttools/tools.json': { x: { title: 'combined' } } },
    );
    expect((await faultOf(extension)).location.file).toBe(`agenttools/tools/x${ending}`);
  });
});

describe('a combined file', () => {
  test.each([
    ['an object by item name', '.json', '{"x":{"title":"it"},"y":{}}'],
    ['with comments', '.jsonc', '{/* one */"x":{"title":"it"},}'],
    ['a default export', '.js', 'export default { x: { title: "it" } }'],
    ['a list of definitions with names', '.js', 'export default [{ name: "y" }, { name: "x", title: "it" }]'],
    ['a list named by handlers', '.js', 'export default [{ title: "it", handler: function x() {} }]'],
    ["another system's spelling", '.json', '{"x":{"DisplayName":"it"}}'],
  ])('%s', async (_, ending, text) => {
    expect(await titleOf({ [`agenttools/tools${ending}`]: text })).toBe('it');
  });

  test('gives the position of the definition in the file', async () => {
    const extension = await openPackage(
      { tools: ['x'] },
      { 'agenttools/tools.json': { x: { title: 'it' } } },
    );
    expect((await extension.definition('tools', 'x')).at).toEqual(['x']);
  });

  test.each(['__proto__', 'constructor', 'toString'])('has %s only if the file defines it', async (item) => {
    const extension = await openPackage({ tools: [item, 'x'] }, { 'agenttools/tools.json': { x: {} } });
    expect((await faultOf(extension, item)).code).toBe('missing-definition');
    const text = `{"${item}":{"title":"it"}}`;
    for (const ending of ['json', 'jsonc']) {
      const other = await openPackage({ tools: [item] }, { [`agenttools/tools.${ending}`]: text });
      expect((await other.definition('tools', item)).value).toEqual({ title: 'it' });
    }
  });
});

describe('why there is no definition', () => {
  const rows: readonly [string, Record<string, unknown>, string, RegExp][] = [
    [
      'no file',
      {},
      'missing-definition',
      /^Tool "x" has no definition\. Expected agenttools\/tools\/x\.json\.$/,
    ],
    ['no entry', { 'agenttools/tools.json': { y: {} } }, 'missing-definition', /has no entry "x"/],
    [
      'a combined file of no use',
      { 'agenttools/tools.json': '"x"' },
      'missing-definition',
      /has no entry "x"/,
    ],
    [
      'an entry that is no object',
      { 'agenttools/tools.json': { x: 5 } },
      'invalid-definition',
      /is not an object/,
    ],
    ['no object', { 'agenttools/tools/x.json': '5' }, 'invalid-definition', /is not an object/],
    ['bad JSON', { 'agenttools/tools/x.json': '{"a" 1}' }, 'invalid-definition', /Not valid JSON/],
    ['comments in .json', { 'agenttools/tools/x.json': '{} // x' }, 'invalid-definition', /use \.jsonc/],
    ['a folder', { 'agenttools/tools/x.json/y': '' }, 'invalid-definition', /is not a file/],
    [
      'code that throws',
      { 'agenttools/tools/x.js': 'throw new Error("boom")' },
      'definition-failed',
      /: boom$/,
    ],
  ];

  test.each(rows)('%s', async (_, files, code, message) => {
    const fault = await faultOf(await openPackage({ tools: ['x'] }, files));
    expect(fault.code).toBe(code);
    expect(fault.message).toMatch(message);
  });

  test('a place in the text, when there is one', async () => {
    const fault = await faultOf(
      await openPackage({ tools: ['x'] }, { 'agenttools/tools/x.json': '{\n"a" 1}' }),
    );
    expect(fault.location).toEqual({ file: 'agenttools/tools/x.json', position: { line: 2, column: 5 } });
  });

  test('a missing one is reported at its declaration', async () => {
    const fault = await faultOf(await openPackage({ prompts: [], Tools: ['y', 'x'] }));
    expect(fault.location).toEqual({ file: 'package.json', path: ['agenttools', 'Tools', 1] });
  });

  test.each(['x.json', 'folder'])('a link that leads out of the package: %s', async (link) => {
    const outside = writeFolder({ 'x.json': { title: 'outside' } });
    const directory = writePackage({ tools: ['x'], root: 'defs' }, { 'defs/readme': '' });
    if (link === 'folder') symlinkSync(outside, path.join(directory, 'defs', 'tools'));
    else {
      addFiles(directory, { 'defs/tools/readme': '' });
      symlinkSync(path.join(outside, 'x.json'), path.join(directory, 'defs', 'tools', 'x.json'));
    }
    expect((await faultOf(await Extension.open(directory))).code).toBe('path-outside-package');
  });

  test.each(['../outside', '/etc', 'link'])(
    'a root that leaves the package has nothing: %s',
    async (root) => {
      const parent = writeFolder({
        'outside/tools/x.json': {},
        'kit/package.json': { agenttools: { root, tools: ['x'] } },
      });
      symlinkSync(path.join(parent, 'outside'), path.join(parent, 'kit', 'link'));
      const extension = await Extension.open(path.join(parent, 'kit'));
      expect((await extension.files()).rootExists).toBe(false);
      expect((await faultOf(extension)).code).toBe('missing-definition');
    },
  );
});

describe('TypeScript', () => {
  test.each(['.ts', '.mts'])('%s runs where Node strips types, and is refused elsewhere', async (ending) => {
    if (stripsTypes) {
      expect(await titleOf({ [`agenttools/tools/x${ending}`]: content(ending) })).toBe(ending);
      return;
    }
    const fault = await faultOf(
      await openPackage({ tools: ['x'] }, { [`agenttools/tools/x${ending}`]: content(ending) }),
    );
    expect(fault.code).toBe('typescript-only');
    expect(fault.message).toContain('this Node does not strip types');
  });

  test('is never run from node_modules', async () => {
    const folder = writeFolder({
      'node_modules/kit/package.json': { agenttools: { tools: ['x'] } },
      'node_modules/kit/agenttools/tools/x.ts': content('.ts'),
    });
    const fault = await faultOf(await Extension.open(path.join(folder, 'node_modules', 'kit')));
    expect(fault.code).toBe('typescript-only');
    expect(fault.message).toContain('should ship compiled JavaScript');
  });
});

describe('cached definitions and modules', () => {
  test('a definition that could be read is read once', async () => {
    const extension = await openPackage({ tools: ['x'] }, { 'agenttools/tools/x.json': {} });
    expect(await extension.definition('tools', 'x')).toBe(await extension.definition('tools', 'x'));
  });

  test('a module is run once for all its items', async () => {
    const code = `globalThis.kitRuns = (globalThis.kitRuns ?? 0) + 1; export default { x: {}, y: {} }`;
    const extension = await openPackage({ tools: ['x', 'y'] }, { 'agenttools/tools.js': code });
    await Promise.all(['x', 'y', 'x'].map((item) => extension.definition('tools', item)));
    expect(globalThis).toHaveProperty('kitRuns', 1);
  });

  test.each([
    ['data', '.json', '{', '{"title":"mended"}'],
    ['code', '.js', 'throw new Error("boom")', 'export default { title: "mended" }'],
  ])('a failure is not: %s', async (_, ending, bad, good) => {
    const directory = writePackage({ tools: ['x'] }, { [`agenttools/tools/x${ending}`]: bad });
    const extension = await Extension.open(directory);
    await faultOf(extension);
    addFiles(directory, { [`agenttools/tools/x${ending}`]: good });
    expect((await extension.definition('tools', 'x')).value.title).toBe('mended');
  });
});

test('data definitions never import their handlers', async () => {
  const directory = writePackage(
    { tools: ['x'] },
    {
      'agenttools/tools/x.json': { handler: './run.js' },
      'run.js':
        'import { writeFileSync } from "node:fs"; writeFileSync(new URL("ran", import.meta.url), "");',
    },
  );
  await (await Extension.open(directory)).definition('tools', 'x');
  expect(existsSync(path.join(directory, 'ran'))).toBe(false);
});

test('another way to load code may be given', async () => {
  const directory = writePackage(
    { tools: ['x'] },
    { 'agenttools/tools/x.js': 'throw new Error("never run")' },
  );
  const loaded: string[] = [];
  const loadCode = async (_file: string, relative: string) => {
    loaded.push(relative);
    return { live: { title: 'described' } };
  };
  const extension = await Extension.open(directory, { loadCode });
  expect((await extension.definition('tools', 'x')).value.title).toBe('described');
  expect(loaded).toEqual(['agenttools/tools/x.js']);
});
