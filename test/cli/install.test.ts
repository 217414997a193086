import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { applyPatch } from 'diff';
import { beforeEach, describe, expect, it } from 'vitest';
import { packageVersion } from '../../src/engine/base/folders.js';
import { clients } from '../../src/engine/clients/table/index.js';
import { manualClients } from '../../src/engine/clients/table/manual-clients.js';
import { addFiles, packageJson, writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { type RunOptions, runCli } from '../support/run-cli.js';

let home: string;
let cwd: string;

beforeEach(() => {
  home = writeFolder();
  cwd = writeFolder(plugin);
});

/** Node and npm of this machine, and where a desktop keeps its settings. */
const run = (words: readonly string[], options: RunOptions = {}) =>
  runCli(words, { home, cwd, ...options, env: { PATH: process.env.PATH ?? '', ...options.env } });

/** Starts nothing, for what has nothing to do with starting. */
const install = (...words: readonly string[]) => run(['install', ...words, '--no-verify']);

const cursorFile = () => path.join(home, '.cursor/mcp.json');
const read = (file: string) => readFileSync(file, 'utf8');
const entry = (key = 'kit') => JSON.parse(read(cursorFile())).mcpServers[key];
const write = (file: string, text: string) => addFiles(path.dirname(file), { [path.basename(file)]: text });

describe('install', () => {
  it('starts the server, writes and reports the entry, and uninstall restores the bytes', async () => {
    const original = '{\n\t// mine\n\t"mcpServers": {}\n}';
    const file = path.join(home, '.config/Code/User/mcp.json');
    write(file, original);
    const { code, stdout, stderr } = await run(['install', 'vscode', '.']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Installed @acme/kit/kit in Visual Studio Code as "kit"');
    expect(stderr).toContain('Next: ');
    expect(read(file)).toContain('\t// mine');
    expect((await run(['uninstall', 'vscode', '.'])).code).toBe(0);
    expect(read(file)).toBe(original);
  });

  it('writes absolute paths of Node, of this program and of a server given by path', async () => {
    await install('cursor', '.');
    const { command, args, env } = entry();
    expect(command).toBe(path.join(home, 'agenttools/bin/node'));
    expect(readlinkSync(command)).toBe(process.execPath);
    const script = path.join(home, 'agenttools/bin/agenttools.js');
    expect(args).toEqual([script, 'start', path.join(cwd, 'kit')]);
    expect(readlinkSync(script)).toBe(path.resolve('bin/agenttools.js'));
    expect(env).toEqual({ MCP_SERVER_NAME: '@acme/kit/kit', AGENTTOOLS_HOME: path.join(home, 'agenttools') });
  });

  it('makes a new file that only its owner can read', async () => {
    await install('cursor', '.');
    expect(statSync(cursorFile()).mode & 0o777).toBe(0o600);
  });

  it('is listed by show', async () => {
    await install('cursor', '.');
    const { stdout } = await run(['show', '.', 'installations', '--json']);
    expect(JSON.parse(stdout)).toEqual([
      { client: 'cursor', scope: 'user', file: cursorFile(), key: 'kit', sandbox: null, apps: true },
    ]);
  });

  it('twice changes nothing', async () => {
    await install('cursor', '.');
    const before = read(cursorFile());
    const { stderr } = await install('cursor', '.');
    expect(stderr).toContain('Nothing to change');
    expect(read(cursorFile())).toBe(before);
  });

  it('drops options that are no longer given, and names them', async () => {
    await install('cursor', '.', '--env', 'A=1', '--env', 'B=x=y,z');
    expect(entry().env).toMatchObject({ A: '1', B: 'x=y,z' });
    const { stderr } = await install('cursor', '.', '--env', 'B=2');
    expect(entry().env).not.toHaveProperty('A');
    expect(stderr).toMatch(/No longer set.*: A\./);
  });

  it('needs no server name for the extension in this folder', async () => {
    expect((await install('cursor')).code).toBe(0);
    expect(entry().env.MCP_SERVER_NAME).toBe('@acme/kit/kit');
  });

  it('asks for one of several servers, and fails with their list if there is no terminal', async () => {
    addFiles(cwd, {
      'package.json': packageJson({ servers: ['kit', 'more'], tools: ['greet'] }),
      'agenttools/servers/more.json': { tools: '*' },
    });
    const { code, stderr } = await install('cursor');
    expect(code).toBe(2);
    for (const name of [path.join(cwd, 'kit'), path.join(cwd, 'more'), 'agenttools'])
      expect(stderr).toContain(name);
  });

  it('takes settings', async () => {
    await install(
      ...['cursor', '.', '--name', 'mine', '--no-enable-mcp-apps', '--tool-option', 'greet.style=fancy'],
      ...['--tool-option', '@acme/kit/greet.level=[2]'],
    );
    const { env } = entry('mine');
    expect(env.MCP_APPS_ENABLED).toBe('false');
    expect(JSON.parse(env.MCP_TOOL_OPTIONS)).toEqual({ '@acme/kit/greet': { style: 'fancy', level: [2] } });
  });

  it('writes nothing for UI apps that are on', async () => {
    await install('cursor', '.', '--enable-mcp-apps');
    expect(entry().env).not.toHaveProperty('MCP_APPS_ENABLED');
  });

  it('switches UI apps on where the user had switched them off, and refuses a variable that contradicts', async () => {
    await install('cursor', '.', '--no-enable-mcp-apps', '--tool-option', 'greet.style=fancy');
    const listed = async () => JSON.parse((await run(['list-installed', '--json'])).stdout);
    const options = { apps: false, toolOptions: ['greet.style=fancy'] };
    expect(await listed()).toMatchObject([
      { serverVersion: '1.2.3', version: packageVersion(), options, apps: false },
    ]);
    expect((await run(['list-installed'])).stdout).toContain('UI apps are off.');
    await install('cursor', '.');
    write(cursorFile(), read(cursorFile()).replace('"env": {', '"env": { "MCP_APPS_ENABLED": "False",'));
    expect(await listed()).toMatchObject([{ state: 'intact', options: {}, apps: false }]);
    await install('cursor', '.', '--enable-mcp-apps');
    expect(entry().env.MCP_APPS_ENABLED).toBe('true');
    for (const words of [
      ['--enable-mcp-apps', '--env', 'MCP_APPS_ENABLED=false'],
      ['--no-enable-mcp-apps', '--env', 'MCP_APPS_ENABLED=true'],
    ]) {
      const { code, stderr } = await install('cursor', '.', ...words);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('contradict each other') });
    }
  });

  it('sets the working directory where the client can', async () => {
    await install('goose', '.', '--cwd', '.');
    expect(read(path.join(home, '.config/goose/config.yaml'))).toContain(`cwd: ${cwd}`);
    const { code, stderr } = await install('cursor', '.', '--cwd', '.');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Leave out --cwd') });
    expect(existsSync(cursorFile())).toBe(false);
  });

  it('writes a pinned npx for shared files, and not for a server that is on this machine only', async () => {
    addFiles(home, { 'agenttools/packages/node_modules/@acme/kit/package.json': plugin['package.json'] });
    const target = path.join(home, 'agenttools/packages/node_modules/@acme/kit');
    const { 'package.json': _, ...rest } = plugin;
    addFiles(target, rest);
    await install('cursor', '@acme/kit', '--command', 'npx');
    const { version } = JSON.parse(read('package.json'));
    expect(entry()).toMatchObject({
      command: 'npx',
      args: ['-y', `agenttools@${version}`, 'start', '@acme/kit/kit'],
    });
    const { code, stderr } = await install('cursor', '.', '--command', 'npx');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('on this machine only') });
  });
});

describe('a package of this project', () => {
  beforeEach(() => {
    const project = writeFolder({ 'package.json': { name: 'app', version: '1.0.0' } });
    addFiles(path.join(project, 'node_modules/@acme/kit'), plugin);
    cwd = project;
  });

  it('is refused for a client that would not find it, with every way out', async () => {
    const { code, stderr } = await install('cursor', '@acme/kit/kit');
    expect(code).toBe(1);
    for (const way of ['agenttools add @acme/kit', './node_modules/@acme/kit/kit', '--project'])
      expect(stderr).toContain(way);
  });

  it("goes into the project's own file, and starts there", async () => {
    const { code, stderr } = await run(['install', 'cursor', '@acme/kit/kit', '--project']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { mcpServers } = JSON.parse(read(path.join(cwd, '.cursor/mcp.json')));
    expect(mcpServers.kit.args.slice(1)).toEqual(['start', '--project', '@acme/kit/kit']);
    await run(['uninstall', 'cursor', '--project']);
    expect(existsSync(path.join(cwd, '.cursor'))).toBe(false);
  });
});

describe('rejected installs', () => {
  const refusals: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['an unknown client', ['cursr', '.'], 1, /no client "cursr".*Did you mean "cursor"/],
    ['an unknown server', ['cursor', 'nothing'], 1, /no server "nothing"/],
    ['an unknown tool', ['cursor', '.', '--tool-option', 'gret.style=1'], 1, /no tool "gret".*"greet"/],
    ['an unknown option', ['cursor', '.', '--tool-option', 'greet.styl=1'], 1, /no option "styl".*"style"/],
    ['a malformed option', ['cursor', '.', '--tool-option', 'style'], 2, /tool\.option=value/],
    ['a variable that is not set', ['cursor', '.', '--env', 'NOT_SET'], 1, /NOT_SET is not set/],
    ['a malformed variable', ['cursor', '.', '--env', '1A=x'], 2, /names no variable/],
    ['a hostile key', ['cursor', '.', '--name', '__proto__'], 1, /cannot be the key/],
    ['a key with a path', ['cursor', '.', '--name', '../x'], 1, /cannot be the key.*--name x/],
    ['a key with quotes', ['cursor', '.', '--name', 'we"ird né'], 1, /cannot be the key/],
    ['no client', [], 2, /Which client/],
    ['two places', ['cursor', '--config', 'x.json', '--project'], 2, /--config names one file/],
    ['a project that is not there', ['cursor', '.', '--project=nowhere'], 1, /does not exist/],
    [
      'a client without a project file',
      ['claude-desktop', '.', '--project'],
      1,
      /no config file for projects/,
    ],
    ['a client without a file on this system', ['raycast', '.'], 1, /--config/],
    ['a file that does not tell whose it is', ['--config', 'x.ini', '.'], 2, /--client/],
  ];

  it.each(refusals)('%s', async (_, words, expected, message) => {
    const { code, stdout, stderr } = await install(...words);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(message);
    expect(existsSync(cursorFile())).toBe(false);
    expect(existsSync(path.join(home, 'agenttools'))).toBe(false);
  });

  it('a server that is not complete', async () => {
    addFiles(cwd, { 'agenttools/servers/kit.json': { tools: ['greet', 'gone'] } });
    const { code, stderr } = await install('cursor', '.');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/not complete:\n {2}gone: .*validate/s),
    });
  });

  it('a server that does not start: its stderr is shown, and nothing is written', async () => {
    addFiles(cwd, {
      'agenttools/servers/kit.js':
        'if (process.env.MCP_SERVER_NAME) throw new Error("no licence found"); export default { tools: "*" };',
    });
    rmSync(path.join(cwd, 'agenttools/servers/kit.json'));
    const { code, stderr } = await run(['install', 'cursor', '.']);
    expect(code).toBe(1);
    expect(stderr).toContain('no licence found');
    expect(existsSync(cursorFile())).toBe(false);
  });

  it('a variable that a tool requires', async () => {
    addFiles(cwd, {
      'agenttools/tools/greet.json': { handler: './greet.js', requires: { env: ['KIT_KEY'] } },
    });
    expect((await install('cursor', '.')).stderr).toMatch(/would not work in Cursor.*KIT_KEY/);
    expect((await install('cursor', '.', '--env', 'KIT_KEY=1')).code).toBe(0);
    const suggested = { handler: './greet.js', requires: { env: ['OTHER'], level: 'suggested' } };
    addFiles(cwd, { 'agenttools/tools/greet.json': suggested });
    const { code, stderr } = await install('cursor', '.');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('OTHER') });
  });

  const files: readonly (readonly [string, string, RegExp])[] = [
    ['malformed', '{\n  "mcpServers": {,}\n}', /mcp\.json:2:18: /],
    ['of another shape', '{ "mcpServers": [] }', /mcp\.json:1:17: /],
    ['with the container twice', '{ "mcpServers": {}, "mcpServers": {} }', /mcp\.json:1:\d+: .*twice/],
    ['that the client could not read', '{ // mine\n}', /mcp\.json:1:3: .*comment/],
  ];

  it.each(files)('a file %s: refused with its place, and left as it is', async (_, text, message) => {
    write(cursorFile(), text);
    const { code, stderr } = await install('cursor', '.');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    expect(read(cursorFile())).toBe(text);
  });

  it('save that --force edits what only the client could not read', async () => {
    write(cursorFile(), '{ // mine\n}');
    expect((await install('cursor', '.', '--force')).code).toBe(0);
    expect(read(cursorFile())).toContain('// mine');
  });
});

describe('secrets', () => {
  const env = { KIT_KEY: 'k-123', PATH: process.env.PATH ?? '' };
  const secret = [
    '.',
    '--env',
    'KIT_KEY',
    '--env',
    'GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345',
    '--env',
    'CITY=Oslo',
  ];

  it.each([
    ['cursor', '.cursor/mcp.json', /\$\{env:KIT_KEY\}/],
    ['claude-code', '.mcp.json', /\$\{KIT_KEY\}/],
    ['vscode', '.vscode/mcp.json', /promptString/],
    ['opencode', 'opencode.json', /\{env:KIT_KEY\}/],
    ['crush', 'crush.json', /"\$KIT_KEY"/],
    ['codex', '.codex/config.toml', /env_vars = \["KIT_KEY", "GITHUB_TOKEN"\]/],
  ])('are referred to in a project file of %s', async (client, file, reference) => {
    const { code, stderr } = await run(['install', client, ...secret, '--project', '--no-verify'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('KIT_KEY is a secret') });
    const text = read(path.join(cwd, file));
    expect(text).toMatch(reference);
    expect(text).toContain('Oslo');
    expect(text).not.toMatch(/k-123|ghp_/);
    await run(['uninstall', client, '--project']);
    expect(existsSync(path.join(cwd, file))).toBe(false);
  });

  it('are omitted with a note from a project file if the client cannot refer to them', async () => {
    const { stderr } = await run(['install', 'zed', ...secret, '--project', '--no-verify'], { env });
    expect(stderr).toMatch(/KIT_KEY is a secret and is not written into the project's file/);
    expect(read(path.join(cwd, '.zed/settings.json'))).not.toMatch(/k-123|ghp_|KIT_KEY/);
  });

  it("are written to the user's config file", async () => {
    await run(['install', 'cursor', ...secret, '--no-verify'], { env });
    expect(entry().env.KIT_KEY).toBe('k-123');
  });
});

describe('--config', () => {
  it('edits that file; whose it is shows in it', async () => {
    const file = path.join(cwd, 'x', '.vscode', 'mcp.json');
    expect((await install('--config', file, '.')).code).toBe(0);
    expect(JSON.parse(read(file)).servers.kit.type).toBe('stdio');
    expect((await run(['uninstall', '--config', file])).code).toBe(0);
    expect(existsSync(path.join(cwd, 'x'))).toBe(false);
  });

  it('takes the client from --client', async () => {
    expect((await install('--config', 'any.conf', '--client', 'codex', '.')).code).toBe(0);
    expect(read(path.join(cwd, 'any.conf'))).toContain('[mcp_servers.kit]');
  });
});

describe('--all', () => {
  it('installs into every installed client and continues after a failure', async () => {
    write(cursorFile(), '{ broken');
    mkdirSync(path.join(home, '.codex'));
    mkdirSync(path.join(home, '.config/goose'), { recursive: true });
    const { code, stdout, stderr } = await install('--all', '.', '--json');
    expect(code).toBe(1);
    const data = JSON.parse(stdout) as { client: string; changed?: boolean; error?: string }[];
    const told = Object.fromEntries(
      data.map(({ client, changed, error }) => [client, changed ?? typeof error]),
    );
    expect(told).toEqual({ cursor: 'object', codex: true, goose: true });
    expect(stderr).toMatch(/error: Cursor: /);
    expect(read(path.join(home, '.codex/config.toml'))).toContain('[mcp_servers.kit]');
    const gone = await run(['uninstall', '--all', '.']);
    expect(gone.code).toBe(0);
    expect(existsSync(path.join(home, '.codex/config.toml'))).toBe(false);
  });

  it('reports that no client is installed', async () => {
    const { code, stderr } = await run(['install', '--all', '.', '--no-verify'], { env: { PATH: '' } });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('No client') });
  });
});

/** As a user would with `patch`; where there is none, by the library that knows its rules. */
function applyDiff(diff: string, file: string): void {
  const hasPatch = spawnSync('patch', ['--version']).status === 0;
  if (hasPatch) execFileSync('patch', ['-d', '/', '-p1', '--binary', '--silent'], { input: diff });
  else
    addFiles(path.dirname(file), {
      [path.basename(file)]: applyPatch(existsSync(file) ? read(file) : '', diff),
    });
}

describe('--dry-run', () => {
  it.each([
    ['a new file', undefined],
    ['a file without a final newline', '{ "mcpServers": {} }'],
    ['a file with CRLF', '{\r\n  "a": 1\r\n}\r\n'],
  ])('prints a diff of %s that patch applies, and writes nothing', async (_, before) => {
    if (before !== undefined) write(cursorFile(), before);
    const { code, stdout } = await run(['install', 'cursor', '.', '--dry-run']);
    expect(code).toBe(0);
    expect(existsSync(path.join(home, 'agenttools'))).toBe(false);
    expect(existsSync(cursorFile()) ? read(cursorFile()) : undefined).toBe(before);
    applyDiff(stdout, cursorFile());
    const patched = read(cursorFile());
    if (before === undefined) rmSync(cursorFile());
    else writeFileSync(cursorFile(), before);
    await install('cursor', '.');
    expect(patched).toBe(read(cursorFile()));
  });

  it('prints a diff that patch applies, also for a path with spaces', async () => {
    const file = path.join(home, 'Code - Insiders/User/my mcp.json');
    const words = ['--config', file, '--client', 'vscode', '.'];
    const { stdout } = await run(['install', ...words, '--dry-run', '--no-verify']);
    applyDiff(stdout, file);
    const patched = read(file);
    rmSync(path.dirname(file), { recursive: true });
    await install(...words);
    expect(patched).toBe(read(file));
    const gone = await run(['uninstall', '--config', file, '--dry-run']);
    applyDiff(gone.stdout, file);
    expect(existsSync(file)).toBe(false);
  });

  it('prints one diff for a file that two clients read, and names the omitted one', async () => {
    for (const folder of ['.claude', '.copilot']) mkdirSync(path.join(home, folder));
    const words = ['install', '--all', '@acme/kit/kit', '--project', '--dry-run', '--no-verify'];
    const { stdout, stderr } = await run(words, { env: { PATH: '' } });
    expect(stdout.match(/^\+\+\+ .*\.mcp\.json$/gm)).toHaveLength(1);
    expect(stderr).toMatch(/\.mcp\.json would be written more than once; .*Claude Code alone.*Copilot CLI/);
    applyDiff(stdout, path.join(cwd, '.mcp.json'));
    expect(JSON.parse(read(path.join(cwd, '.mcp.json'))).mcpServers).toHaveProperty('kit');
  });

  it('prints nothing when nothing would change', async () => {
    await install('cursor', '.');
    expect((await run(['install', 'cursor', '.', '--dry-run'])).stdout).toBe('');
  });

  it('shows the removal of uninstall', async () => {
    await install('cursor', '.');
    const before = read(cursorFile());
    const { stdout } = await run(['uninstall', 'cursor', '.', '--dry-run']);
    expect(stdout).toContain('+++ /dev/null');
    expect(read(cursorFile())).toBe(before);
  });
});

describe('--json', () => {
  it('prints the result', async () => {
    const { stdout } = await install('cursor', '.', '--json');
    expect(JSON.parse(stdout)).toEqual({
      client: 'cursor',
      scope: 'user',
      file: cursorFile(),
      key: 'kit',
      server: '@acme/kit/kit',
      changed: true,
    });
  });

  it('prints the failure when it could not be done', async () => {
    const { code, stdout } = await install('cursor', 'nothing', '--json');
    expect({ code, told: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      told: { error: { code: 'not-found', message: 'There is no server "nothing".' } },
    });
  });

  it('prints the failure of the one client, of install and of uninstall', async () => {
    write(cursorFile(), '{ "mcpServers": { "kit": { "command": "x" } } }');
    const installed = await install('cursor', '.', '--json');
    expect(installed).toMatchObject({ code: 1, stderr: expect.stringContaining('error: ') });
    expect(JSON.parse(installed.stdout)).toEqual({
      error: {
        code: 'refused',
        message: expect.stringContaining('that AgentTools did not write.'),
        hint: 'Give yours another key with --name, or replace it with --force.',
      },
    });
    await install('cursor', '.', '--name', 'mine');
    write(cursorFile(), read(cursorFile()).replace('"start"', '"begin"'));
    const uninstalled = await run(['uninstall', 'cursor', 'mine', '--json']);
    expect(uninstalled).toMatchObject({ code: 1, stderr: expect.stringContaining('error: ') });
    expect(JSON.parse(uninstalled.stdout)).toMatchObject({ error: { code: 'refused' } });
    const all = await run(['uninstall', '--all', 'mine', '--json']);
    expect(JSON.parse(all.stdout)).toMatchObject([{ client: 'cursor', error: { code: 'refused' } }]);
  });
});

describe('a client without a config file', () => {
  it('gets what to paste on stdout, where on stderr, and no receipt', async () => {
    const { code, stdout, stderr } = await install('cherry-studio', '.');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).mcpServers.kit.args).toContain('start');
    expect(stderr).toContain('Settings');
    expect(existsSync(path.join(home, 'agenttools'))).toBe(false);
  });
});

describe('uninstall', () => {
  it.each([['.'], ['./kit'], ['@acme/kit/kit'], ['acme/kit/kit'], ['kit']])(
    'knows the server as %s',
    async (name) => {
      await install('cursor', '.');
      expect((await run(['uninstall', 'cursor', name])).stderr).toContain('Removed "kit"');
    },
  );

  it('works when the package is gone', async () => {
    await install('cursor', '.');
    rmSync(cwd, { recursive: true });
    mkdirSync(cwd);
    expect((await run(['uninstall', 'cursor', '@acme/kit/kit'])).code).toBe(0);
    expect(existsSync(cursorFile())).toBe(false);
  });

  it('has nothing to remove: one line, and nothing is written', async () => {
    const { code, stdout, stderr } = await run(['uninstall', 'cursor', '.']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('Nothing to remove')]);
    expect(existsSync(path.join(home, 'agenttools'))).toBe(false);
  });

  it('refuses an entry of another program without --force', async () => {
    const text = '{ "mcpServers": { "kit": { "command": "x" }, "b": {} } }';
    write(cursorFile(), text);
    const { code, stderr } = await run(['uninstall', 'cursor', 'kit']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--force') });
    expect(read(cursorFile())).toBe(text);
    expect((await run(['uninstall', 'cursor', 'kit', '--force'])).code).toBe(0);
    expect(JSON.parse(read(cursorFile()))).toEqual({ mcpServers: { b: {} } });
  });

  it('asks which one where a server was installed twice', async () => {
    await install('cursor', '.');
    await install('cursor', '.', '--name', 'second');
    const { code, stderr } = await run(['uninstall', 'cursor', '.']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/more than once.*second.*--name/s),
    });
    expect((await run(['uninstall', 'cursor', '.', '--name', 'second'])).code).toBe(0);
    expect(Object.keys(JSON.parse(read(cursorFile())).mcpServers)).toEqual(['kit']);
    expect((await run(['uninstall', 'cursor'])).code).toBe(0);
  });
});

describe('list-installed', () => {
  const states = async () => {
    const { stdout } = await run(['list-installed', '--json']);
    return (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state);
  };

  it('reports each entry as intact, edited, gone or server missing', async () => {
    await install('cursor', '.');
    expect(await states()).toEqual(['intact']);
    const text = read(cursorFile());
    write(cursorFile(), JSON.stringify({ more: 1, ...JSON.parse(text) }));
    expect(await states()).toEqual(['intact']);
    write(cursorFile(), text.replace('"start"', '"begin"'));
    expect(await states()).toEqual(['edited']);
    write(cursorFile(), '{}');
    expect(await states()).toEqual(['gone']);
    write(cursorFile(), text);
    rmSync(path.join(cwd, 'package.json'));
    expect(await states()).toEqual(['server missing']);
    expect((await run(['list-installed', '--check'])).code).toBe(1);
  });

  it('exits with 0 when everything holds', async () => {
    await install('cursor', '.');
    const { code, stdout } = await run(['list-installed', '--check']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('intact') });
  });
});

describe('list-clients', () => {
  it('reports each client as configured, installed or not found', async () => {
    mkdirSync(path.join(home, '.codex'));
    await install('cursor', '.');
    const { stdout } = await run(['list-clients', '--json'], { env: { PATH: '' } });
    const listed = JSON.parse(stdout) as {
      id: string;
      state: string;
      manual: boolean;
      user: string | null;
    }[];
    expect(listed.map(({ id }) => id)).toEqual(clients.map(({ id }) => id));
    const state = Object.fromEntries(listed.map((one) => [one.id, one.state]));
    expect(state).toMatchObject({ cursor: 'configured', codex: 'installed', zed: 'not found' });
    expect(listed.find(({ id }) => id === 'cursor')?.user).toBe(cursorFile());
    const byHand = listed.filter(({ manual }) => manual).map(({ id }) => id);
    expect(byHand).toEqual(manualClients.map(({ id }) => id));
    const detected = await run(['list-clients', '--detected', '--json'], { env: { PATH: '' } });
    expect((JSON.parse(detected.stdout) as { id: string }[]).map(({ id }) => id).sort()).toEqual([
      'codex',
      'cursor',
    ]);
  });
});

describe('the examples of the pages', () => {
  const examples = ['install', 'uninstall', 'list-clients', 'list-installed'].flatMap((page) => {
    const [, code = ''] = read(`docs/commands/${page}.md`).match(/## Examples\n\n```sh\n([^`]*)```/) ?? [];
    return code
      .trim()
      .split('\n')
      .map((line) => [line] as const);
  });

  it('are there', () => expect(examples.length).toBeGreaterThanOrEqual(8));

  beforeEach(() => {
    mkdirSync(path.join(home, '.cursor'));
    addFiles(path.join(cwd, 'plugin'), plugin);
    const { 'package.json': _, ...files } = plugin;
    const weather = {
      ...packageJson({ servers: [{ name: 'weather', description: 'x' }], tools: ['greet'] }),
      name: '@acme/weather',
    };
    addFiles(path.join(home, 'agenttools/packages/node_modules/@acme/weather'), {
      ...files,
      'package.json': weather,
      'agenttools/servers/weather.json': { tools: '*' },
    });
  });

  const runLine = async (line: string, ...more: readonly string[]) => {
    const [program, ...words] = line.split(' ');
    expect(program).toBe('agenttools');
    const { code, stderr } = await run([...words, ...more], { env: { WEATHER_KEY: 'x' } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
  };

  it.each(examples)('%s', async (line) => {
    await (line.startsWith('agenttools install ') ? runLine(line, '--no-verify') : runLine(line));
  });

  const removals = examples.filter(
    ([line]) => line.startsWith('agenttools uninstall ') && !line.includes('--everything'),
  );

  it.each(removals)('%s takes out what was installed by the same words', async (line) => {
    write(path.join(home, '.config/Claude/claude_desktop_config.json'), '{\n\t"mcpServers": {}\n}\n');
    write(path.join(home, '.codex/config.toml'), 'model = "x" # mine\n');
    const before = filesBelow(home);
    await runLine(line.replace('uninstall', 'install'), '--no-verify');
    expect(filesBelow(home)).not.toEqual(before);
    await runLine(line);
    expect(filesBelow(home)).toEqual(before);
  });
});

/** The text of every file below a folder, save for what we remember. */
function filesBelow(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  );
  const texts = files.filter(
    (file) => !file.startsWith(path.join(folder, 'agenttools')) && statSync(file).isFile(),
  );
  return Object.fromEntries(texts.map((file) => [file, read(file)]));
}
