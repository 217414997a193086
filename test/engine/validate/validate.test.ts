import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentToolsError } from '../../../src/engine/base/errors.js';
import {
  diagnose,
  type LocatedDiagnostic,
  type ValidateOptions,
  validateExtension,
} from '../../../src/engine/validate/validate.js';
import { makePackage, packageJson, toolModule, writeFiles } from './support/package.js';
import { fixtures, optionsFor } from './support/validating.js';

async function diagnosticsOf(
  folder: string,
  options: Partial<ValidateOptions> = {},
): Promise<readonly LocatedDiagnostic[]> {
  return (await validateExtension(folder, optionsFor(options))).diagnostics;
}

async function placesIn(folder: string, options: Partial<ValidateOptions> = {}): Promise<readonly string[]> {
  const found = await diagnosticsOf(folder, options);
  return found.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`);
}

const tool = { description: 'Says hello.', handler: './hello.js#hello' };
const hello = "export const hello = () => 'Hello.';\n";

describe('the report', () => {
  test('lists the declared toolkits for an unknown one', async () => {
    const found = await diagnosticsOf(`${fixtures}invalid-toolkit`);
    expect(found.find(({ code }) => code === 'unknown-tool')?.message).toBe(
      'Server "desk" lists the toolkit "nots", which is not declared. Did you mean "notes"? Declared toolkits: notes, marks, sum, word.',
    );
  });

  test('reports every invalid field and every invalid part of a schema', async () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/no' }, b: { type: 'strin' } } };
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['fields', 'schema'] }),
      'agenttools/tools/fields.json': { ...tool, input: { a: 'strin', b: 'string', c: { type: 'enum' } } },
      'agenttools/tools/schema.json': { ...tool, inputSchema: schema },
      'hello.js': hello,
    });
    const found = (await diagnosticsOf(folder)).filter(({ code }) => code === 'invalid-input-schema');
    expect(found.map(({ message }) => message.replace(/^.* has an unusable /, '').slice(0, 40))).toEqual([
      '"input": Field "a": unknown type "strin"',
      '"input": Field "c": an enum requires "va',
      '"inputSchema": "#/no" does not resolve i',
      '"inputSchema": "type" must be one of: ar',
    ]);
  });

  test('calls names unknown that no toolkit can have, though one cannot be loaded', async () => {
    const unknownBeside = async (kit: object) => {
      const folder = await makePackage({
        'package.json': packageJson({ tools: [kit], servers: ['main'] }),
        'agenttools/tools/kit.js': "throw new Error('no luck');",
        'agenttools/servers/main.json': { tools: ['helo'] },
      });
      return (await diagnosticsOf(folder)).filter(({ code }) => code === 'unknown-tool').length;
    };
    expect(await unknownBeside({ toolkit: 'kit', tools: ['hello'] })).toBe(1);
    expect(await unknownBeside({ toolkit: 'kit' })).toBe(0);
  });

  test('distinguishes entries of a server in code by number and position', async () => {
    const entries = ['{ use: "bye" }', '{ use: "bye", titel: 1 }', '{ use: [{ use: "bye", titel: 1 }][0] }'];
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['bye'], servers: ['main'] }),
      'agenttools/tools/bye.json': tool,
      'hello.js': hello,
      'agenttools/servers/main.js': `export default { tools: [\n  ${entries.join(',\n  ')},\n] };`,
    });
    const found = (await diagnosticsOf(folder)).filter(({ code }) => code === 'invalid-server');
    expect(found.map(({ message, line, column }) => `${line}:${column} ${message.split(',')[1]}`)).toEqual([
      '3:17  entry 2 "bye" of "tools"',
      '4:5  entry 3 "bye" of "tools"',
    ]);
  });

  test('lists what is declared, and is valid without errors', async () => {
    const report = await validateExtension(`${fixtures}valid`, optionsFor());
    expect(report).toEqual({
      path: `${fixtures}valid`,
      name: 'valid',
      valid: true,
      servers: ['greeter'],
      tools: ['hello', 'bye'],
      prompts: ['greet'],
      resources: ['names', 'name'],
      apps: ['card'],
      diagnostics: [],
      suppressed: [],
      spellings: [],
      unusedShared: [],
    });
  });

  test('creates an inspector if it gets none', async () => {
    const { openInspector: _, ...options } = optionsFor();
    const valid = await validateExtension(`${fixtures}valid-code`, options);
    expect(valid).toMatchObject({ valid: true, diagnostics: [] });
    const failing = await validateExtension(`${fixtures}definition-failed`, options);
    expect(failing.diagnostics.map(({ code, file }) => `${code} ${file}`)).toContain(
      'definition-failed agenttools/tools/hello.js',
    );
  });

  test('has code, severity, position, item and help command', async () => {
    const [first] = await diagnosticsOf(`${fixtures}missing-definition`);
    expect(first).toEqual({
      code: 'missing-definition',
      severity: 'error',
      message:
        'Tool "bye" has no definition. agenttools/tools.json has no entry "bye", and the item has no separate file.',
      file: 'package.json',
      line: 11,
      column: 7,
      pointer: '/agenttools/tools/1',
      item: { kind: 'tool', name: 'bye' },
      help: 'agenttools explain missing-definition',
    });
  });

  test('is valid with warnings only', async () => {
    const report = await validateExtension(`${fixtures}missing-keyword`, optionsFor());
    expect(report.valid).toBe(true);
    expect(report.diagnostics).toHaveLength(1);
  });

  test('is there for a package without manifest', async () => {
    const report = await validateExtension(`${fixtures}no-extension`, optionsFor());
    expect(report).toMatchObject({ name: 'no-extension', valid: false, tools: [], servers: [] });
  });

  test('is sorted by file, line, column and code', async () => {
    const found = await diagnosticsOf(`${fixtures}invalid-tool`);
    expect(found.map(({ line }) => line)).toEqual(found.map(({ line }) => line).sort((a, b) => a - b));
  });
});

describe('there has to be a package', () => {
  test.for(['no-such-folder', 'valid/package.json', 'valid/agenttools'])('%s', async (place) => {
    const failing = validateExtension(fixtures + place, optionsFor());
    await expect(failing).rejects.toSatisfy(
      (error) => error instanceof AgentToolsError && error.code === 'usage',
    );
  });

  test.for([
    ['not JSON', '{', 'package.json:1:2'],
    ['a list', '[]', 'package.json:1:1'],
    ['empty', '', 'package.json:1:1'],
    ['too deep', '['.repeat(600), 'package.json:1:501'],
    ['too large', `{"x": "${'x'.repeat(6 * 1024 * 1024)}"}`, 'package.json:1:1'],
  ] as const)('a package.json that is %s is reported', async ([, text, place]) => {
    const folder = await makePackage({ 'package.json': text });
    expect(await placesIn(folder)).toEqual([`malformed-manifest ${place}`]);
  });
});

describe('severities', () => {
  const keyword = (rules?: unknown) =>
    makePackage({
      'package.json': packageJson({ tools: [], ...(rules !== undefined && { rules }) }, { keywords: [] }),
    });

  test.for([
    ['off', []],
    ['info', ['info']],
    ['warn', ['warning']],
    ['warning', ['warning']],
    ['error', ['error']],
  ] as const)('a manifest sets a rule to %s', async ([level, severities]) => {
    const found = await diagnosticsOf(await keyword({ 'missing-keyword': level }));
    expect(found.map(({ severity }) => severity)).toEqual(severities);
  });

  test('an option wins over the manifest', async () => {
    const rules = { 'missing-keyword': 'error' } as const;
    const found = await diagnosticsOf(await keyword({ 'missing-keyword': 'off' }), { rules });
    expect(found.map(({ severity }) => severity)).toEqual(['error']);
  });

  test('--resolve turns unresolved references into errors, unless a rule is set otherwise', async () => {
    const folder = `${fixtures}unresolved-reference`;
    const severities = async (options: Partial<ValidateOptions>) =>
      (await diagnosticsOf(folder, options)).map(({ severity }) => severity);
    expect(await severities({})).toEqual(['warning', 'warning']);
    expect(await severities({ resolve: true })).toEqual(['error', 'error']);
    expect(await severities({ resolve: true, rules: { 'unresolved-reference': 'info' } })).toEqual([
      'info',
      'info',
    ]);
  });

  test('apply to the diagnostics of a server run', async () => {
    const folder = await keyword({ 'slow-start': 'off', 'boot-failed': 'warn' });
    const found = await diagnosticsOf(folder, {
      boot: async () => [
        { code: 'slow-start', severity: 'warning', message: 'Slow.', location: { file: 'package.json' } },
        {
          code: 'boot-failed',
          severity: 'error',
          message: 'No.',
          location: { file: 'package.json', path: ['name'] },
        },
      ],
    });
    expect(found.map(({ code, severity, line }) => `${code} ${severity} ${line}`)).toEqual([
      'boot-failed warning 1',
      'missing-keyword warning 1',
    ]);
  });
});

describe('positions', () => {
  const json = (...lines: string[]) => lines.join('\n');
  const lines = json('{', '\t"description": "Grüße 👋 ok.", "titel": "x",', '  "handler": 5', '}');

  test.for([
    ['line feeds', lines, ['unknown-definition-key 2:33', 'missing-handler 3:14']],
    ['CRLF', lines.replaceAll('\n', '\r\n'), ['unknown-definition-key 2:33', 'missing-handler 3:14']],
    ['a BOM', `\uFEFF${lines}`, ['unknown-definition-key 2:33', 'missing-handler 3:14']],
    [
      'a BOM in the only line',
      `\uFEFF${lines.replaceAll(/\n\s*/g, ' ')}`,
      ['unknown-definition-key 1:34', 'missing-handler 1:59'],
    ],
  ] as const)('with %s', async ([, text, places]) => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'] }),
      'agenttools/tools/hello.json': text,
    });
    expect(await placesIn(folder)).toEqual(
      places.map((place) => place.replace(' ', ' agenttools/tools/hello.json:')),
    );
  });

  test('in a key that is spelled otherwise, and in an entry of a combined file', async () => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'] }),
      'agenttools/tools.jsonc': json(
        '// Tools',
        '{',
        '  "hello": {',
        '    "Description": "x",',
        '    "Function": "./gone.js",',
        '    "Parameters": {',
        '      "n": { "Interpreter": "Text" },',
        '    },',
        '  },',
        '}',
      ),
    });
    expect(await placesIn(folder)).toEqual([
      'missing-handler agenttools/tools.jsonc:5:17',
      'invalid-input-schema agenttools/tools.jsonc:7:29',
    ]);
  });

  test('in a separate manifest, and in a definition within a list', async () => {
    const folder = await makePackage({
      'package.json': packageJson('./agenttools.jsonc'),
      'agenttools.jsonc': json('{', '  // Servers', '  "servers": ["all", "gone"],', '}'),
      'agenttools/servers/all.json': json(
        '{ "LLMEvaluator": {',
        '  "Tools": [',
        '    { "name": "hi", "description": "x", "handler": "./gone.js" }',
        '] } }',
      ),
    });
    expect(await placesIn(folder)).toEqual([
      'missing-definition agenttools.jsonc:3:22',
      'missing-handler agenttools/servers/all.json:3:52',
    ]);
  });
});

describe('one thing is reported once', () => {
  test('a broken combined file, however many items it was to define', async () => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['a', 'b', 'c'], prompts: ['p', 'q'] }),
      'agenttools/tools.json': '{ "a": ',
      'agenttools/prompts.js': 'throw new Error("no");',
    });
    expect(await placesIn(folder)).toEqual([
      'definition-failed agenttools/prompts.js:1:7',
      'invalid-definition agenttools/tools.json:1:8',
    ]);
  });

  test('an item without definition that servers list', async () => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['a'], servers: ['s', 't'] }),
      'agenttools/servers.json': { s: { tools: '*' }, t: { tools: ['a'] } },
    });
    expect((await placesIn(folder)).map((line) => line.split(' ')[0])).toEqual(['missing-definition']);
  });
});

describe('odd files', () => {
  test('too large, too deep, a folder, empty, or not UTF-8: each is a diagnostic', async () => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['large', 'deep', 'folder', 'empty', 'bytes', 'code'] }),
      'agenttools/tools/large.json': `{"description": "${'x'.repeat(5 * 1024 * 1024)}"}`,
      'agenttools/tools/deep.jsonc': `{"meta": ${'{"a":'.repeat(600)}1${'}'.repeat(600)}}`,
      'agenttools/tools/folder.json/x': '',
      'agenttools/tools/code.js/x': '',
      'agenttools/tools/empty.json': '',
    });
    await writeFile(path.join(folder, 'agenttools/tools/bytes.json'), Buffer.from([0x7b, 0xff, 0xfe, 0x00]));
    const found = await diagnosticsOf(folder);
    expect(found.map(({ code, file }) => `${code} ${file.slice('agenttools/tools/'.length)}`)).toEqual([
      'invalid-definition bytes.json',
      'definition-failed code.js',
      'invalid-definition deep.jsonc',
      'invalid-definition empty.json',
      'invalid-definition folder.json',
      'invalid-definition large.json',
    ]);
  });
});

describe('links', () => {
  test('ignores links out of the package', async () => {
    const outside = await makePackage({
      'tool.json': tool,
      'code.js': "throw new Error('not to be run')",
      'folder/tools/x.json': tool,
      'manifest.json': { tools: [] },
    });
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['a', 'b', 'c'], resources: ['r'] }),
      'agenttools/tools/c.json': { ...tool, handler: './linked.js#x' },
      'agenttools/resources/r.json': { description: 'x', uri: 'x://r', file: 'linked.txt' },
    });
    await symlink(path.join(outside, 'tool.json'), path.join(folder, 'agenttools/tools/a.json'));
    await symlink(path.join(outside, 'code.js'), path.join(folder, 'agenttools/tools/b.js'));
    await symlink(path.join(outside, 'code.js'), path.join(folder, 'linked.js'));
    await symlink(path.join(outside, 'tool.json'), path.join(folder, 'linked.txt'));
    const found = await diagnosticsOf(folder);
    expect(found.map(({ code, item }) => `${code} ${item?.name}`).sort()).toEqual([
      'path-outside-package a',
      'path-outside-package b',
      'path-outside-package c',
      'path-outside-package r',
    ]);

    const rooted = await makePackage({ 'package.json': packageJson({ root: 'defs', tools: ['x'] }) });
    await symlink(path.join(outside, 'folder'), path.join(rooted, 'defs'));
    expect((await placesIn(rooted)).map((line) => line.split(' ')[0])).toEqual(['path-outside-package']);

    const linked = await makePackage({ 'package.json': packageJson('./manifest.json') });
    await symlink(path.join(outside, 'manifest.json'), path.join(linked, 'manifest.json'));
    expect((await placesIn(linked)).map((line) => line.split(' ')[0])).toEqual(['path-outside-package']);
  });

  test('within the package, and to the package itself, are fine', async () => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'] }),
      'hello.js': hello,
      'agenttools/tools/real.jsonc': tool,
    });
    const other = await makePackage({});
    await symlink(folder, path.join(other, 'link'));
    await symlink(path.join(folder, 'hello.js'), path.join(folder, 'link.js'));
    await writeFile(
      path.join(folder, 'agenttools/tools/hello.json'),
      JSON.stringify({ ...tool, handler: './link.js#hello' }),
    );
    const codes = (await placesIn(path.join(other, 'link'))).map((line) => line.split(' ')[0]);
    expect(codes).toEqual(['not-packed', 'undeclared-definition']);
  });
});

test('marked functions are reached by name or by their module, however that is written', async () => {
  const described = { description: 'x', inputSchema: { type: 'object', properties: {} }, parameters: [] };
  const references = { by_name: './hello.js#hello', of_module: './kit.js#hello', lost: './lost.js#hello' };
  const functions = Object.fromEntries(Object.values(references).map((one) => [one, described]));
  const folder = await makePackage({
    'package.json': packageJson({ tools: ['by_name', { toolkit: 'kit', module: './x/../kit.js' }] }),
    'agenttools/derived.json': { version: 1, files: {}, functions, tools: references },
    'hello.js': hello,
    'kit.js': hello,
    'lost.js': hello,
  });
  const found = await diagnosticsOf(folder);
  expect(found.map(({ code, item }) => `${code} ${item?.name}`)).toEqual(['undeclared-definition lost']);
});

describe('other packages', () => {
  test('are looked for around the extension, and their items count in servers', async () => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'], servers: ['all'] }),
      'hello.js': hello,
      'agenttools/tools/hello.json': tool,
      'agenttools/servers/all.json': {
        tools: ['hello', '@acme/greeter/hello', '@acme/greeter/gone', '@acme/plain/hello', 'acme/broken/x'],
      },
    });
    await writeFiles(path.join(folder, 'node_modules/@acme'), {
      'greeter/package.json': {
        name: '@acme/greeter',
        version: '1.0.0',
        type: 'module',
        agenttools: { tools: ['hello'] },
      },
      'greeter/agenttools/tools/hello.js': toolModule(),
      'plain/package.json': { name: '@acme/plain', version: '1.0.0' },
      'broken/package.json': '{',
    });
    const at = 'agenttools/servers/all.json:1:';
    expect((await placesIn(folder)).map((line) => line.replace(/:\d+$/, ':'))).toEqual([
      `duplicate-wire-name ${at}`,
      `unresolved-reference ${at}`,
      `unresolved-reference ${at}`,
      `unresolved-reference ${at}`,
    ]);
  });
});

describe('packaging', () => {
  const files = {
    'agenttools/tools/hello.json': { ...tool, handler: './dist/hello.js#hello' },
    'dist/hello.js': hello,
  };

  test.for([
    ['a list of files', { files: ['dist', 'agenttools'] }, {}, []],
    ['a list without the definitions', { files: ['dist'] }, {}, ['agenttools/tools/hello.json']],
    ['an odd list', { files: ['dist/*', './agenttools/**', 5] }, {}, []],
    ['a .gitignore', {}, { '.gitignore': 'dist/\n' }, ['dist/hello.js']],
    ['a .npmignore, which hides the .gitignore', {}, { '.gitignore': 'dist\n', '.npmignore': 'test\n' }, []],
    ['a .gitignore in a folder', {}, { 'dist/.gitignore': '*\n' }, ['dist/hello.js']],
    ['main', { files: ['agenttools'], main: './dist/hello.js' }, {}, []],
    ['bin as text', { files: ['agenttools'], bin: 'dist/hello.js' }, {}, []],
    ['private', { files: [], private: true }, {}, []],
  ] as const)('is judged by what npm ships: %s', async ([, fields, more, missing]) => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'] }, fields),
      ...files,
      ...more,
    });
    const found = await diagnosticsOf(folder);
    expect(
      found.map(
        ({ code, message }) =>
          `${code} ${message
            .match(/names, (\S+),|"hello", (\S+),/)
            ?.slice(1)
            .find(Boolean)}`,
      ),
    ).toEqual(missing.map((file) => `not-packed ${file}`));
  });

  test('goes for skills, which servers of other packages may list, too', async () => {
    const folder = await makePackage({
      'package.json': packageJson({ servers: ['main'] }, { files: ['agenttools'] }),
      'agenttools/servers/main.json': JSON.stringify({ skills: ['tea'] }),
      'skills/tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\n',
      'skills/tea/times.md': 'Four minutes.',
      'skills/other/SKILL.md': '---\nname: other\ndescription: Is not listed.\n---\n',
    });
    const messages = (await diagnosticsOf(folder)).map(({ code, message }) => `${code}: ${message}`);
    expect(messages).toEqual([
      expect.stringContaining('not-packed: A file of skill "other", skills/other/SKILL.md,'),
      expect.stringContaining('not-packed: A file of skill "tea", skills/tea/SKILL.md,'),
    ]);
  });

  test('runs no script of the package', async () => {
    const script = "node -e \"require('fs').writeFileSync('ran', '')\"";
    const scripts = { prepack: script, prepare: script, prepublishOnly: script };
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'] }, { scripts }),
      ...files,
    });
    expect(await placesIn(folder)).toEqual([]);
    const { existsSync } = await import('node:fs');
    expect(existsSync(path.join(folder, 'ran'))).toBe(false);
  });
});

describe('packages that shipped code imports', () => {
  const handler = { 'agenttools/tools/hello.json': tool };
  const word = 'export const hello = () => word;\n';

  test.for([
    ['nobody names', "import { word } from 'words';", {}, ['words']],
    ['only development needs', "import 'words';", { devDependencies: { words: '1' } }, ['words']],
    ['AgentTools supplies', "import 'agenttools';", {}, []],
    ['are dependencies', "import 'words/en';", { dependencies: { words: '1' } }, []],
    ['are peers', "import '@x/words/en.js';", { peerDependencies: { '@x/words': '1' } }, []],
    ['are optional', "import 'words';", { optionalDependencies: { words: '1' } }, []],
    ['are bundled', "import 'words';", { bundleDependencies: ['words'] }, []],
    ['are named by scope only', "import '@x/words/en';", { dependencies: { '@x/other': '1' } }, ['@x/words']],
    ['are part of Node', "import 'node:fs'; import 'fs/promises'; import '#own';", {}, []],
    ['are this one', "import 'greeter/hello.js';", {}, []],
    ['may be missing', "await import('words').catch(() => {});", {}, []],
    ['are named twice', "import 'words'; import './more.js';", {}, ['words']],
    ['are mentioned', "// import 'words'\nconst text = \"import 'words'\";", {}, []],
    ['a private package has', "import 'words';", { private: true }, []],
    ['CommonJS requires', "const { word } = require('words');", { type: 'commonjs' }, ['words']],
    ['CommonJS can do without', "try {\n  require('words');\n} catch {}", { type: 'commonjs' }, []],
  ] as const)('%s', async ([, statement, fields, missing]) => {
    const isScript = 'type' in fields;
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'] }, fields),
      ...handler,
      'hello.js': `${statement}\n${isScript ? 'exports.hello = () => 1;' : word}`,
      'more.js': "import 'words';\n",
    });
    const found = await diagnosticsOf(folder, { load: false });
    const told = found.filter(({ code }) => code === 'not-packed');
    expect(told.map(({ file, message }) => `${file} ${message.match(/"(.*?)"/)?.[1]}`)).toEqual(
      missing.map((name) => `hello.js ${name}`),
    );
  });
});

describe('an existing server that is run from node_modules', () => {
  const server = {
    'node_modules/words/package.json': '{ "name": "words", "bin": "./cli.js" }',
    'node_modules/words/cli.js': "import './more.js';\nimport 'stranger';\n",
    'node_modules/words/more.js': '',
    'node_modules/.bin/words': "import 'stranger';\n",
  };

  test.for([
    ['./node_modules/words/cli.js', {}, /^The program of tool "hello", .*Write "package": "words" instead/],
    ['./node_modules/.bin/words', {}, /Write its package as "package" instead of the path\.$/],
    ['./node_modules/words/cli.js', { private: true }, undefined],
    ['./node_modules/words/cli.js', { bundleDependencies: ['words'] }, undefined],
  ] as const)('as %s, with %j, is reported once: %s', async ([file, fields, words]) => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'] }, { dependencies: { words: '1' }, ...fields }),
      'agenttools/tools/hello.json': JSON.stringify({
        description: 'Says hello.',
        upstream: { command: 'node', args: [file] },
      }),
      ...server,
    });
    const found = await diagnosticsOf(folder, { load: false });
    const told = found.filter(({ code }) => code === 'not-packed').map(({ message }) => message);
    expect(told).toEqual(words === undefined ? [] : [expect.stringMatching(words)]);
  });
});

describe('the name of a package', () => {
  test.for([
    ['greeter', {}, true],
    ['@acme/greeter.js', {}, true],
    ['@acme/greeter', { private: true }, true],
    ['Greeter', {}, false],
    ['Greeter', { private: true }, true],
    ['My Plug/in/x', {}, false],
    ['My Plug/in/x', { private: true }, false],
    ['@x/..', {}, false],
    ['@x/..', { private: true }, false],
    ['_greeter', {}, false],
    ['.greeter', {}, false],
    ['x'.repeat(215), {}, false],
    ['', {}, false],
    [5, {}, false],
    [5, { private: true }, false],
    [undefined, {}, false],
    [undefined, { private: true }, true],
  ] as const)('%o %o is legal: %o', async ([name, fields, isLegal]) => {
    const folder = await makePackage({ 'package.json': packageJson({ tools: [] }, { name, ...fields }) });
    const found = (await diagnosticsOf(folder)).filter(({ code }) => code === 'malformed-manifest');
    expect(found.map(({ file }) => file)).toEqual(isLegal ? [] : ['package.json']);
    for (const { message } of found) expect(message).toMatch(/214 characters/);
  });
});

describe('faults in a definition', () => {
  const prompt = { description: 'Greets.' };
  const block = (content: unknown) => ({ ...prompt, messages: [{ role: 'user', content }] });
  const resource = (uriTemplate: string) => ({ description: 'Rows.', uriTemplate, read: './hello.js#hello' });
  const needing = (requires: unknown) => ({ ...tool, requires });

  test.for([
    ['prompts', 'a text block', block({ type: 'text', text: 'Hi.' }), []],
    ['prompts', 'a list of no messages', { ...prompt, messages: [] }, ['invalid-prompt messages']],
    ['prompts', 'an image without data', block({ type: 'image' }), ['invalid-prompt messages.0.content']],
    ['prompts', 'a block of no known type', block({ type: 'x' }), ['invalid-prompt messages.0.content']],
    ['tools', 'client capabilities', needing(['sampling']), []],
    [
      'tools',
      'every need',
      needing({ client: 'sampling', env: ['KEY'], bin: ['git'], level: 'suggested' }),
      [],
    ],
    ['tools', 'a level that is none', needing({ level: 'must' }), ['invalid-tool requires.level']],
    ['tools', 'a need that is no text', needing({ env: [5] }), ['invalid-tool requires.env']],
    ['tools', 'needs of which one suffices', needing({ env: [['A', 'B'], 'C'], bin: [['a', 'b']] }), []],
    ['tools', 'needs of which none suffices', needing({ env: [[]] }), ['invalid-tool requires.env']],
    ['tools', 'one of needs that is no text', needing({ bin: [['a', 5]] }), ['invalid-tool requires.bin']],
    ['tools', 'needs too deep', needing({ bin: [[['a']]] }), ['invalid-tool requires.bin']],
    [
      'tools',
      'capabilities of which one suffices',
      needing({ client: [['roots', 'sampling']] }),
      ['invalid-tool requires.client'],
    ],
    [
      'tools',
      'a need of no known kind',
      needing({ clients: ['x'] }),
      ['unknown-definition-key requires.clients'],
    ],
    ['resources', 'a template', resource('db://{table}/{+path}{?a,b*,c:3}'), []],
    ['resources', 'an expression of nothing', resource('db://{}'), ['invalid-resource uriTemplate']],
    ['resources', 'a reserved operator', resource('db://{!a}'), ['invalid-resource uriTemplate']],
    ['resources', 'an expression without end', resource('db://{a'), ['invalid-resource uriTemplate']],
  ] as const)('finds the faults of %s: %s', async ([kind, , definition, faults]) => {
    const folder = await makePackage({
      'package.json': packageJson({ [kind]: ['x'] }),
      [`agenttools/${kind}/x.json`]: definition,
      'hello.js': hello,
    });
    const { diagnostics } = await diagnose(folder, optionsFor());
    expect(diagnostics.map(({ code, location }) => `${code} ${location.path?.join('.')}`)).toEqual(faults);
  });

  const input = { city: 'string', days: { type: 'integer', max: 7 } };

  test.for([
    ['what the tool takes', input, { arguments: { days: 3 }, options: { key: 'x' } }, []],
    ['an unknown argument', input, { arguments: { day: 3 } }, ['arguments.day']],
    ['an argument of another type', input, { arguments: { days: 'many' } }, ['arguments.days']],
    ['an argument out of range', input, { arguments: { days: 9 } }, ['arguments.days']],
    ['an unknown option', input, { options: { kay: 'x' } }, ['options.kay']],
    ['an argument of a tool without a schema', undefined, { arguments: { day: 3 } }, []],
    [
      'an argument of an open schema',
      { type: 'object', properties: {}, additionalProperties: true },
      { arguments: { day: 3 } },
      [],
    ],
    ['an argument of a broken schema', { type: 'objekt' }, { arguments: { day: 3 } }, []],
  ] as const)('an entry that fixes %s', async ([, input, fixed, faults]) => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['hello'], servers: ['all'] }),
      'agenttools/tools/hello.json': { ...tool, input, options: { key: '' } },
      'agenttools/servers/all.json': { tools: [{ use: 'hello', ...fixed }] },
      'hello.js': hello,
    });
    const { diagnostics } = await diagnose(folder, optionsFor());
    const own = diagnostics.filter(({ code }) => code === 'invalid-server');
    expect(own.map(({ location }) => location.path?.join('.'))).toEqual(
      faults.map((fault) => `tools.0.${fault}`),
    );
  });
});

describe('module formats', () => {
  test.for([
    ['ESM in .js without type', undefined, 'x.js', 'export default {};', true],
    ['ESM with a syntax fault in .js without type', undefined, 'x.js', 'import "./y.js"; let let = 1;', true],
    ['ESM in .js of a module package', 'module', 'x.js', 'export default {};', false],
    ['CommonJS in .js of a module package', 'module', 'x.js', 'module.exports = {};', true],
    ['CommonJS in .cjs of a module package', 'module', 'x.cjs', 'module.exports = {};', false],
    ['ESM in .mjs of a CommonJS package', 'commonjs', 'x.mjs', 'export default {};', false],
    ['exports named in .js of a module package', 'module', 'x.js', 'exports.default = {};', true],
    [
      'a mention of module.exports',
      'module',
      'x.js',
      'export default { d: "module.exports = 1" }; // exports.a = 1',
      false,
    ],
    [
      'CommonJS through createRequire',
      'module',
      'x.js',
      'import { createRequire } from "node:module"; const module = { exports: {} }; module.exports.a = createRequire; export default module.exports;',
      false,
    ],
    [
      'a comment that mentions export',
      undefined,
      'x.js',
      '// export default\nmodule.exports = { description: "export default" };',
      false,
    ],
    [
      'a nested package.json',
      'module',
      'x.js',
      'module.exports = {};',
      false,
      { 'agenttools/package.json': { type: 'commonjs' } },
    ],
  ] as const)('%s', async ([, type, file, code, isFault, more = {}]) => {
    const folder = await makePackage({
      'package.json': packageJson({ servers: ['x'] }, { type }),
      [`agenttools/servers/${file}`]: code,
      ...more,
    });
    const codes = (await diagnosticsOf(folder)).map(({ code }) => code);
    expect(codes.includes('module-format')).toBe(isFault);
    expect(codes).not.toContain('definition-failed');
  });
});

describe('servers that can only start empty', () => {
  test.each([[{}], [{ tools: [] }], [{ $schema: 'x', servers: [], tools: [] }]])('%j', async (manifest) => {
    const folder = await makePackage({ 'package.json': packageJson(manifest) });
    expect((await diagnosticsOf(folder)).map(({ code }) => code)).toEqual(['no-extension']);
  });
});

test.each(['() => 1', 'class Tool {}', '5'])(
  'reports a code definition that exports %s as not an object, and only this',
  async (value) => {
    const folder = await makePackage({
      'package.json': packageJson({ tools: ['x'] }),
      'agenttools/tools/x.js': `export default ${value};\n`,
    });
    expect((await diagnosticsOf(folder)).map(({ code }) => code)).toEqual(['invalid-definition']);
  },
);
