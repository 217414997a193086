import { renameSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makePackage } from '../engine/validate/support/package.js';
import { writeFolder } from '../support/packages.js';
import { runCli } from '../support/run-cli.js';
import { pages } from './support/pages.js';

/** Text of the page that a command must print. */
function quoted(text: string): string {
  expect(pages.troubleshooting).toContain(`\`${text}`);
  return text;
}

const manifest = (agenttools: object) => ({
  name: 'kit',
  version: '1.0.0',
  private: true,
  type: 'module',
  agenttools,
});

const greet = {
  description: 'Greets.',
  input: { name: { type: 'string', required: true } },
  handler: './greet.js',
};

const files = {
  'package.json': manifest({ tools: ['greet', 'broken', 'late', 'lost'] }),
  'agenttools/tools/greet.json': greet,
  'agenttools/tools/broken.json': { description: 'Throws.', handler: './throws.js' },
  'agenttools/tools/late.json': { description: 'Is late.', handler: './late.js', timeoutMs: 20 },
  'agenttools/tools/asks.json': { description: 'Is not declared.', handler: './greet.js' },
  'greet.js': "export default ({ name }) => 'Hello, ' + name + '!';",
  'throws.js': 'throw new Error("no module");',
  'late.js': 'export default () => new Promise((done) => setTimeout(done, 60_000).unref());',
};

describe('calls', () => {
  let folder: string;
  beforeAll(() => {
    folder = writeFolder(files);
  });

  test.each([
    [['greet', '{"name":"Ada"}'], 'Hello, Ada!', false],
    [['greet', 'name=Ada'], 'Hello, Ada!', false],
    [['greet', '{}'], 'Invalid arguments for tool', true],
    [['broken'], 'could not be loaded', true],
    [['late'], 'gave no answer within', true],
  ])('%j prints %s', async (words, text, isQuoted) => {
    const { stdout } = await runCli(['call', '.', ...words], { cwd: folder });
    expect(stdout).toContain(isQuoted ? quoted(text) : text);
  });

  test('a missing tool is reported by show and validate', async () => {
    const shown = await runCli(['show', '.'], { cwd: folder });
    const [listed, omitted] = shown.stdout.split(quoted('leftOut'));
    expect(listed).toContain('greet');
    expect(omitted).toContain('lost');
    const validated = await runCli(['validate', '.'], { cwd: folder });
    expect(validated.stdout).toContain(quoted('undeclared-definition'));
  });
});

test('a misspelled key of the manifest is reported', async () => {
  const folder = await makePackage({ 'package.json': manifest({ tols: ['greet'] }) });
  const { stdout } = await runCli(['validate', '.'], { cwd: folder });
  expect(stdout).toContain(quoted('unknown-manifest-key'));
  expect(stdout).toContain('Did you mean "tools"?');
});

test('a server that prints to stdout is named', async () => {
  const folder = writeFolder({ 'server.js': 'console.log("Server listening");' });
  const { code, stdout } = await runCli(['validate', '--', process.execPath, 'server.js'], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toContain('Server listening');
});

test('entries are intact, or their server is missing', async () => {
  const home = writeFolder({ 'kit/package.json': manifest({ tools: ['greet'] }), ...inKit(files) });
  const folder = path.join(home, 'kit');
  const state = async () => (await runCli(['list-installed', '--check'], { home, cwd: home })).stdout;
  const install = (...more: string[]) =>
    runCli(['install', 'cursor', '.', '--no-verify', ...more], { home, cwd: folder });
  const installed = await install();
  expect(installed.stderr).toContain(quoted('Next:'));
  expect(await state()).toContain(quoted('intact'));
  renameSync(folder, `${folder}-moved`);
  expect(await state()).toContain(quoted('server missing'));
});

function inKit(all: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const others = Object.entries(all).filter(([file]) => file !== 'package.json');
  return Object.fromEntries(others.map(([file, text]) => [`kit/${file}`, text]));
}
