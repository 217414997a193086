import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { maxCommands } from '../../src/engine/clients/history.js';
import { writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { runCli } from '../support/run-cli.js';

let home: string;
let cwd: string;
let cursor: string;
let codex: string;

const cursorText = '{ "mcpServers": { "mine": { "command": "x" } } }';
const codexText = '# mine\nmodel = "x" # tail\n';

beforeEach(() => {
  home = writeFolder();
  cwd = writeFolder(plugin);
  cursor = path.join(home, '.cursor/mcp.json');
  codex = path.join(home, '.codex/config.toml');
  for (const [file, text] of [
    [cursor, cursorText],
    [codex, codexText],
  ] as const) {
    mkdirSync(path.dirname(file));
    writeFileSync(file, text);
  }
});

const run = (...words: readonly string[]) => runCli(words, { home, cwd });
const install = (...words: readonly string[]) => run('install', ...words, '--no-verify');
const texts = () => [cursor, codex].map((file) => readFileSync(file, 'utf8'));
const history = async () => JSON.parse((await run('history', '--json')).stdout);

describe('the entries of a change in the history', () => {
  it('lists only the entries that a change touched', async () => {
    for (const name of ['one', 'two', 'three']) await install('cursor', '.', '--name', name);
    await install('cursor', '.', '--name', 'one', '--env', 'A=1');
    await run('uninstall', 'cursor', '--name', 'two');
    const keys = (await history()).map(({ files }: { files: { key: string }[] }) =>
      files.map(({ key }) => key),
    );
    expect(keys).toEqual([['two'], ['one'], ['three'], ['two'], ['one']]);
  });

  it('leaves out equal entries between two changed ones', async () => {
    const names = ['one', 'two', 'three'];
    for (const name of names) await install('cursor', '.', '--name', name);
    const [file = ''] = readdirSync(path.join(home, 'agenttools/history')).toReversed();
    const place = path.join(home, 'agenttools/history', file);
    const change = JSON.parse(readFileSync(place, 'utf8'));
    const [
      {
        inserted: [three],
      },
    ] = [change.receipts];
    const [one, two] = names.map((key) => ({ ...three, key }));
    const receipts = {
      at: 0,
      removed: [one, two, three],
      inserted: [{ ...one, version: '2' }, two, { ...three, version: '2' }],
      rest: 0,
    };
    writeFileSync(place, JSON.stringify({ ...change, receipts }));
    expect((await run('history')).stdout).toContain('"one", "three" in Cursor');
  });
});

describe('undo', () => {
  it('restores the bytes of every file that the last command changed', async () => {
    await install('cursor,codex', '.');
    const { code, stdout, stderr } = await run('undo');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(
      /^Took back install of .* UTC: "kit" is out of Codex .*\nTook back install .* Cursor .*\n$/,
    );
    expect(texts()).toEqual([cursorText, codexText]);
    expect((await run('list-installed', '--json')).stdout.trim()).toBe('[]');
    expect((await run('undo')).stderr).toContain('Nothing to undo');
  });

  it('takes back several commands, the last one first, and deletes files that did not exist', async () => {
    const file = path.join(home, '.config/Code/User/mcp.json');
    await install('cursor', '.');
    await install('vscode', '.');
    await run('uninstall', 'cursor');
    expect((await run('undo', '3')).code).toBe(0);
    expect(texts()[0]).toBe(cursorText);
    expect(existsSync(file)).toBe(false);
  });

  it('puts an entry back with its record after uninstall', async () => {
    await install('cursor', '.', '--env', 'A=1');
    const [installed] = texts();
    await run('uninstall', 'cursor');
    expect((await run('undo')).stderr).toContain('"kit" is back in Cursor');
    expect(texts()[0]).toBe(installed);
    expect((await run('uninstall', 'cursor')).stderr).toContain('Removed "kit"');
    expect(texts()[0]).toBe(cursorText);
  });

  it('keeps changes of other programs', async () => {
    await install('codex', '.');
    writeFileSync(codex, `${texts()[1]}[later]\na = 1\n`);
    await run('uninstall', 'codex');
    writeFileSync(codex, `# first\n${texts()[1]}`);
    expect((await run('undo')).stderr).toContain('Later changes of other programs stay.');
    expect(texts()[1]).toMatch(/^# first\n.*mcp_servers/s);
    await run('undo');
    expect(texts()[1]).toBe(`# first\n${codexText}[later]\na = 1\n`);
  });

  it('restores the settings of an update, and the entry that --force replaced', async () => {
    await install('cursor', '.', '--name', 'mine', '--force');
    const [first] = texts();
    await install('cursor', '.', '--name', 'mine', '--env', 'A=1');
    await run('undo');
    expect(texts()[0]).toBe(first);
    writeFileSync(cursor, first!.replace('{ "mcp', '{ "a": 1, "mcp'));
    expect((await run('undo')).code).toBe(0);
    expect(JSON.parse(texts()[0]!)).toEqual({ a: 1, ...JSON.parse(cursorText) });
  });

  it('puts back an entry of another program, also after later changes', async () => {
    await run('uninstall', 'cursor', 'mine', '--force');
    writeFileSync(cursor, texts()[0]!.replace('{ "mcp', '{ "a": 1, "mcp'));
    expect((await run('undo')).code).toBe(0);
    expect(JSON.parse(texts()[0]!)).toEqual({ a: 1, ...JSON.parse(cursorText) });
  });

  it.each([
    ['an edited entry', (text: string) => text.replace('"start"', '"stop"'), []],
    [
      'an edited entry after a second install',
      (text: string) => text.replace('"start"', '"stop"'),
      ['--env', 'A=1'],
    ],
  ])('refuses %s, and the commands before it, unless --force', async (_, edit, again) => {
    await install('codex', '.');
    await install('cursor', '.');
    if (again.length > 0) await install('cursor', '.', ...again);
    writeFileSync(cursor, edit(texts()[0]!));
    const before = texts();
    const { code, stderr } = await run('undo', '9');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/by hand.*--force/s) });
    expect(stderr).toMatch(/\d earlier commands? not taken back\./);
    expect(texts()).toEqual(before);
    expect((await run('undo', '9', '--force')).code).toBe(0);
    expect(texts()).toEqual([cursorText, codexText]);
  });

  it('refuses a key that another program has used since', async () => {
    await install('cursor', '.');
    await run('uninstall', 'cursor');
    const taken = '{ "mcpServers": { "kit": { "command": "other" } } }';
    writeFileSync(cursor, taken);
    const { code, stderr } = await run('undo');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--force') });
    expect(texts()[0]).toBe(taken);
  });

  it('does not create the folder of a project again', async () => {
    const project = writeFolder();
    await install('cursor', '.', `--project=${project}`);
    await run('uninstall', 'cursor', `--project=${project}`);
    rmSync(project, { recursive: true });
    expect((await run('undo')).stderr).toContain(`The project folder ${project} does not exist`);
    expect(existsSync(project)).toBe(false);
  });

  it('prints one diff per file and writes nothing with --dry-run', async () => {
    await install('cursor', '.');
    await install('cursor', '.', '--name', 'two');
    const before = texts();
    const { code, stdout, stderr } = await run('undo', '2', '--dry-run');
    expect(code).toBe(0);
    expect(stdout.match(/^---/gm)).toHaveLength(1);
    expect(stdout).toContain(`+${cursorText}`);
    expect(stderr).toContain('Would take back install');
    expect(texts()).toEqual(before);
    expect((await history()).map(({ command }: { command: string }) => command)).toEqual([
      'install',
      'install',
    ]);
  });

  it('skips commands that changed no file, and undoes the one before', async () => {
    await install('cursor', '.');
    await install('cursor', './kit');
    expect(await history()).toHaveLength(1);
    const { stderr } = await run('undo');
    expect(stderr).toMatch(/^Took back install of .* "kit" is out of Cursor .*\n$/);
    expect(texts()[0]).toBe(cursorText);
    expect((await run('undo')).stderr).toContain('Nothing to undo');
  });

  it('names a repair of an entry without record', async () => {
    const text = cursorText.replace('"x"', '"/opt/gone/node"');
    writeFileSync(cursor, text);
    await run('doctor', 'cursor', '--fix', '--offline', '--no-start');
    expect((await run('history')).stdout).toContain(`doctor\n   updated text in the file: ${cursor}\n`);
    expect((await run('undo')).stderr).toContain(`text is as before in the file (${cursor})`);
    expect(readFileSync(cursor, 'utf8')).toBe(text);
  });

  it('takes back an undo with --redo', async () => {
    await install('cursor', '.');
    const [installed] = texts();
    await run('undo');
    expect((await run('undo', '--redo')).code).toBe(0);
    expect(texts()[0]).toBe(installed);
    expect((await run('undo', '--redo')).stderr).toContain('Nothing to redo');
    await run('undo');
    expect(texts()[0]).toBe(cursorText);
  });

  it('prints JSON for each entry', async () => {
    await install('cursor', '.');
    const { stdout } = await run('undo', '--json');
    expect(JSON.parse(stdout)).toEqual([
      {
        change: 1,
        command: 'install',
        client: 'cursor',
        scope: 'user',
        key: 'kit',
        server: '@acme/kit/kit',
        file: cursor,
        changed: true,
        exact: true,
      },
    ]);
  });

  it('counts an entry that is gone as taken back', async () => {
    await install('codex', '.');
    await install('cursor', '.');
    writeFileSync(cursor, cursorText);
    expect((await run('undo')).stderr).toContain('is gone already from Cursor');
    await run('undo');
    expect(texts()).toEqual([cursorText, codexText]);
  });

  it.each([['0'], ['x'], ['1.5']])('rejects %s as a number', async (word) => {
    expect((await run('undo', word)).code).toBe(2);
  });
});

describe('history', () => {
  it('lists commands with their entries, and undos', async () => {
    await install('cursor,codex', '.', '--env', 'TOKEN=s3cret-value');
    await run('undo');
    const [undone, installed] = await history();
    expect(installed).toMatchObject({ change: 1, command: 'install', undone: true });
    expect(installed.files.map(({ client, outcome }: Record<string, string>) => [client, outcome])).toEqual([
      ['cursor', 'added'],
      ['codex', 'added'],
    ]);
    expect(undone).toMatchObject({ command: 'undo', undoes: 1, undone: false });
    const { stdout } = await run('history');
    expect(stdout).toMatch(/undo of 1\n.*removed "kit" in Codex: .*\n.*\n1 .* install \(taken back\)\n/);
    expect(stdout + JSON.stringify([undone, installed])).not.toContain('s3cret-value');
  });

  it('omits commands that change no file', async () => {
    await install('cursor', '.', '--dry-run');
    await install('cursor', '.');
    await install('cursor', '.');
    expect(await history()).toHaveLength(1);
    expect((await runCli(['history'])).stdout).toBe('AgentTools has changed no config file yet.\n');
  });

  it('keeps changes in files that only their owner can read, only for the last commands', async () => {
    const folder = path.join(home, 'agenttools/history');
    await install('cursor', '.');
    const [first] = readdirSync(folder) as [string];
    expect(statSync(path.join(folder, first)).mode & 0o777).toBe(0o600);
    expect((await run('history', '--help')).stdout.replace(/\s+/g, ' ')).toContain(
      `the last ${maxCommands}.`,
    );
    const text = readFileSync(path.join(folder, first), 'utf8');
    for (let number = 1; number <= maxCommands + 5; number++) {
      const id = String(number).padStart(12, '0');
      writeFileSync(path.join(folder, `${String(number + 1).padStart(6, '0')}-${id}.json`), text);
    }
    await run('uninstall', 'cursor');
    expect(readdirSync(folder)).toHaveLength(maxCommands);
    expect(await history()).toHaveLength(maxCommands);
  });

  it('leaves out a damaged change with a warning', async () => {
    const folder = path.join(home, 'agenttools/history');
    await install('cursor', '.');
    writeFileSync(path.join(folder, readdirSync(folder)[0]!), '{');
    const { stderr } = await run('history');
    expect(stderr).toContain('cannot be read, and is left out');
    expect((await run('undo')).stderr).toContain('Nothing to undo');
  });
});
