import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { clients, writableClients } from '../../src/engine/clients/table/index.js';
import { manualClients } from '../../src/engine/clients/table/manual-clients.js';
import { addFiles, packageJson, writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { type RunOptions, runCli } from '../support/run-cli.js';

let home: string;
let cwd: string;
let cursorFile: string;

beforeEach(() => {
  home = writeFolder();
  cursorFile = path.join(home, '.cursor/mcp.json');
  cwd = writeFolder(plugin);
});

const run = (words: readonly string[], options: RunOptions = {}) =>
  runCli(words, { home, cwd, env: { PATH: '' }, ...options });
const install = (...words: readonly string[]) => run(['install', ...words, '--no-verify']);
const linesOf = (text: string) => text.trimEnd().split('\n');
const edit = (from: string, to: string) =>
  addFiles(path.dirname(cursorFile), {
    'mcp.json': readFileSync(cursorFile, 'utf8').replace(from, to),
  });

describe('a command line without a client', () => {
  it.each(['npm:@acme/mcp', '@acme/kit', './kit', 'https://mcp.example.com/mcp', '.'])(
    'refuses the server %s alone, and shows the order',
    async (server) => {
      for (const command of ['install', 'uninstall']) {
        const { code, stderr } = await run([command, server]);
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: `error: "${server}" is no client. The client comes before the server: <client> ${server}\n`,
        });
      }
    },
  );

  it('names an unknown option as it was typed', async () => {
    expect((await run(['list-installed', '--force'])).stderr).toMatch(/^error: unknown option '--force'$/m);
  });
});

describe('install --dev', () => {
  it('writes an entry that serves changes of the files', async () => {
    await install('cursor', '.', '--dev');
    const { args } = JSON.parse(readFileSync(cursorFile, 'utf8')).mcpServers.kit;
    expect(args.slice(1)).toEqual(['dev', '--stdio', path.join(cwd, 'kit')]);
  });

  it.each([
    [['.', '--frozen'], 2],
    [['.', '--sandbox'], 2],
    [['https://mcp.example.com/mcp'], 1],
  ])('refuses %j', async (words, code) => {
    const run = await runCli(['install', 'cursor', ...words, '--dev'], { home, cwd, env: { PATH: '' } });
    expect([run.code, run.stderr]).toEqual([
      code,
      expect.stringMatching(/--dev (?:serves an extension|is for extensions)/),
    ]);
  });
});

describe('output of install', () => {
  it('reports a replaced entry as a sentence, then a note', async () => {
    addFiles(home, { '.cursor/mcp.json': { mcpServers: { kit: { command: 'x' } } } });
    const planned = await install('cursor', '.', '--force', '--dry-run');
    expect(linesOf(planned.stderr).slice(0, 2)).toEqual([
      `Would install @acme/kit/kit in Cursor as "kit" (${cursorFile}).`,
      '  The entry that is there would be kept, and uninstall would put it back.',
    ]);
    const { stderr } = await install('cursor', '.', '--force');
    expect(linesOf(stderr).slice(0, 2)).toEqual([
      `Installed @acme/kit/kit in Cursor as "kit" (${cursorFile}).`,
      '  The entry that was there is kept, and uninstall puts it back.',
    ]);
  });

  it('names a failed client once', async () => {
    const { stderr } = await install('cursor', '.', '--cwd', '.');
    expect(stderr.match(/Cursor/g)).toHaveLength(1);
    addFiles(home, { '.cursor/mcp.json': '{ broken' });
    expect((await install('cursor', '.')).stderr).toMatch(/^error: Cursor: /);
  });

  it('omits the notes on new entries for an unchanged entry', async () => {
    const first = await install('vscode', '.');
    expect(first.stderr).toContain('asks whether you trust the server');
    const [line, ...more] = linesOf((await install('vscode', '.')).stderr);
    expect(line).toMatch(/^Nothing to change: /);
    expect(more).toEqual([]);
  });

  it('ends with the failures and their number for many clients', async () => {
    addFiles(home, { '.cursor/mcp.json': '{ broken' });
    mkdirSync(path.join(home, '.codex'));
    mkdirSync(path.join(home, '.config/goose'), { recursive: true });
    const lines = linesOf((await install('--all', '.')).stderr);
    expect(lines.at(-1)).toBe('1 of 3 clients failed.');
    expect(lines.at(-2)).toMatch(/^error: Cursor: /);
    expect(lines.filter((line) => line.startsWith('error: '))).toHaveLength(1);
  });
});

describe('output of uninstall', () => {
  it('names the client as it is called', async () => {
    await install('cursor', '.');
    expect((await run(['uninstall', 'cursor', '.', '--dry-run'])).stderr).toMatch(
      /^Would remove "kit" from Cursor \(/,
    );
    expect((await run(['uninstall', 'cursor', '.'])).stderr).toBe(
      `Removed "kit" from Cursor (${cursorFile}), and the file, which held nothing else.\n`,
    );
  });

  describe('an entry that another AgentTools entry replaced', () => {
    const other = './other';

    beforeEach(async () => {
      addFiles(cwd, {
        'other/package.json': packageJson({ servers: ['second'] }, { name: '@acme/other' }),
        'other/agenttools/servers/second.json': {},
      });
      await install('cursor', '.');
      await install('cursor', other, '--name', 'kit', '--force');
    });

    const installed = async () => JSON.parse((await run(['list-installed', '--json'])).stdout);

    it('reports that the entry is restored, and lists it again', async () => {
      const planned = await run(['uninstall', 'cursor', other, '--dry-run']);
      expect(planned.stderr).toMatch(
        /^Would remove "kit" .* The entry that was there before would be back\.$/m,
      );
      expect((await run(['uninstall', 'cursor', other])).stderr).toBe(
        `Removed "kit" from Cursor (${cursorFile}). The entry that was there before is back.\n`,
      );
      expect(await installed()).toMatchObject([{ server: '@acme/kit/kit', key: 'kit', state: 'intact' }]);
    });

    it('takes both where everything is to go', async () => {
      expect((await run(['uninstall', 'cursor'])).stderr).toBe(
        `Removed "kit" from Cursor (${cursorFile}), and the file, which held nothing else.\n`,
      );
      expect(await installed()).toEqual([]);
    });
  });

  it('names an edited entry once, and ends with the failures for several', async () => {
    await install('cursor', '.');
    edit('"start"', '"begin"');
    const { stderr } = await run(['uninstall', 'cursor']);
    expect(stderr.match(/"kit"/g)).toHaveLength(1);
    expect(stderr.split(cursorFile)).toHaveLength(2);
    await install('cursor', '.', '--name', 'more');
    expect(linesOf((await run(['uninstall', 'cursor'])).stderr)).toEqual([
      expect.stringMatching(/^Removed "more" from Cursor/),
      expect.stringMatching(/^error: Cursor: The entry "kit"/),
      '1 of 2 entries failed.',
    ]);
  });
});

describe('uninstall that finds nothing', () => {
  it('lists the existing entries, nearest name first', async () => {
    await install('cursor', '.', '--name', 'alpha');
    await install('cursor', '.', '--name', 'weather');
    const { code, stderr } = await run(['uninstall', 'cursor', 'wether']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'Nothing to remove: AgentTools wrote no such entry. What it wrote there: "weather" (@acme/kit/kit), "alpha" (@acme/kit/kit).\n',
    });
  });

  it('gives the commands for what is elsewhere, and they do it', async () => {
    const own = path.join(cwd, 'my own.json');
    const project = path.join(cwd, 'the project');
    mkdirSync(project);
    await install('zed', '.');
    await install('cursor', '.', `--project=${project}`);
    await install('--config', own, '--client', 'vscode', '.');
    const { stderr } = await run(['uninstall', 'cursor', 'kit']);
    const [first, ...commands] = linesOf(stderr);
    expect(first).toMatch(/^Nothing to remove: .*elsewhere goes with:$/);
    expect(commands.sort()).toEqual([
      `  agenttools uninstall cursor kit "--project=${project}"`,
      `  agenttools uninstall kit --config "${own}" --client vscode`,
      '  agenttools uninstall zed kit',
    ]);
    const elsewhere = { cwd: writeFolder() };
    for (const command of commands) {
      const [, ...words] = command.trim().match(/"[^"]*"|\S+/g) ?? [];
      const told = await run(
        words.map((word) => word.replaceAll('"', '')),
        elsewhere,
      );
      expect(told.stderr).toMatch(/^Removed "kit" from /);
    }
    expect((await run(['list-installed', '--json'])).stdout).toBe('[]\n');
  });
});

describe('list-installed', () => {
  it('gives the command that forgets an entry that is gone', async () => {
    await install('cursor', '.');
    addFiles(home, { '.cursor/mcp.json': '{}' });
    const { stdout } = await run(['list-installed']);
    expect(stdout).toContain('@acme/kit/kit in Cursor as "kit": gone');
    expect(stdout).toContain('forget it with: agenttools uninstall cursor kit\n');
  });

  it.each([true, false])('escapes control characters of other programs, with colours: %s', async (color) => {
    const hostile = path.join(cwd, 'a\u001b[31mb.json');
    await install('--config', hostile, '--client', 'cursor', '.');
    const { stdout } = await run(['list-installed'], { color });
    expect(stdout).toContain('a\\u001b[31mb.json');
  });
});

describe('list-clients', () => {
  it('begins with a count and shows files of installed clients only', async () => {
    mkdirSync(path.join(home, '.codex'));
    await install('cursor', '.');
    const lines = linesOf((await run(['list-clients'])).stdout);
    expect(lines[0]).toBe(
      `${clients.length} clients: 1 configured, 1 installed, ${writableClients.length - 2} not found, ${manualClients.length} by hand`,
    );
    const at = lines.findIndex((line) => line.startsWith('cursor '));
    expect(lines.slice(at, at + 3)).toEqual([
      expect.stringMatching(/^cursor +Cursor +configured$/),
      expect.stringContaining(cursorFile),
      expect.stringContaining('project: .cursor/mcp.json'),
    ]);
    expect(lines.filter((line) => line.startsWith(' '))).toHaveLength(4);
    const rows = lines.slice(2).filter((line) => !line.startsWith(' '));
    expect(rows).toHaveLength(clients.length);
    expect(new Set(rows.map((row) => row.search(/configured|installed|not found|by hand/))).size).toBe(1);
    const detected = linesOf((await run(['list-clients', '--detected'])).stdout);
    expect(detected[0]).toBe('2 clients: 1 configured, 1 installed');
  });
});

describe('show', () => {
  it('has a row for each installation', async () => {
    await install('cursor', '.');
    const { stdout } = await run(['show', '.']);
    expect(stdout).toContain(`\ninstallations\n  cursor  user  kit  ${cursorFile}\n`);
  });
});
