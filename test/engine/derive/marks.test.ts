import { describe, expect, test } from 'vitest';
import { derive } from '../../../src/engine/derive/derive.js';
import type { Derived } from '../../../src/engine/extension/derived.js';
import { composeServer } from '../../../src/engine/runtime/compose-server.js';
import { openWorkspace, writePackage } from '../../support/packages.js';
import { project, said } from './support/project.js';

const toolkit = { tools: [{ toolkit: 'files', module: './lib.js' }] };

/** Derives a package whose only module is a toolkit of marked functions. */
async function marked(source: string, manifest: object = toolkit, more: object = {}) {
  return await derive(project(manifest, { 'lib.js': source, ...more }));
}

/** The server of a package with this derived for its only module. */
async function served(derived: Derived, source: string) {
  const directory = writePackage(toolkit, {
    'lib.js': source,
    'agenttools/derived.json': JSON.stringify(derived),
  });
  const workspace = openWorkspace();
  return await composeServer(await workspace.findServer(directory), workspace);
}

describe('functions marked @mcp', () => {
  test('become tools with the options of their marks; the later mark wins', async () => {
    const { derived, remarks } = await marked(`
/**
 * Reads a file.
 * @mcp name=files.read category=Files hidden
 * @mcp category="All files" title="Read \\"it\\"" readonly openWorld=false
 * @mcp visible
 * @param {string} path
 */
export function read(path) {}

/** @mcp hidden=false destructive idempotent=false description="What it says here." */
export const remove = () => {};

/** @mcp visible=false */
export default function last() {}

/** Is none. */
export function other() {}
`);
    expect(remarks).toEqual([]);
    expect(derived!.tools).toEqual({
      'files.read': './lib.js#read',
      remove: './lib.js#remove',
      last: './lib.js',
    });
    expect(derived!.functions['./lib.js#read']).toMatchObject({
      title: 'Read "it"',
      description: 'Reads a file.',
      category: 'All files',
      hidden: true,
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect(derived!.functions['./lib.js#remove']).toMatchObject({
      title: 'remove',
      description: 'What it says here.',
      hidden: false,
      annotations: { destructiveHint: true, idempotentHint: false },
    });
    expect(derived!.functions['./lib.js']).toMatchObject({ title: 'last', hidden: true });
    expect(derived!.functions).not.toHaveProperty('./lib.js#other');
  }, 30_000);

  test.each([
    ['@mcp nmae=x', '"@mcp" has an unknown key "nmae". Did you mean "name"?'],
    ['@mcp name', '"@mcp" has "name" without a text. Expected name="…".'],
    ['@mcp hidden=maybe', '"@mcp" has "hidden" with the value "maybe". Expected true or false.'],
    ['@mcp\n * @readonly perhaps', '"@readonly" has "readonly" with the value "perhaps".'],
    ['@mcp name=a/b', '"@mcp" names the tool "a/b". Expected 1 to 128 of A-Z a-z 0-9 _ . -'],
  ])(
    'with %s are refused',
    async (tags, message) => {
      const { remarks, hasErrors } = await marked(`/**\n * ${tags}\n */\nexport function f() {}\n`);
      expect(hasErrors).toBe(true);
      expect(remarks[0]?.message).toContain(message);
    },
    30_000,
  );

  test('need distinct names', async () => {
    const twice = '/** @mcp */\nexport function a() {}\n/** @mcp name=a */\nexport function b() {}\n';
    expect(said(await marked(twice))).toEqual([
      'error lib.js:4:1 Several functions marked "@mcp" are the tool "a". Give each a different name.',
    ]);
    const nameless = '/** @mcp */\nexport default () => {};\n';
    expect(said(await marked(nameless))).toEqual([
      'error lib.js:2:16 A function marked "@mcp" has no name. Write @mcp name=…',
    ]);
    const taken = { 'agenttools/tools/a.json': { handler: './other.js#a', input: {} }, 'other.js': '' };
    const manifest = { tools: ['a', { toolkit: 'files', module: './lib.js' }] };
    expect(said(await marked('/** @mcp */\nexport function a() {}\n', manifest, taken))).toEqual([
      'error lib.js:2:1 A function marked "@mcp" is the tool "a", which also has a definition. Remove one of the two.',
    ]);
  }, 30_000);

  test('may be called like what every object has', async () => {
    const { derived } = await marked(
      '/** @mcp name=__proto__ */\nexport function a(toString, __proto__) {}\n',
    );
    expect(Object.entries(derived!.tools)).toEqual([['__proto__', './lib.js#a']]);
    const { inputSchema } = derived!.functions['./lib.js#a']!;
    expect(Object.keys(inputSchema.properties as object)).toEqual(['toString', '__proto__']);
    const { leftOut, registry } = await served(
      derived!,
      '/** @mcp */ export function a(...given) { return given; }',
    );
    expect(leftOut).toEqual([]);
    expect(registry.all('tools').map(({ name }) => name)).toEqual(['__proto__']);
  }, 30_000);

  test('are exported', async () => {
    const hidden = '/** @mcp */\nfunction inner() {}\nexport const outer = () => inner();\n';
    const message = '"@mcp" is only for exported functions, and "inner" is not exported.';
    expect(said(await marked(hidden))).toEqual([`error lib.js:2:1 ${message}`]);
    const declared = await marked(hidden, toolkit, { 'lib.d.ts': 'export declare const outer: () => void;' });
    expect(said(declared)).toEqual([`error lib.js:2:1 ${message}`]);
    const typed = await derive(
      project({ tools: [{ toolkit: 'files', module: './lib.ts' }] }, { 'lib.ts': hidden }),
    );
    expect(said(typed)).toEqual([`error lib.ts:2:1 ${message}`]);
    const late = '/** @mcp */\nfunction inner() {}\nexport { inner as outer };\n';
    expect((await marked(late)).derived!.tools).toEqual({ inner: './lib.js#outer' });
  }, 60_000);

  test('are functions', async () => {
    const { remarks } = await marked(
      '/** @mcp */\nexport const value = 1;\n/** @mcp */\nexport class Some {}\n',
    );
    expect(remarks.map(({ message }) => message)).toEqual([
      '"@mcp" is only for functions, and "value" is not a function.',
      '"@mcp" is only for functions, and "Some" is not a function.',
    ]);
  }, 30_000);

  test('are items where the manifest names them, from the module that the package is', async () => {
    const fields = { exports: { '.': { types: './lib.d.ts', import: './lib.js' } } };
    const files = {
      'lib.js': "export * from './inner.js';",
      'inner.js': '/** @mcp */\nexport function a() {}\n',
    };
    const directory = project({ tools: ['a'] }, files, { fields });
    const { derived, remarks } = await derive(directory);
    expect(remarks).toEqual([]);
    expect(derived!.tools).toEqual({ a: './lib.js#a' });
    const lost = await derive(project({ tools: ['a', 'b'] }, files, { fields }));
    expect(said(lost)).toEqual([
      'error package.json:8:7 Tool "b" has no definition, and no exported function of ./lib.js, or of a module that a handler names, is marked "@mcp" and has that name.',
    ]);
    const nowhere = await derive(project({ tools: ['b'] }, {}));
    expect(said(nowhere)).toEqual([
      'error package.json:7:7 Tool "b" has no definition, and no exported function is marked "@mcp" and has that name.',
    ]);
  }, 60_000);

  test('reports unreachable @mcp tags', async () => {
    const files = {
      'agenttools/tools/a.json': { handler: './lib.js#a' },
    };
    const source = '/** @mcp category=Here */\nexport function a() {}\n/** @mcp */\nexport function b() {}\n';
    const { derived, remarks } = await marked(source, { tools: ['a'] }, files);
    expect(derived!.tools).toEqual({ b: './lib.js#b' });
    expect(derived!.functions['./lib.js#a']!.category).toBe('Here');
    expect(remarks).toEqual([
      {
        severity: 'warning',
        message:
          'Tool "b": its function is marked "@mcp", and nothing declares it. Add "b" to "tools" in the manifest, or { "toolkit": "<name>", "module": "./lib.js" } for all of its module.',
        file: 'lib.js',
        line: 4,
        column: 1,
      },
    ]);
  }, 30_000);

  test('need a module that is there', async () => {
    const manifest = {
      tools: [
        { toolkit: 'files', module: './nowhere.js' },
        { toolkit: 'more', module: 'lib' },
      ],
    };
    expect((await derive(project(manifest, {}))).remarks.map(({ message }) => message)).toEqual([
      'Toolkit "files": There is no file ./nowhere.js in the package. If it is compiled, build the package first.',
      'Toolkit "more": "lib" is not a file of the package. Expected one such as "./dist/files.js".',
    ]);
  });
});
