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
  it.each([['cursor'], ['--all'], ['cursor,codex'], ['--config', 'any.json', '--client', 'cursor']])(
    'lists the servers to choose from, and writes nothing: %s',
    async (...words) => {
      mkdirSync(path.join(home, '.cursor'));
      const { code, stdout, stderr } = await install(...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: Which server\? .*\n {2}1\. Wolfram\n/m);
      expect(stderr).toContain('Search published ones with: agenttools list-servers --remote <words>\n');
      expect(existsSync(cursorFile())).toBe(false);
    },
  );

  it('replaces an alternative server by another and leaves no trace after uninstall', async () => {
    await install('cursor', 'WolframLanguage');
    const { stderr } = await install('cursor', 'WolframAlpha');
    expect(stderr).toContain('WolframAlpha took the place of WolframLanguage.');
    expect(startedByCursor()).toEqual([['Wolfram', 'WolframAlpha']]);
    await run(['uninstall', 'cursor', 'WolframAlpha']);
    expect(existsSync(cursorFile())).toBe(false);
  });

  it('reports missing suggested variables', async () => {
    const { stderr } = await install('claude-desktop', 'Wolfram');
    expect(stderr).toContain(
      'The tool "ask" needs one of the environment variables AN_APPID or ANOTHER_APPID, none of which is set. Give it with: --env AN_APPID=<value>',
    );
  });
});

describe('a user at a terminal', () => {
  it('chooses a server by its number', async () => {
    const { code } = await answering('2\n', 'cursor');
    expect(code).toBe(0);
    expect(startedByCursor()).toEqual([['Wolfram', 'WolframAlpha']]);
  });

  it('must choose', async () => {
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
