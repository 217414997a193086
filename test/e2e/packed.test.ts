import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, test } from 'vitest';
import { templates } from '../../src/engine/create/templates.js';
import { addFiles, packageJson, writeFolder } from '../support/packages.js';
import { execute, installInto, pack, type Tarball } from '../support/packed.js';
import { bareEnvironment, openProgram, root } from '../support/program.js';

let tarball: Tarball;
let home: string;
let bin: string;

beforeAll(async () => {
  tarball = await pack();
  home = writeFolder();
  await installInto(home, tarball);
  bin = path.join(home, 'node_modules/.bin/agenttools');
});

const agenttools = async (args: readonly string[], cwd = home) => await execute(bin, args, { cwd });

/** Starts an installed server with the official client, and hands it to a conversation. */
async function converse<Said>(
  args: readonly string[],
  say: (client: Client) => Promise<Said>,
  cwd = home,
): Promise<Said> {
  const client = new Client({ name: 'e2e', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const [command = bin, ...rest] = args;
  await client.connect(
    new StdioClientTransport({ command, args: rest, cwd, env: bareEnvironment(), stderr: 'inherit' }),
  );
  try {
    return await say(client);
  } finally {
    await client.close();
  }
}

describe('the tarball', () => {
  const names = () => tarball.files.map(({ path: name }) => name);

  test('holds the program, the libraries with their types, the built-in extensions, the documents and the licences', () => {
    const promised = [
      'package.json',
      'README.md',
      'LICENSE',
      'bin/agenttools.js',
      'bin/package.json',
      'dist/cli.js',
      'dist/start.cjs',
      'dist/start-script.js',
      'dist/index.js',
      'dist/engine.js',
      'dist/testing.js',
      'dist/inspector-child.js',
      'dist/types/index.d.ts',
      'dist/types/engine.d.ts',
      'dist/types/testing.d.ts',
      'dist/THIRD-PARTY-LICENSES.txt',
      'src/builtin/agenttools/package.json',
      'src/builtin/agenttools/diagnostics.js',
      'src/builtin/agenttools/catalog.js',
      'docs/rules/missing-definition.md',
    ];
    expect(promised.filter((name) => !names().includes(name))).toEqual([]);
  });

  test('holds nothing else', () => {
    const strangers = names().filter(
      (name) =>
        !/^(?:bin|dist|docs|src\/builtin)\/|^(?:package\.json|README\.md|LICENSE|bench\/README\.md)$/.test(
          name,
        ),
    );
    expect(strangers).toEqual([]);
    expect(names().filter((name) => /\.test\.|fixtures\/|(?<!\.d)\.ts$|\.map$/.test(name))).toEqual([]);
  });

  test('is small: below 2.2 MB, below 8 MB unpacked', () => {
    expect(tarball.size).toBeLessThan(2_200_000);
    expect(tarball.unpackedSize).toBeLessThan(8_000_000);
  });

  test('exports exactly the declared files', () => {
    const { exports, bin: bins } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const targets = [...Object.values(exports), ...Object.values(bins)].flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry as Record<string, string>),
    );
    const isThere = (target: string) => {
      const [before = '', after] = target.replace(/^\.\//, '').split('*');
      return names().some((name) =>
        after === undefined ? name === before : name.startsWith(before) && name.endsWith(after),
      );
    };
    expect(targets.filter((target) => !isThere(target))).toEqual([]);
  });
});

describe('the installed package', () => {
  test('was installed without network, dependencies and scripts', () => {
    const {
      scripts = {},
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
    } = JSON.parse(readFileSync(path.join(home, 'node_modules/agenttools/package.json'), 'utf8'));
    expect({ ...dependencies, ...optionalDependencies, ...peerDependencies }).toEqual({});
    expect(Object.keys(scripts).filter((name) => /install|^prepare$/.test(name))).toEqual([]);
    const lock = JSON.parse(readFileSync(path.join(home, 'package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/agenttools']);
    expect(lock.packages['node_modules/agenttools'].hasInstallScript).toBeUndefined();
  });

  test('prints its version and its help without output on stderr', async () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    expect(await agenttools(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const help = await agenttools(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const command of ['create', 'validate', 'show', 'call', 'start', 'explain'])
      expect(help.stdout).toContain(command);
  });

  test('explains every diagnostic', async () => {
    const { stdout, code } = await agenttools(['explain', '--json']);
    expect(code).toBe(0);
    const rules = JSON.parse(stdout) as readonly { code: string }[];
    expect(rules.length).toBeGreaterThan(20);
    const docs = path.join(home, 'node_modules/agenttools/docs');
    const doctor = readFileSync(path.join(docs, 'doctor.md'), 'utf8');
    for (const { code: one } of rules)
      expect(
        one.startsWith('doctor/') ? doctor.includes(one) : existsSync(path.join(docs, `rules/${one}.md`)),
        one,
      ).toBe(true);
    expect(await agenttools(['explain', rules[0]!.code])).toMatchObject({ code: 0, stderr: '' });
  });

  test('serves its built-in server when none is named', async () => {
    const answer = await converse(
      [bin, 'start'],
      async (client) => await client.callTool({ name: 'diagnostics', arguments: {} }),
    );
    expect(answer.structuredContent).toMatchObject({ server: { name: 'agenttools' } });
  });

  test('creates, validates, shows, calls and starts an extension', async () => {
    expect(await agenttools(['create', 'plugin'])).toMatchObject({ code: 0, stderr: '' });
    const cwd = path.join(home, 'plugin');
    expect(await agenttools(['validate', '--strict'], cwd)).toMatchObject({ code: 0, stderr: '' });
    expect(await agenttools(['validate', '--boot'], cwd)).toMatchObject({ code: 0, stderr: '' });
    expect((await agenttools(['show', '.', '--json'], cwd)).code).toBe(0);
    expect(await agenttools(['call', '.', 'greet', '{"name":"Ada"}'], cwd)).toEqual({
      code: 0,
      stdout: 'Hello, Ada!\n',
      stderr: '',
    });
    const answer = await converse(
      [bin, 'start', cwd],
      async (client) => await client.callTool({ name: 'greet', arguments: { name: 'Bo' } }),
    );
    expect(answer.content).toEqual([{ type: 'text', text: 'Hello, Bo!' }]);
  });

  const made = Object.keys(templates).flatMap((template) => [
    [template, '--js'],
    [template, '--ts'],
  ]);

  test.each(made)(
    'creates the template %s with %s, which compiles, validates and passes its tests',
    async (template, language) => {
      const name = `${template}${language}`;
      expect(await agenttools(['create', name, '--template', template, language])).toMatchObject({
        code: 0,
        stderr: '',
      });
      const cwd = path.join(home, name);
      // Its dependencies: our package is found upwards, as in a workspace; the rest is what this repository has.
      mkdirSync(path.join(cwd, 'node_modules'));
      for (const one of ['@types', 'zod'])
        symlinkSync(path.join(root, 'node_modules', one), path.join(cwd, 'node_modules', one));
      if (language === '--ts') {
        const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
        expect(await execute(process.execPath, [compiler, '-p', cwd], { cwd })).toMatchObject({
          code: 0,
          stdout: '',
        });
      }
      expect(await agenttools(['validate', '--strict'], cwd)).toMatchObject({ code: 0 });
      expect(await agenttools(['test', '--update'], cwd)).toMatchObject({ code: 0 });
      expect((await agenttools(['test'], cwd)).stdout).toMatch(/^ok /m);
    },
  );

  test('generates an item of each kind, which validates and passes its test', async () => {
    await agenttools(['create', 'grown', '--js']);
    const cwd = path.join(home, 'grown');
    for (const kind of ['tool', 'prompt', 'resource', 'app', 'server'])
      expect(await agenttools(['generate', kind, `new-${kind}`], cwd)).toMatchObject({ code: 0, stderr: '' });
    expect(await agenttools(['validate', '--strict'], cwd)).toMatchObject({ code: 0 });
    expect((await agenttools(['test', '--update'], cwd)).stdout).toMatch(/^ok grown: 14 passed/m);
  });

  test('has types that are whole, for compilers that look into them', async () => {
    const cwd = path.join(home, 'strict');
    const from = ['agenttools', 'agenttools/engine', 'agenttools/handler'];
    mkdirSync(path.join(cwd, 'node_modules'), { recursive: true });
    symlinkSync(path.join(root, 'node_modules/@types'), path.join(cwd, 'node_modules/@types'));
    const program = from.map((name, index) => `export * as _${index} from '${name}';`).join('\n');
    writeFileSync(path.join(cwd, 'program.mts'), program);
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    expect(
      await execute(process.execPath, [compiler, ...options, '--skipLibCheck', 'false', 'program.mts'], {
        cwd,
      }),
    ).toMatchObject({ code: 0, stdout: '' });
  });

  const wrong = [
    [`{ input: { city: { type: 'strin' } }, handler }`, `Did you mean '"string"'?`],
    [`{ input: { city: 'strin' }, handler }`, `Did you mean '"string"'?`],
    [`{ input: { city: { type: 'string', requird: true } }, handler }`, `Did you mean to write 'required'?`],
    [`{ output: { city: { type: 'strin' } }, handler }`, `Did you mean '"string"'?`],
    [`{ descripton: 'Greets.', handler }`, `Did you mean to write 'description'?`],
    [`{ description: 1, handler }`, `Type 'number' is not assignable to type 'string'`],
    [`{ description: 'Greets.', hander: handler }`, `Did you mean to write 'handler'?`],
  ] as const;

  test.each(['typescript', 'typescript-5'])(
    'has types that name the valid spelling in one line: %s',
    async (name) => {
      const cwd = path.join(home, `wrong-${name}`);
      mkdirSync(path.join(cwd, 'node_modules'), { recursive: true });
      symlinkSync(path.join(root, 'node_modules/@types'), path.join(cwd, 'node_modules/@types'));
      const lines = wrong.map(([definition]) => `defineTool(${definition});`);
      const program = [
        `import { defineTool } from 'agenttools';`,
        `const handler = () => ({ city: 'x' });`,
        ...lines,
      ];
      writeFileSync(path.join(cwd, 'program.mts'), program.join('\n'));
      const compiler = path.join(root, 'node_modules', name, 'bin/tsc');
      const options = [
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2022',
        '--skipLibCheck',
      ];
      const { stdout } = await execute(process.execPath, [compiler, ...options, 'program.mts'], { cwd });
      const found = stdout.trim().split('\n');
      expect(found).toHaveLength(wrong.length);
      for (const [index, [, text]] of wrong.entries()) {
        expect(found[index]).toContain(`program.mts(${index + 3},`);
        expect(found[index]).toContain(text);
      }
    },
  );
});

describe('an extension with a separate copy of agenttools', () => {
  const code = `import { audio, defineTool, error, fields, image, jsonSchema, ProtocolError, resourceLink, results, structured, text, ToolError } from 'agenttools';
    const how = {
      text: () => text('made by the other copy'),
      error: () => error('a failure'),
      structured: () => structured({ n: 1 }, ['one']),
      results: () => results(['a', image('AAAA', 'image/png'), audio('AAAA', 'audio/wav'), resourceLink('file:///a', 'a')]),
      'tool-error': () => { throw new ToolError('read this'); },
      'protocol-error': () => { throw new ProtocolError(-32000, 'on the wire', { a: 1 }); },
    };
    export const make = defineTool({
      description: 'Makes a result.',
      input: fields({ how: { type: 'enum', values: Object.keys(how), required: true } }),
      handler: ({ how: way }) => how[way](),
    });
    export const raw = defineTool({
      description: 'Takes raw JSON Schema.',
      input: jsonSchema({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false }),
      handler: ({ n }) => \`\${n}\`,
    });
    export default { make, raw };`;

  test.each(['this copy', 'the installed copy'])('is served by %s as if it had none', async (which) => {
    const folder = writeFolder({
      'package.json': packageJson({
        tools: ['make', 'raw'],
        prompts: ['ask'],
        resources: ['file'],
        servers: ['main'],
      }),
    });
    await installInto(folder, tarball);
    addFiles(folder, {
      'package.json': packageJson({
        tools: ['make', 'raw'],
        prompts: ['ask'],
        resources: ['file'],
        servers: ['main'],
      }),
      'agenttools/tools.js': code,
      'agenttools/prompts/ask.js': `import { assistant, definePrompt, user } from 'agenttools';
        export default definePrompt({ description: 'Asks.', content: () => [user('Who?'), assistant('Me.')] });`,
      'agenttools/resources/file.js': `import { defineResource } from 'agenttools';
        export default defineResource({ uri: 'kit://file', description: 'A file.', mimeType: 'text/plain', read: () => 'content' });`,
      'agenttools/servers/main.js': `import { defineServer } from 'agenttools';
        export default defineServer({ title: 'Main', tools: '*', prompts: '*', resources: '*' });`,
    });
    const options = which === 'this copy' ? {} : { command: [bin, 'start', folder] as const };
    const program = await openProgram(folder, options);
    expect(await program.textOf('make', { how: 'text' })).toBe('made by the other copy');
    expect(await program.call('make', { how: 'error' })).toEqual({
      content: [{ type: 'text', text: 'a failure' }],
      isError: true,
    });
    expect(await program.call('make', { how: 'structured' })).toMatchObject({
      structuredContent: { n: 1 },
      content: [{ text: 'one' }],
    });
    const { content } = await program.call('make', { how: 'results' });
    expect(content.map(({ type }: { type: string }) => type)).toEqual([
      'text',
      'image',
      'audio',
      'resource_link',
    ]);
    expect(await program.call('make', { how: 'tool-error' })).toEqual({
      content: [{ type: 'text', text: 'read this' }],
      isError: true,
    });
    expect(await program.call('make', { how: 'protocol-error' })).toEqual({
      code: -32000,
      message: 'on the wire',
      data: { a: 1 },
    });
    expect(await program.call('make', { how: 'nope' })).toMatchObject({ isError: true });
    expect(await program.textOf('raw', { n: 5 })).toBe('5');
    expect(await program.call('raw', { n: 'x' })).toMatchObject({ isError: true });
    const { messages } = await program.request('prompts/get', { name: 'ask' });
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
    expect((await program.request('resources/read', { uri: 'kit://file' })).contents[0].text).toBe('content');
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  });
});
