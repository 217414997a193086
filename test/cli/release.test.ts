import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Registry, startRegistryHere } from '../support/registry.js';
import { runCli, writeFiles } from '../support/run-cli.js';

const greet = {
  description: 'Greets.',
  input: { name: { type: 'string', required: true } },
  handler: './greet.js',
};

const packageJson = {
  name: '@acme/kit',
  version: '1.4.0',
  type: 'module',
  keywords: ['agenttools-extension'],
  agenttools: { tools: ['greet'] },
};

const files = {
  'package.json': packageJson,
  'greet.js': 'export default () => "Hello";',
  'agenttools/tools/greet.json': greet,
};

const withTitle = { ...greet, input: { ...greet.input, title: { type: 'string', required: true } } };

let registry: Registry;

beforeAll(async () => {
  registry = await startRegistryHere();
  const { cwd } = await runCli(['test', '-u', '--against', 'none'], { files });
  const surface = readFileSync(path.join(cwd, 'agenttools.surface.json'), 'utf8');
  await registry.publish({ ...files, 'agenttools.surface.json': surface });
  await registry.publish({ ...files, 'package.json': { ...packageJson, name: '@acme/bare' } });
  await registry.publish({ 'package.json': { name: '@acme/plain', version: '1.0.0' } });
});

afterAll(async () => await registry.stop());

/** A package whose user has this registry, with a snapshot of its own surface. */
async function recorded(changes: { readonly tool?: object; readonly packageJson?: object } = {}) {
  const { tool = greet } = changes;
  const { cwd } = await runCli(['test', '-u', '--against', 'none'], {
    files: {
      ...files,
      'package.json': { ...packageJson, ...changes.packageJson },
      'agenttools/tools/greet.json': tool,
    },
  });
  const home = path.join(cwd, 'home');
  await writeFiles(home, { '.npmrc': registry.settings() });
  return async (words: readonly string[]) => await runCli(words, { cwd, home });
}

describe('test names the changes since the published version', () => {
  test.each([
    [{}, 'No changes since @acme/kit@1.4.0.'],
    [
      { tool: withTitle },
      '1 change since @acme/kit@1.4.0. It needs a major step: at least version 2.0.0, and package.json has 1.4.0.',
    ],
    [
      { tool: withTitle, packageJson: { version: '2.0.0' } },
      'It needs a major step, and version 2.0.0 has it.',
    ],
    [
      { packageJson: { name: '@acme/bare' } },
      '@acme/bare@1.4.0 is published without agenttools.surface.json',
    ],
    [{ packageJson: { name: '@acme/plain' } }, 'The published @acme/plain@1.0.0 is no AgentTools extension.'],
    [{ packageJson: { name: '@acme/new' } }, '@acme/new is not published yet.'],
  ])('%j: %s', async (changes, sentence) => {
    const run = await recorded(changes);
    const { code, stdout } = await run(['test']);
    expect([code, stdout]).toEqual([0, expect.stringContaining(sentence)]);
  });

  test('takes the version from --against', async () => {
    const run = await recorded({ tool: withTitle });
    const { stdout } = await run(['test', '--against', '1.4.0']);
    expect(stdout).toContain('major tool "greet" /inputSchema/properties/title is new and required');
    const { code, stderr } = await run(['test', '--against', '9.9.9']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('@acme/kit@9.9.9 is not published: its last versions are 1.4.0.'),
    ]);
  });
});

describe('validate --release', () => {
  const releaseLines = async (changes: Parameters<typeof recorded>[0]) => {
    const run = await recorded(changes);
    const { code, stdout } = await run(['validate', '--release', '--json']);
    const [{ diagnostics }] = JSON.parse(stdout).extensions;
    const own = diagnostics.filter((one: { code: string }) => one.code === 'release-version');
    return { code, own };
  };

  test('fails for a version that is too small, at the version', async () => {
    const { code, own } = await releaseLines({ tool: withTitle, packageJson: { version: '1.5.0' } });
    expect(code).toBe(1);
    expect(own).toMatchObject([
      {
        severity: 'error',
        file: 'package.json',
        line: 3,
        message:
          '1 change needs a major step since @acme/kit@1.4.0: at least version 2.0.0, and package.json has 1.5.0. List the changes with: agenttools test',
      },
    ]);
  });

  test.each([
    ['a sufficient version', { tool: withTitle, packageJson: { version: '2.0.0' } }],
    ['no changes', {}],
    ['a first version', { packageJson: { name: '@acme/new' } }],
  ])('passes for %s', async (_name, changes) => {
    expect(await releaseLines(changes)).toEqual({ code: 0, own: [] });
  });

  test('reports a published version without a surface as info', async () => {
    const { code, own } = await releaseLines({ packageJson: { name: '@acme/bare' } });
    expect([code, own[0].severity]).toEqual([0, 'info']);
  });

  test('fails without a recorded surface', async () => {
    const { code, stdout } = await runCli(['validate', '--release'], { files });
    expect(code).toBe(1);
    expect(stdout).toContain('The version cannot be checked without agenttools.surface.json.');
  });
});
