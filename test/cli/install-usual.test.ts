import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from '../../src/cli/main.js';
import { addFiles, type Files, packageJson, writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { fakeHost, type RunOptions, runCli } from '../support/run-cli.js';

const servers = ['Wolfram', 'WolframAlpha', 'WolframLanguage'];
const needy = { requires: { env: [['AN_APPID', 'ANOTHER_APPID']], level: 'suggested' } };

/** Built-in servers of the names that count, of which it does not matter what they do. */
const builtin: Files = {
  'wolfram/package.json': packageJson({ servers, tools: ['ask', 'look'] }, { name: 'wolfram' }),
  ...Object.fromEntries(
    servers.map((name) => [
      `wolfram/agenttools/servers/${name}.json`,
      { configKey: 'Wolfram', tools: name === 'WolframLanguage' ? ['look'] : '*' },
    ]),
  ),
  'wolfram/agenttools/tools/ask.json': { handler: './tool.js', options: { units: 'metric' }, ...needy },
  'wolfram/agenttools/tools/look.json': { handler: './tool.js' },
  'wolfram/tool.js': 'export default () => "42";',
};

const folders = vi.hoisted(() => ({ builtinFolder: '' }));
vi.mock('../../src/engine/base/folders.js', async (load) => {
  const real = await load<typeof import('../../src/engine/base/folders.js')>();
  return {
    ...real,
    workspaceFolders: (facts: Parameters<typeof real.workspaceFolders>[0]) => ({
      ...real.workspaceFolders(facts),
      ...folders,
    }),
  };
});

let home: string;
let cwd: string;

beforeEach(() => {
  folders.builtinFolder = writeFolder(builtin);
  home = writeFolder();
  cwd = writeFolder();
});

const run = (words: readonly string[], options: RunOptions = {}) =>
  runCli(words, { home, cwd, ...options, env: { PATH: '', ...options.env } });

const install = (...words: readonly string[]) => run(['install', ...words, '--no-verify']);

/** Somebody answers the question. */
async function answering(answer: string, ...words: readonly string[]) {
  const { host, stderr } = fakeHost({ cwd, home, env: { PATH: '' } });
  const stdin = Object.assign(Readable.from([answer]), { isTTY: true });
  const code = await main(['install', ...words, '--no-verify'], { ...host, stdin });
  return { code, stderr: stderr.text };
}

const cursorFile = () => path.join(home, '.cursor/mcp.json');
const startedByCursor = () => {
  const { mcpServers } = JSON.parse(readFileSync(cursorFile(), 'utf8'));
  return Object.entries<{ args: string[] }>(mcpServers).map(([key, { args }]) => [key, args.at(-1)]);
};

describe('where no server is named and there is no extension', () => {
  it.each([
    ['claude-desktop', 'Wolfram'],
    ['lm-studio', 'Wolfram'],
    ['claude-code', 'WolframLanguage'],
    ['codex', 'WolframLanguage'],
    ['cursor', 'WolframLanguage'],
    ['vscode', 'WolframLanguage'],
  ])('gives %s the server %s, and reports this', async (client, server) => {
    const { code, stdout, stderr } = await install(client, '--json');
    expect({ code, data: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      data: { client, key: 'Wolfram', server },
    });
    expect(stderr).toMatch(
      new RegExp(
        `^No server was named, and there is no extension in this folder. Taken: ${server} for .*To have another, name it; see all with: agenttools list-servers --built-in\n`,
      ),
    );
  });

  it('a client without a config file gets the one of its kind, too', async () => {
    const { stdout } = await install('cherry-studio', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ manual: true, key: 'Wolfram', server: 'Wolfram' });
  });

  it('each client of --all gets its own', async () => {
    for (const folder of ['.cursor', '.codex', '.config/Claude'])
      mkdirSync(path.join(home, folder), { recursive: true });
    const { code, stdout, stderr } = await install('--all', '--json');
    const data = JSON.parse(stdout) as { client: string; server: string }[];
    expect({ code, got: data.map(({ client, server }) => [client, server]) }).toEqual({
      code: 0,
      got: [
        ['claude-desktop', 'Wolfram'],
        ['codex', 'WolframLanguage'],
        ['cursor', 'WolframLanguage'],
      ],
    });
    expect(stderr).toContain('Taken: Wolfram for Claude Desktop; WolframLanguage for Codex, Cursor.');
  });

  it('writes nothing with --all if one of the servers is unavailable with these options', async () => {
    for (const folder of ['.cursor', '.config/Claude'])
      mkdirSync(path.join(home, folder), { recursive: true });
    const { code, stderr } = await install('--all', '--tool-option', 'ask.units=imperial');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('no tool "ask"') });
    expect(existsSync(path.join(home, '.config/Claude/claude_desktop_config.json'))).toBe(false);
  });

  it.each([
    ['.cursor/mcp.json', [], 'WolframLanguage'],
    ['any.json', ['--client', 'claude-desktop'], 'Wolfram'],
  ])('--config means the client whose file %s is', async (file, words, server) => {
    const { code, stdout } = await install('--config', file, ...words, '--json');
    expect({ code, data: JSON.parse(stdout) }).toMatchObject({ code: 0, data: { server } });
  });

  it('installs the usual server if the package in this folder is not an extension', async () => {
    addFiles(cwd, { 'package.json': { name: 'app', version: '1.0.0' } });
    expect((await install('cursor')).code).toBe(0);
    expect(startedByCursor()).toEqual([['Wolfram', 'WolframLanguage']]);
  });

  it('replaces one usual server by another and leaves no trace after uninstall', async () => {
    await install('cursor');
    const { stderr } = await install('cursor', 'WolframAlpha');
    expect(stderr).toContain('WolframAlpha took the place of WolframLanguage.');
    expect(startedByCursor()).toEqual([['Wolfram', 'WolframAlpha']]);
    await run(['uninstall', 'cursor', 'WolframAlpha']);
    expect(existsSync(cursorFile())).toBe(false);
  });

  it('reports missing suggested variables', async () => {
    const { stderr } = await install('claude-desktop');
    expect(stderr).toContain(
      'The tool "ask" needs one of the environment variables AN_APPID or ANOTHER_APPID, none of which is set. Give it with: --env AN_APPID=<value>',
    );
  });
});

describe('a user at a terminal', () => {
  it('is asked, and Enter means the usual one', async () => {
    const { code, stderr } = await answering('\n', 'cursor');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /Which server\?\n {2}1\. Wolfram\n.*Number or name \[WolframLanguage\]: /s,
      ),
    });
    expect(startedByCursor()).toEqual([['Wolfram', 'WolframLanguage']]);
  });

  it('may choose another server', async () => {
    const { code, stderr } = await answering('2\n', 'cursor');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('No server was named') });
    expect(startedByCursor()).toEqual([['Wolfram', 'WolframAlpha']]);
  });

  it('is asked without a usual one among the servers of the extension in this folder', async () => {
    addFiles(cwd, { ...plugin, 'package.json': packageJson({ servers: ['kit', 'more'], tools: ['greet'] }) });
    const { code, stderr } = await answering('\n', 'cursor');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Number or name: ') });
    expect(existsSync(cursorFile())).toBe(false);
  });
});

describe('an extension in this folder', () => {
  it('is installed without a note about other servers', async () => {
    addFiles(cwd, plugin);
    const { stderr } = await install('cursor');
    expect(stderr).not.toContain('No server was named');
    expect(startedByCursor()).toEqual([['kit', path.join(cwd, 'kit')]]);
  });

  it('fails if it cannot be read, and installs nothing else', async () => {
    addFiles(cwd, { ...plugin, 'package.json': '{ "name": "kit", "agenttools": 3 }' });
    const { code, stderr } = await install('cursor');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/package\.json: .*Fix it, or name a server\./),
    });
    expect(existsSync(cursorFile())).toBe(false);
  });
});
