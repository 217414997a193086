import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.js';
import { addFiles, packageJson, writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { root } from '../support/program.js';
import { fakeHost, type RunOptions, runCli } from '../support/run-cli.js';

const several = packageJson({ servers: ['one', 'two'], tools: ['greet'] });

let home: string;
let cwd: string;

beforeEach(() => {
  home = writeFolder();
  cwd = writeFolder(plugin);
});

const path_ = { PATH: process.env.PATH ?? '' };

const run = (words: readonly string[], options: RunOptions = {}) =>
  runCli(words, { home, cwd, ...options, env: { ...path_, ...options.env } });

/** Starts the server first, as is usual. */
const verified = (...words: readonly string[]) => run(['install', ...words]);

/** Starts nothing, for what has nothing to do with starting. */
const install = (...words: readonly string[]) => run(['install', ...words, '--no-verify']);

const read = (...parts: readonly string[]) => readFileSync(path.join(...parts), 'utf8');
const entry = (key = 'kit', folder = home) => JSON.parse(read(folder, '.cursor/mcp.json')).mcpServers[key];

describe('a built-in server', () => {
  it('has its bare name in the entry and in MCP_SERVER_NAME', async () => {
    const { code, stderr } = await verified('cursor', 'agenttools');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Installed agenttools in') });
    const { args, env } = entry('agenttools');
    expect(args.slice(1)).toEqual(['start', 'agenttools']);
    expect(env.MCP_SERVER_NAME).toBe('agenttools');
  });

  it('can be the answer where no server was named', async () => {
    addFiles(path.join(home, 'lib/node_modules/@acme/kit'), plugin);
    const { host, stderr } = fakeHost({ cwd: writeFolder(), home, env: path_ });
    const stdin = Object.assign(Readable.from(['agenttools\n']), { isTTY: true });
    expect(await main(['install', 'cursor'], { ...host, stdin })).toBe(0);
    expect(stderr.text).toContain('Which server?');
    expect(entry('agenttools').args.at(-1)).toBe('agenttools');
  });

  it('is not taken for granted at Ctrl-C', async () => {
    addFiles(path.join(home, 'lib/node_modules/@acme/kit'), plugin);
    const { host } = fakeHost({ cwd: writeFolder(), home, env: path_ });
    const stdin = Object.assign(Readable.from(['\u0003']), { isTTY: true, setRawMode: () => {} });
    const stderr = Object.assign(host.stderr, { isTTY: true, columns: 80 });
    expect(await main(['install', 'cursor'], { ...host, stdin, stderr })).toBe(130);
  });
});

describe('a package of the project', () => {
  it('is looked for in the folder that --project names', async () => {
    const other = writeFolder({ 'package.json': { name: 'other', version: '1.0.0' } });
    addFiles(path.join(other, 'node_modules/@acme/kit'), plugin);
    const { code, stderr } = await run(['install', 'cursor', '@acme/kit', `--project=${other}`], {
      cwd: writeFolder(),
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(entry('kit', other).args.slice(1)).toEqual(['start', '--project', '@acme/kit/kit']);
  });

  it('given by its path is the one of where that was typed', async () => {
    const other = writeFolder();
    expect((await install('cursor', '.', `--project=${other}`)).code).toBe(0);
    expect(entry('kit', other).args.at(-1)).toBe(path.join(cwd, 'kit'));
  });

  it('with several servers fails with the list of them', async () => {
    cwd = writeFolder({ 'node_modules/@acme/kit/package.json': several });
    const { code, stderr } = await install('cursor', '@acme/kit');
    expect(code).toBe(1);
    expect(stderr).toContain('several servers. Name one of: @acme/kit/one, @acme/kit/two.');
  });

  it('is named by a path that can be copied', async () => {
    expect((await install('cursor', '@acme/kit')).stderr).toContain('by its path: "./kit".');
    addFiles(cwd, { 'package.json': packageJson({ tools: ['greet'] }) });
    expect((await install('cursor', '@acme/kit')).stderr).toContain('by its path: ".".');
  });

  it('given by path with several servers lists them as they were given', async () => {
    addFiles(cwd, { 'many/package.json': several });
    const { stderr } = await install('cursor', './many');
    expect(stderr).toContain('Name one of: ./many/one, ./many/two.');
  });
});

describe('options of tools', () => {
  const secret = ['--tool-option', 'greet.apiKey=k-123', '--tool-option', 'greet.style=fancy'];

  it('writes secret options as references in a project file', async () => {
    const { code, stderr } = await install('cursor', '.', ...secret, '--project');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('@acme/kit/greet.apiKey') });
    expect(read(cwd, '.cursor/mcp.json')).not.toContain('k-123');
    expect(entry('kit', cwd).env.MCP_TOOL_OPTIONS).toBe(`\${env:MCP_TOOL_OPTIONS}`);
  });

  it('are omitted with a note if the client cannot refer to them', async () => {
    const { stderr } = await install('zed', '.', ...secret, '--project');
    expect(stderr).toContain("MCP_TOOL_OPTIONS is a secret and is not written into the project's file");
    expect(read(cwd, '.zed/settings.json')).not.toMatch(/k-123|MCP_TOOL_OPTIONS/);
  });

  it("are written to the user's config file, and to a project's config file unless they are secrets", async () => {
    await install('cursor', '.', ...secret);
    expect(JSON.parse(entry().env.MCP_TOOL_OPTIONS)['@acme/kit/greet'].apiKey).toBe('k-123');
    const { stderr } = await install('cursor', '.', '--tool-option', 'greet.style=fancy', '--project');
    expect(entry('kit', cwd).env.MCP_TOOL_OPTIONS).toContain('fancy');
    expect(stderr).not.toContain('secret');
  });

  it.each(['[{"a":"ghp_0123456789abcdef"}]', '{"token":"x"}', '12345'])(
    'are looked into: %s',
    async (value) => {
      const option = value === '12345' ? 'apiKey' : 'style';
      const { stderr } = await install(
        'cursor',
        '.',
        '--tool-option',
        `greet.${option}=${value}`,
        '--project',
      );
      expect(stderr).toContain('MCP_TOOL_OPTIONS is a secret');
    },
  );
});

describe('a variable of the entry itself', () => {
  it.each([
    ['MCP_SERVER_NAME', /argument after the client/],
    ['MCP_TOOL_OPTIONS', /--tool-option/],
  ])('is not to be set: %s', async (name, wayOut) => {
    for (const word of [name, `${name}=x`]) {
      const { code, stderr } = await install('cursor', '.', '--env', word);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(wayOut) });
    }
  });
});

describe('code that cannot be loaded', () => {
  it.each([
    ['throws', 'throw new Error("no licence\\nat all"); export default () => 1;', 'no licence'],
    ['is no JavaScript', 'export default () => {', 'not be loaded'],
    ['ends the process', 'process.exit(3); export default () => 1;', 'process.exit'],
    ['has no such export', 'export const other = 1;', 'no export "default"'],
  ])('is warned of when it %s', async (_, code, says) => {
    addFiles(cwd, { 'greet.js': code });
    const { code: exit, stderr } = await verified('cursor', '.');
    expect(exit).toBe(0);
    expect(stderr).toContain('Tool "greet" will fail: its handler could not be loaded: ');
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('at all');
  });

  it('reports prompts and resources, too', async () => {
    addFiles(cwd, {
      'package.json': packageJson({ servers: ['kit'], prompts: ['brief'], resources: ['log'] }),
      'agenttools/servers/kit.json': { prompts: '*', resources: '*' },
      'agenttools/prompts/brief.json': { type: 'function', content: './bad.js' },
      'agenttools/resources/log.json': { uri: 'log://x', read: './bad.js' },
      'bad.js': 'throw new Error("bad");',
    });
    const { stderr } = await verified('cursor', '.');
    expect(stderr).toContain('Prompt "brief" will fail: its content could not be loaded: bad.');
    expect(stderr).toContain('Resource "log" will fail: its read could not be loaded: bad.');
  });

  it('is not run with --no-verify', async () => {
    addFiles(cwd, { 'greet.js': 'globalThis.wasRun = true; throw new Error("bad");' });
    expect((await install('cursor', '.')).stderr).not.toContain('will fail');
    expect(globalThis).not.toHaveProperty('wasRun');
  });
});

describe('a missing existing server', () => {
  const goTo = (upstream: object) =>
    addFiles(cwd, { 'agenttools/servers/kit.json': { tools: ['greet', { upstream }] } });

  it('is warned of, and keeps nothing from being installed', async () => {
    goTo({ command: 'no-such-program-here', args: ['--token', 'rose-and-tulip'] });
    const { code, stderr } = await verified('cursor', '.');
    expect(stderr).toContain(
      'The upstream server "no-such-program-here --token …" cannot be started: there is no program',
    );
    expect(stderr).not.toContain('rose-and-tulip');
    expect(code).toBe(0);
    expect(entry()).toBeDefined();
  });

  it('prevents the installation if it lacks an item that is chosen', { timeout: 40_000 }, async () => {
    const script = path.join(root, 'test/support/scripted-upstream.mjs');
    const args = [script, JSON.stringify({ prompts: [{ name: 'greet' }] })];
    const upstream = { command: process.execPath, args, name: 'far' };
    const chosen = { only: ['echo', 'gone'], prompts: { rename: { greeet: 'hi' } } };
    addFiles(cwd, { 'agenttools/servers/kit.json': { tools: ['greet', { upstream, ...chosen }] } });
    const { code, stderr } = await verified('cursor', '.');
    expect(stderr).toContain('The upstream server "far" has no tool "gone".');
    expect(stderr).toContain('The upstream server "far" has no prompt "greeet".');
    expect(code).toBe(1);
    expect(existsSync(path.join(home, '.cursor/mcp.json'))).toBe(false);
  });

  it('is waited for in bounds when it hangs', { timeout: 40_000 }, async () => {
    goTo({ command: 'node', args: ['-e', 'process.stdin.resume()'] });
    const { code, stderr } = await verified('cursor', '.');
    expect(stderr).toContain(
      'is not available yet: it is still starting after 5 s, and lists go on without it.',
    );
    expect(code).toBe(0);
  });
});

it('names the --env options for missing variables', async () => {
  addFiles(cwd, { 'agenttools/tools/greet.json': { handler: './greet.js', requires: { env: ['A', 'B'] } } });
  const { code, stderr } = await install('cursor', '.');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('--env A=<value> --env B=<value>'),
  });
});

describe('the client app of a config file', () => {
  it.each(['.', './kit', '/srv/kit', '~/kit'])('a path such as %s is no client', async (word) => {
    const { code, stderr } = await install(word, 'claude-desktop');
    expect(code).toBe(2);
    expect(stderr).toContain('the client comes first, then the server');
  });

  it.each(['new.toml', 'deep/new.yaml'])(
    'is not guessed from the extension of %s, a missing file',
    async (file) => {
      const { code, stderr } = await install('--config', file, '.');
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/does not exist.*--client/),
      });
      expect(existsSync(path.join(cwd, file))).toBe(false);
    },
  );

  it('is guessed from the extension of an existing file', async () => {
    addFiles(cwd, { 'some.toml': '# mine\n' });
    expect((await install('--config', 'some.toml', '.')).code).toBe(0);
    expect(read(cwd, 'some.toml')).toContain('[mcp_servers.kit]');
  });

  it('is known of one that was written to', async () => {
    await install('--config', 'any.json', '--client', 'zed', '.');
    expect((await install('--config', 'any.json', '.', '--env', 'A=1')).code).toBe(0);
    expect(JSON.parse(read(cwd, 'any.json')).context_servers.kit.env.A).toBe('1');
  });
});

describe('--cwd', () => {
  it.each(['nowhere', 'greet.js'])(
    'rejects %s, which is not a folder, before anything starts',
    async (folder) => {
      addFiles(cwd, { 'greet.js': 'globalThis.wasStarted = true; export default () => 1;' });
      const { code, stderr } = await verified('goose', '.', '--cwd', folder);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/working directory .*is not a folder/),
      });
      expect(globalThis).not.toHaveProperty('wasStarted');
    },
  );
});

it('reports options and a working directory that are no longer given', async () => {
  const options = ['--tool-option', 'greet.style=a', '--tool-option', 'greet.level=2'];
  await install('goose', '.', ...options, '--cwd', '.', '--env', 'A=1');
  const { stderr } = await install('goose', '.', '--tool-option', 'greet.level=3');
  expect(stderr).toContain(
    'No longer set, because they were not given again: A, the option @acme/kit/greet.style, the working directory.',
  );
  expect((await install('goose', '.')).stderr).toContain(
    'not given again: the option @acme/kit/greet.level.',
  );
});

describe("a project's own file", () => {
  const shared = 'The entry holds paths of this machine.';

  it('gets a note that it holds paths of this machine', async () => {
    expect((await install('cursor', '.', '--project')).stderr).toContain(shared);
    expect((await install('cursor', '.')).stderr).not.toContain(shared);
  });

  it.each([
    ['.', 'name a published package and add --command npx'],
    ['mine', 'name a published package and add --command npx'],
    ['@acme/web', 'add --command npx'],
    ['agenttools', 'add --command npx'],
  ])('gets advice on how others can share it: %s', async (server, wayOut) => {
    addFiles(path.join(cwd, 'node_modules/@acme/web'), {
      ...plugin,
      'package.json': packageJson({ servers: ['kit'], tools: ['greet'] }, { name: '@acme/web' }),
    });
    await run(['create-server', 'mine', '--tool', 'find_tools']);
    const { stderr } = await install('cursor', server, '--project');
    expect(stderr).toContain(`${shared} For a file that others share, ${wayOut}.`);
    const shareable = wayOut.startsWith('add');
    const { code } = await install('cursor', server, '--project', '--command', 'npx');
    expect(code).toBe(shareable ? 0 : 1);
  });

  it('starts a built-in server with npx by its bare name', async () => {
    await install('cursor', 'agenttools', '--project', '--command', 'npx');
    const { command, args } = entry('agenttools', cwd);
    const { version } = JSON.parse(read('package.json'));
    expect([command, ...args]).toEqual([
      'npx',
      '-y',
      `agenttools@${version}`,
      'start',
      '--project',
      'agenttools',
    ]);
  });

  it('holds none with npx', async () => {
    addFiles(path.join(cwd, 'node_modules/@acme/web'), {
      ...plugin,
      'package.json': packageJson({ servers: ['kit'], tools: ['greet'] }, { name: '@acme/web' }),
    });
    const words = ['cursor', '@acme/web', '--command', 'npx'];
    const { code, stderr } = await install(...words, '--project');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining(shared) });
    expect(read(cwd, '.cursor/mcp.json')).not.toContain(home);
    expect(entry('kit', cwd).env).toEqual({ MCP_SERVER_NAME: '@acme/web/kit' });
  });
});

describe('npx', () => {
  it.each([
    ['cursor', true],
    ['codex', false],
  ])('may not be found by %s: %s', async (client, isTold) => {
    const { stderr } = await install(client, 'agenttools', '--command', 'npx');
    expect(stderr.includes('may not find npx')).toBe(isTold);
  });
});

describe("a user's own file that others can read", () => {
  beforeEach(() => {
    addFiles(home, { '.cursor/mcp.json': '{}' });
    chmodSync(path.join(home, '.cursor/mcp.json'), 0o644);
  });

  it.runIf(process.platform !== 'win32')('gets a warning if it holds a secret', async () => {
    const { stderr } = await install('cursor', '.', '--env', 'API_KEY=x');
    expect(stderr).toMatch(/mode is 644\), and it holds API_KEY\. .*chmod 600 ".*mcp\.json"/);
  });

  it('gets no warning otherwise', async () => {
    expect((await install('cursor', '.', '--env', 'A=x')).stderr).not.toContain('chmod');
    chmodSync(path.join(home, '.cursor/mcp.json'), 0o600);
    expect((await install('cursor', '.', '--env', 'API_KEY=x')).stderr).not.toContain('chmod');
  });
});

describe('a value that reads like a reference', () => {
  it.each([
    ['cursor', `\${HOME}/x`, `\${HOME}`],
    ['opencode', 'a{env:HOME}', '{env:HOME}'],
    ['opencode', `\${HOME}`, undefined],
    ['claude-desktop', `\${HOME}`, undefined],
    ['cursor', '$HOME', undefined],
    // It is written so that it stays as it is.
    ['crush', '$HOME', undefined],
  ])('warns of the reference that %s reads: %s', async (client, value, told) => {
    const { code, stderr } = await install(client, '.', '--env', `A=${value}`);
    expect(code).toBe(0);
    if (told === undefined) expect(stderr).not.toContain('for a reference');
    else expect(stderr).toContain(`will take "${told}" in the value of A for a reference`);
  });
});

it.each([
  [
    'cursor',
    '{ // mine\n}',
    /mine\.json:1:3: There is a comment, which the client cannot read\. Remove it\./,
  ],
  ['cline', '\uFEFF{}', /mine\.json:1:1: It begins with a byte order mark/],
])('warns with --force about a file that %s cannot read: %j', async (client, text, says) => {
  addFiles(cwd, { 'mine.json': text });
  const words = ['--config', 'mine.json', '--client', client, '.'];
  const { code, stderr } = await install(...words, '--force');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(says) });
});
