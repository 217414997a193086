import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentToolsError } from '../../../src/engine/base/errors.js';
import { derive, writeDerivation } from '../../../src/engine/derive/derive.js';
import { addFiles, writePackage } from '../../support/packages.js';
import { functionIn, link, project, said } from './support/project.js';

const greet = '/** Greets. */\nexport function greet(name: string): string;\n';

describe('types come from', () => {
  const manifest = { tools: ['greet'] };
  const definition = { 'agenttools/tools/greet.json': { handler: './dist/greet.js#greet' } };
  const compiled = 'export function greet(name, loud = true) { return name; }\n';
  const source = '/** Of the source. */\nexport function greet(name: string, loud = true) { return name; }\n';
  const map = {
    version: 3,
    sources: ['../src/greet.ts', '../../outside.ts', 'webpack://x/y.ts'],
    mappings: '',
  };
  const mapped = `${compiled}//# sourceMappingURL=greet.js.map\n`;

  test('the declarations beside the module, and defaults from the module', async () => {
    const files = {
      ...definition,
      'dist/greet.js': mapped,
      'dist/greet.js.map': map,
      'src/greet.ts': source,
      'dist/greet.d.ts': greet.replace('name: string', 'name: string, loud?: boolean'),
    };
    const derivation = await derive(project(manifest, files));
    expect(functionIn(derivation, 'greet')).toMatchObject({
      description: 'Greets.',
      inputSchema: { properties: { loud: { type: 'boolean', default: true } }, required: ['name'] },
    });
    expect(Object.keys(derivation.derived!.files)).toEqual(['dist/greet.d.ts', 'dist/greet.js']);
  }, 30_000);

  test('else the source that its source map names', async () => {
    const files = {
      ...definition,
      'dist/greet.js': mapped,
      'dist/greet.js.map': map,
      'src/greet.ts': source,
    };
    const derivation = await derive(project(manifest, files));
    expect(functionIn(derivation, 'greet').description).toBe('Of the source.');
    expect(Object.keys(derivation.derived!.files)).toEqual(['dist/greet.js.map', 'src/greet.ts']);
  }, 30_000);

  test('a source map within the module, and of several sources the one that has the function', async () => {
    const inline = { version: 3, sources: ['shared.ts', 'greet.ts'], sourceRoot: '../src', mappings: '' };
    const url = `data:application/json;base64,${Buffer.from(JSON.stringify(inline)).toString('base64')}`;
    const files = {
      ...definition,
      'dist/greet.js': `${compiled}//# sourceMappingURL=${url}\n`,
      'src/shared.ts': 'export const shared = 1;',
      'src/greet.ts': source,
    };
    expect(functionIn(await derive(project(manifest, files)), 'greet').description).toBe('Of the source.');
  }, 30_000);

  test.each(['', '//# sourceMappingURL=%E0%A4%A\n', '//# sourceMappingURL=../../../etc/passwd\n'])(
    'else the comments of the module itself: %j',
    async (end) => {
      const files = { ...definition, 'dist/greet.js': `/** Of the module. */\n${compiled}${end}` };
      const derivation = await derive(project(manifest, files));
      expect(functionIn(derivation, 'greet')).toMatchObject({
        description: 'Of the module.',
        inputSchema: { properties: { name: {}, loud: { default: true } }, required: ['name'] },
      });
      expect(Object.keys(derivation.derived!.files)).toEqual(['dist/greet.js']);
    },
    30_000,
  );

  test.each([
    ['mjs', 'd.mts'],
    ['cjs', 'd.cts'],
  ])(
    'the declarations of a .%s module',
    async (ending, declared) => {
      const files = {
        'agenttools/tools/greet.json': { handler: `./dist/greet.${ending}#greet` },
        [`dist/greet.${ending}`]: '',
        [`dist/greet.${declared}`]: greet,
      };
      expect(functionIn(await derive(project(manifest, files)), 'greet').description).toBe('Greets.');
    },
    30_000,
  );

  test('a TypeScript module itself', async () => {
    const files = {
      'agenttools/tools/greet.json': { handler: './src/greet.ts#greet' },
      'src/greet.ts': source,
    };
    expect(functionIn(await derive(project(manifest, files)), 'greet').description).toBe('Of the source.');
  }, 30_000);

  test('follows re-exports of a module, with the defaults there', async () => {
    const files = {
      'agenttools/tools/greet.json': { handler: './dist/index.js#hello' },
      'dist/index.js': "export { greet as hello } from './greet.js';",
      'dist/index.d.ts': "export { greet as hello } from './greet.js';",
      'dist/greet.js': compiled,
      'dist/greet.d.ts': greet.replace('name: string', 'name: string, loud?: boolean'),
    };
    const derivation = await derive(project(manifest, files));
    expect(functionIn(derivation, 'hello')).toMatchObject({
      title: 'greet',
      inputSchema: { properties: { loud: { default: true } } },
    });
    expect(Object.keys(derivation.derived!.files)).toEqual([
      'dist/greet.d.ts',
      'dist/greet.js',
      'dist/index.d.ts',
      'dist/index.js',
    ]);
  }, 30_000);

  test.each([
    ['an exported default', '/** Greets. */\nexport default function greet(name) {}', 'greet.js'],
    ['an assigned default', '/** Greets. */\nmodule.exports = function greet(name) {};', 'greet.cjs'],
  ])(
    '%s',
    async (_, text, file) => {
      const files = { 'agenttools/tools/greet.json': { handler: `./${file}` }, [file]: text };
      const { derived } = await derive(project(manifest, files));
      expect(derived!.functions[`./${file}`]).toMatchObject({
        title: 'greet',
        description: 'Greets.',
        parameters: [{ name: 'name' }],
      });
    },
    30_000,
  );

  test('a CommonJS module that assigns what it exports', async () => {
    const text = '/** Greets. @param {string} name */\nfunction greet(name) {}\nmodule.exports = { greet };';
    const files = { 'agenttools/tools/greet.json': { handler: './greet.cjs#greet' }, 'greet.cjs': text };
    expect(functionIn(await derive(project(manifest, files)), 'greet').description).toBe('Greets.');
  }, 30_000);
});

describe('the derived file', () => {
  const handler = './lib.js#greet';
  const lib = { 'lib.js': '', 'lib.d.ts': greet };

  test('omits functions whose definition has the schemas', async () => {
    const files = {
      ...lib,
      'agenttools/tools/both.json': { handler, input: {}, output: {} },
      'agenttools/tools/raw.json': { handler, inputSchema: { type: 'object' } },
      'agenttools/tools/out.json': { handler, outputSchema: { type: 'string' } },
    };
    const both = await derive(project({ tools: ['both', 'raw'] }, files));
    expect(both).toMatchObject({ derived: undefined, hasErrors: false, state: 'current' });
    const out = await derive(project({ tools: ['both', 'out'] }, files));
    expect(functionIn(out, 'greet')).not.toHaveProperty('outputSchema');
  }, 30_000);

  test('covers definitions of every kind, and one function once', async () => {
    const files = {
      'lib.js': '',
      'lib.d.ts': ['a', 'b', 'c', 'd', 'e', 'f']
        .map((name) => `export function ${name}(x: string): void;`)
        .join('\n'),
      'agenttools/tools.json': { a: { handler: './lib.js#a' }, again: { handler: './lib.js#a', output: {} } },
      'agenttools/tools/kit.json': {
        tools: [{ handler: './lib.js#b' }, { handler: './lib.js#c', input: {} }],
      },
      'agenttools/servers/one.json': {
        tools: [
          'a',
          { use: 'a', name: 'z' },
          { name: 'd', handler: './lib.js#d' },
          { tools: [{ handler: './lib.js#e' }] },
          { use: { name: 'f', handler: './lib.js#f' }, hidden: true },
        ],
      },
      'agenttools/tools/code.js': "throw new Error('code was run');",
    };
    const derivation = await derive(
      project({ tools: ['a', 'again', 'code', { toolkit: 'kit' }], servers: ['one'] }, files),
    );
    expect(said(derivation)).toEqual([]);
    const references = ['a', 'b', 'd', 'e', 'f'].map((name) => `./lib.js#${name}`);
    expect(Object.keys(derivation.derived!.functions)).toEqual(references);
  }, 30_000);

  test('names a tool of a toolkit in a server, and the place of what is wrong with it', async () => {
    const server = '{"tools":[{"tools":[{"handler":"./lib.js#greet"},\n{"handler":"./gone.js#leave"}]}]}';
    const directory = project({ servers: ['one'] }, { ...lib, 'agenttools/servers/one.json': server });
    expect(said(await derive(directory))).toEqual([
      expect.stringMatching(/^error agenttools\/servers\/one\.json:2:12 Tool "leave": There is no file/),
    ]);
  }, 30_000);

  test('is written once, and is reported as stale when a file changes', async () => {
    const directory = project({ tools: ['greet'] }, { ...lib, 'agenttools/tools/greet.json': { handler } });
    const first = await derive(directory);
    expect(first).toMatchObject({ file: 'agenttools/derived.json', state: 'absent' });
    await writeDerivation(first);
    const target = path.join(directory, first.file);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual(first.derived);
    expect((await derive(directory)).state).toBe('current');

    writeFileSync(target, JSON.stringify(first.derived));
    writeFileSync(path.join(directory, 'lib.d.ts'), greet.replaceAll('\n', '\r\n'));
    expect((await derive(directory)).state).toBe('current');

    writeFileSync(path.join(directory, 'lib.d.ts'), greet.replace('name', 'whom'));
    const changed = await derive(directory);
    expect(changed.state).toBe('stale');
    await writeDerivation(changed);
    expect((await derive(directory)).state).toBe('current');

    rmSync(path.join(directory, 'agenttools/tools/greet.json'));
    addFiles(directory, { 'agenttools/tools/greet.json': { handler, input: { name: 'string' } } });
    const gone = await derive(directory);
    expect(gone).toMatchObject({ derived: undefined, state: 'stale' });
    await writeDerivation(gone);
    expect(existsSync(target)).toBe(false);
  }, 60_000);

  test('explains why it cannot be written, and leaves no file behind', async () => {
    const files = { ...lib, 'agenttools/tools/greet.json': { handler }, 'agenttools/derived.json/x': '' };
    const directory = project({ tools: ['greet'] }, files);
    const failure = await writeDerivation(await derive(directory)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AgentToolsError);
    expect((failure as Error).message).toContain(
      `${path.join(directory, 'agenttools/derived.json')} could not be`,
    );
    expect(readdirSync(path.join(directory, 'agenttools')).toSorted()).toEqual(['derived.json', 'tools']);
  }, 30_000);

  test('is bounded', async () => {
    const directory = project({ tools: ['greet'] }, { ...lib, 'agenttools/tools/greet.json': { handler } });
    await expect(derive(directory, { maxFiles: 3 })).rejects.toThrow(/lead to more than 3 files/);
    await expect(derive(directory, { timeoutMs: 0 })).rejects.toThrow(/could not be read within 0 s/);
  }, 30_000);

  test.each([
    [
      './nowhere.js#greet',
      'There is no file ./nowhere.js in the package. If it is compiled, build the package first.',
    ],
    ['../lib.js#greet', '"../lib.js#greet" leaves the package.'],
    ['lib.js#greet', '"lib.js#greet" is not a module reference. Expected "./file.js#export".'],
    ['./data.json#greet', './data.json is not a JavaScript or TypeScript module.'],
  ])(
    'needs a handler that is there: %s',
    async (reference, message) => {
      const files = { 'data.json': {}, 'agenttools/tools/greet.json': { handler: reference } };
      const derivation = await derive(project({ tools: ['greet'] }, files));
      expect(said(derivation)).toEqual([`error agenttools/tools/greet.json:2:14 Tool "greet": ${message}`]);
      expect(derivation.hasErrors).toBe(true);
    },
    30_000,
  );
});

describe('the compiler', () => {
  const files = {
    'lib.js': '',
    'lib.d.ts': greet,
    'agenttools/tools/greet.json': { handler: './lib.js#greet' },
  };
  const wayOut =
    'Install one: npm install --save-dev @typescript/typescript6. Or let AgentTools fetch it for its own use: agenttools derive --fetch-compiler';

  test('is requested by name if it is missing', async () => {
    const directory = writePackage({ tools: ['greet'] }, files);
    await expect(derive(directory)).rejects.toThrow(
      `There is no TypeScript in ${directory} or above it. ${wayOut}`,
    );
  });

  test('is asked for where the one there is cannot be asked', async () => {
    const directory = writePackage({ tools: ['greet'] }, files);
    link(directory, { typescript: 'typescript' });
    await expect(derive(directory)).rejects.toThrow(/^typescript 7\.\d+\.\d+ has no API for types\./);
    await expect(derive(directory)).rejects.toThrow(wayOut);
  });

  test('is the bridge beside one that cannot be asked', async () => {
    const directory = writePackage({ tools: ['greet'] }, files);
    link(directory, { typescript: 'typescript', '@typescript/typescript6': '@typescript/typescript6' });
    expect(functionIn(await derive(directory), 'greet').description).toBe('Greets.');
  }, 30_000);

  test('is not needed where nothing is to be derived', async () => {
    expect(await derive(writePackage({ tools: [] }))).toMatchObject({ derived: undefined, state: 'current' });
  });

  test('goes by the options of the project', async () => {
    const directory = project(
      { tools: ['greet'] },
      {
        'tsconfig.json': {
          compilerOptions: { lib: ['es2023'], types: [], paths: { '#types': ['./types/all.d.ts'] } },
        },
        'types/all.d.ts': 'export type Name = "Ada" | "Alan";',
        'lib.js': '',
        'lib.d.ts': "import type { Name } from '#types';\nexport function greet(name: Name): void;",
        'agenttools/tools/greet.json': { handler: './lib.js#greet' },
      },
    );
    const derivation = await derive(directory);
    expect(functionIn(derivation, 'greet').inputSchema.properties).toEqual({
      name: { type: 'string', enum: ['Ada', 'Alan'] },
    });
    expect(Object.keys(derivation.derived!.files)).toEqual(['lib.d.ts', 'lib.js', 'types/all.d.ts']);
  }, 30_000);
});
