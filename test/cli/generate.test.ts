import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kinds, singular } from '../../src/engine/extension/item-kinds.js';
import { type Files, runCli } from '../support/run-cli.js';

/** Runs `create`, then `generate` in the new package. */
async function generate(
  words: readonly string[],
  { create = [], files = {} }: { create?: readonly string[]; files?: Files } = {},
) {
  const { cwd } = await runCli(['create', 'kit', ...create], { files });
  const folder = path.join(cwd, 'kit');
  const run = await runCli(['generate', ...words], { cwd: folder });
  const read = async (file: string) => await readFile(path.join(folder, file), 'utf8');
  return { ...run, folder, read };
}

describe('generate', () => {
  it.each(kinds.map((kind) => [singular[kind], kind] as const))(
    'adds a %s that validates',
    async (kind, key) => {
      const { code, stdout, folder, read } = await generate([kind, 'my_item']);
      expect(code).toBe(0);
      expect(stdout).toContain(`Added the ${kind} my_item:`);
      const { agenttools } = JSON.parse(await read('package.json'));
      expect(agenttools[key].at(-1)[0]).toBe('my_item');
      const checked = await runCli(['validate', '--strict', '--no-load'], { cwd: folder });
      expect(checked.stdout).toMatch(/^valid kit/);
    },
  );

  it('names the server that a first server replaces', async () => {
    const { stdout, folder } = await generate(['server', 'main']);
    expect(stdout).toContain('served as "kit"');
    const second = await runCli(['generate', 'server', 'more'], { cwd: folder });
    expect(second.stdout).not.toContain('served as');
    expect((await generate(['server', 'kit'])).stdout).not.toContain('served as');
  });

  it('adds a tool that answers', async () => {
    const { cwd } = await generate(['tool', 'repeat']);
    const { stdout } = await runCli(['call', '.', 'repeat', '{"text":"Hello"}'], { cwd });
    expect(stdout).toBe('Hello\n');
  });

  it.each(['tool', 'prompt', 'resource', 'server'])(
    'adds a %s in TypeScript and a test case',
    async (kind) => {
      const { stdout, folder } = await generate([kind, 'item', '--json'], { create: ['--ts'] });
      const { language, files } = JSON.parse(stdout);
      expect(language).toBe('typescript');
      expect(files).toEqual([`src/agenttools/${kind}s/item.ts`, `agenttools/${kind}s/item.case.json`]);
      expect(await readdir(path.join(folder, `agenttools/${kind}s`))).toContain('item.case.json');
    },
  );

  it('finds the sources by rootDir and outDir', async () => {
    const files = {
      'kit2/package.json': {
        name: 'kit2',
        version: '1.0.0',
        type: 'module',
        agenttools: { root: 'dist/mcp', tools: [] },
      },
      'kit2/tsconfig.json':
        '{ // comment\n "compilerOptions": { "rootDir": "./source", "outDir": "dist/" }, }',
    };
    const { stdout } = await runCli(['generate', 'tool', 'x', '--path', 'kit2', '--json'], { files });
    expect(JSON.parse(stdout).files[0]).toBe('source/mcp/tools/x.ts');
  });

  it('adds only the declaration to the manifest, and keeps its comments', async () => {
    const manifest = '{\n  // All tools.\n  "tools": [\n    "greet" // the first\n  ]\n}\n';
    const files = {
      'package.json': { name: 'kit', version: '1.0.0', type: 'commonjs', agenttools: './mcp.jsonc' },
      'mcp.jsonc': manifest,
    };
    const { cwd, code } = await runCli(['generate', 'tool', 'more'], { files });
    expect(code).toBe(0);
    const added = `"greet", // the first
    [
      "more",
      "Repeats a text. Replace this with the purpose of more."
    ]`;
    const text = await readFile(path.join(cwd, 'mcp.jsonc'), 'utf8');
    expect(text).toBe(manifest.replace('"greet" // the first', added));
    expect(await readdir(path.join(cwd, 'src'))).toEqual(['more.mjs']);
  });

  it.each([
    [['tool', 'greet'], 1, 'The package has a tool "greet" already.'],
    [['tool', 'a/b'], 2, '"a/b" is no item name.'],
    [['widget', 'x'], 2, 'Allowed choices are server, tool, prompt, resource, app.'],
    [['tool', 'x', '--ts'], 1, 'No source of TypeScript compiles to agenttools'],
  ])('refuses %s', async (words, code, message) => {
    const run = await generate(words);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(message);
    expect(await run.read('package.json')).not.toContain('"x"');
  });

  it('refuses a folder that is no extension, and files that exist', async () => {
    expect((await runCli(['generate', 'tool', 'x'])).code).not.toBe(0);
    const files = {
      'package.json': { name: 'kit', version: '1.0.0', agenttools: {} },
      'src/x.mjs': 'kept',
    };
    const { code, stderr, cwd } = await runCli(['generate', 'tool', 'x'], { files });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('src/x.mjs exists.') });
    expect(await readdir(cwd)).toEqual(['package.json', 'src']);
  });
});
