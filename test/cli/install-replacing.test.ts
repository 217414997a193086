import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { addFiles, type Files, packageJson, writeFolder } from '../support/packages.js';
import { type RunOptions, runCli } from '../support/run-cli.js';

/** A package with three servers of one key, one of another key, and one of none of its own. */
const sky = (name: string): Files => ({
  'package.json': packageJson(
    { servers: ['Day', 'Night', 'Noon', 'Tide', 'Moon_1'], tools: ['look'] },
    { name },
  ),
  'agenttools/servers/Day.json': { configKey: 'Sky', tools: '*' },
  'agenttools/servers/Night.json': { configKey: 'Sky', tools: '*' },
  'agenttools/servers/Noon.json': { configKey: 'Sky', tools: '*' },
  'agenttools/servers/Tide.json': { configKey: 'Sea_1', tools: '*' },
  'agenttools/servers/Moon_1.json': { tools: '*' },
  'agenttools/tools/look.json': { handler: './look.js' },
  'look.js': 'export default () => "blue";',
});

let home: string;
let cwd: string;

beforeEach(() => {
  home = writeFolder();
  cwd = writeFolder();
  for (const name of ['@acme/sky', '@other/sky'])
    addFiles(path.join(home, 'lib/node_modules', name), sky(name));
});

const run = (words: readonly string[], options: RunOptions = {}) =>
  runCli(words, { home, cwd, ...options, env: { PATH: process.env.PATH ?? '', ...options.env } });

const install = (...words: readonly string[]) => run(['install', ...words, '--no-verify']);
const uninstall = (...words: readonly string[]) => run(['uninstall', ...words]);

const read = (...parts: readonly string[]) => readFileSync(path.join(...parts), 'utf8');
const cursorEntries = (folder = home) => JSON.parse(read(folder, '.cursor/mcp.json')).mcpServers;

/** What list-installed tells: key and server of each. */
async function installed(): Promise<readonly (readonly string[])[]> {
  const { stdout } = await run(['list-installed', '--json']);
  const all = JSON.parse(stdout) as { key: string; server: string; state: string }[];
  return all.map(({ key, server, state }) => [key, server, state]);
}

describe('the configKey of a server', () => {
  it('is written as it is where the client takes it', async () => {
    await install('cursor', '@acme/sky/Day');
    await install('cursor', '@acme/sky/Tide');
    expect(Object.keys(cursorEntries())).toEqual(['Sky', 'Sea_1']);
  });

  it('is made to fit a client that does not take it', async () => {
    await install('gemini-cli', '@acme/sky/Tide');
    expect(Object.keys(JSON.parse(read(home, '.gemini/settings.json')).mcpServers)).toEqual(['sea-1']);
  });

  it('is derived from the server name if the server declares none', async () => {
    await install('cursor', '@acme/sky/Moon_1');
    expect(Object.keys(cursorEntries())).toEqual(['moon-1']);
  });

  it('is printed for a client without a config file', async () => {
    const { stdout } = await install('cherry-studio', '@acme/sky/Tide', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ manual: true, key: 'Sea_1' });
  });

  it('is known to show and to uninstall', async () => {
    await install('cursor', '@acme/sky/Day');
    const { stdout } = await run(['show', '@acme/sky/Day', 'installations', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ client: 'cursor', key: 'Sky' }]);
    await uninstall('cursor', 'Sky');
    expect(existsSync(path.join(home, '.cursor/mcp.json'))).toBe(false);
  });
});

const originals: readonly (readonly [client: string, file: string, text: string])[] = [
  ['cursor', '.cursor/mcp.json', '{\r\n\t"mcpServers": {},\r\n\t"a": 1.0\r\n}'],
  [
    'claude-desktop',
    '.config/Claude/claude_desktop_config.json',
    '{ "mcpServers": { "x": { "command": "y" } } }\n',
  ],
  ['vscode', '.config/Code/User/mcp.json', '{\n  // mine\n  "servers": {}, // tail\n}\n'],
  ['zed', '.config/zed/settings.json', '// mine\n{ "theme": "x" }\n'],
  ['codex', '.codex/config.toml', '# mine\nmodel = "x"\n\n[mcp_servers.x]\ncommand = "y" # tail\n'],
  [
    'goose',
    '.config/goose/config.yaml',
    '# mine\nextensions:\n  x: # tail\n    cmd: y\n    type: stdio\nb: 2\n',
  ],
];

describe('a server takes the place of another with the same key', () => {
  it('reports the replacement', async () => {
    await install('cursor', '@acme/sky/Day');
    const planned = await install('cursor', '@acme/sky/Night', '--dry-run');
    expect(planned.stderr).toContain('@acme/sky/Night would take the place of @acme/sky/Day.');
    const { code, stderr } = await install('cursor', '@acme/sky/Night');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^Installed @acme\/sky\/Night in Cursor as "Sky" .*\n {2}@acme\/sky\/Night took the place of @acme\/sky\/Day\.\n/,
      ),
    });
    expect(cursorEntries().Sky.env.MCP_SERVER_NAME).toBe('@acme/sky/Night');
    expect(await installed()).toEqual([['Sky', '@acme/sky/Night', 'intact']]);
    const { stdout } = await run(['show', '@acme/sky/Day', 'installations', '--json']);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it.each(originals)(
    '%s: restores the bytes of before both when the second one is removed',
    async (client, file, text) => {
      addFiles(home, { [file]: text });
      for (const words of [
        ['Day'],
        ['Night', '--env', 'A=1', '--env', 'B=2'],
        ['Noon', '--env', 'A=2'],
        ['Day'],
      ]) {
        const [server, ...options] = words;
        const { code, stderr } = await install(client, `@acme/sky/${server}`, ...options);
        expect({ code, stderr }).toMatchObject({ code: 0 });
      }
      expect(read(home, file)).toContain('@acme/sky/Day');
      expect(read(home, file)).not.toMatch(/@acme\/sky\/(?:Night|Noon)/);
      // What goose takes for a key has no capitals.
      const key = client === 'goose' ? 'sky' : 'Sky';
      expect(await installed()).toEqual([[key, '@acme/sky/Day', 'intact']]);
      expect((await uninstall(client, '@acme/sky/Day')).code).toBe(0);
      expect(read(home, file)).toBe(text);
      expect(await installed()).toEqual([]);
    },
  );

  it('with the given variables, and reports the variables of the other entry that are gone', async () => {
    await install('cursor', '@acme/sky/Day', '--env', 'A=1', '--env', 'B=2');
    const { stderr } = await install('cursor', '@acme/sky/Night', '--env', 'A=3');
    expect(stderr).toContain('No longer set, because they were not given again: B.');
    expect(cursorEntries().Sky.env).toMatchObject({ A: '3' });
    expect(cursorEntries().Sky.env).not.toHaveProperty('B');
  });

  it("in a project's own file, which goes with it", async () => {
    await install('cursor', '@acme/sky/Day');
    addFiles(path.join(cwd, 'node_modules/@acme/sky'), sky('@acme/sky'));
    for (const server of ['Day', 'Night']) await install('cursor', `@acme/sky/${server}`, '--project');
    expect(cursorEntries(cwd).Sky.env.MCP_SERVER_NAME).toBe('@acme/sky/Night');
    expect(cursorEntries().Sky.env.MCP_SERVER_NAME).toBe('@acme/sky/Day');
    await uninstall('cursor', '--project');
    expect(existsSync(path.join(cwd, '.cursor'))).toBe(false);
  });

  it('under the key that --name gives both, and beside it under another', async () => {
    await install('cursor', '@acme/sky/Day', '--name', 'mine');
    await install('cursor', '@acme/sky/Noon');
    const { stderr } = await install('cursor', '@acme/sky/Night', '--name', 'mine');
    expect(stderr).toContain('@acme/sky/Night took the place of @acme/sky/Day.');
    expect(await installed()).toEqual([
      ['mine', '@acme/sky/Night', 'intact'],
      ['Sky', '@acme/sky/Noon', 'intact'],
    ]);
    expect((await uninstall('cursor')).code).toBe(0);
    expect(existsSync(path.join(home, '.cursor'))).toBe(false);
  });

  it('keeps manual additions to the entry', async () => {
    await install('cursor', '@acme/sky/Day');
    const data = JSON.parse(read(home, '.cursor/mcp.json'));
    data.mcpServers.Sky.env.MINE = 'x';
    addFiles(home, { '.cursor/mcp.json': data });
    expect((await install('cursor', '@acme/sky/Night')).code).toBe(0);
    expect(cursorEntries().Sky.env).toMatchObject({ MCP_SERVER_NAME: '@acme/sky/Night', MINE: 'x' });
  });
});

describe('it does not without --force', () => {
  it.each([
    ['of another extension', '@other/sky/Night'],
    ['of another key', '@acme/sky/Tide'],
    ['of no key of its own', '@acme/sky/Moon_1'],
  ])('for an existing entry with a server %s', async (_, server) => {
    await install('cursor', server, '--name', 'Sky');
    const before = read(home, '.cursor/mcp.json');
    const { code, stderr } = await install('cursor', '@acme/sky/Day');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`another server, ${server}`),
    });
    expect(read(home, '.cursor/mcp.json')).toBe(before);
  });

  it('where that was edited by hand', async () => {
    await install('cursor', '@acme/sky/Day');
    addFiles(home, { '.cursor/mcp.json': read(home, '.cursor/mcp.json').replace('"start"', '"begin"') });
    const { code, stderr } = await install('cursor', '@acme/sky/Night');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('edited by hand') });
    expect((await install('cursor', '@acme/sky/Night', '--force')).code).toBe(0);
    await uninstall('cursor');
    expect(JSON.parse(read(home, '.cursor/mcp.json'))).toEqual({});
  });

  it('where AgentTools did not write it', async () => {
    addFiles(home, { '.cursor/mcp.json': { mcpServers: { Sky: { command: 'theirs' } } } });
    const before = read(home, '.cursor/mcp.json');
    expect((await install('cursor', '@acme/sky/Day')).stderr).toContain('AgentTools did not write');
    await install('cursor', '@acme/sky/Day', '--force');
    await install('cursor', '@acme/sky/Night');
    await uninstall('cursor', '@acme/sky/Night');
    expect(read(home, '.cursor/mcp.json')).toBe(before);
  });
});
