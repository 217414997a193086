import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { plugin } from '../support/plugin.js';
import { runCli } from '../support/run-cli.js';

let home: string;
let cwd: string;
let config: string;

beforeEach(() => {
  home = writeFolder();
  config = path.join(home, '.cursor/mcp.json');
  cwd = writeFolder(plugin);
});

const run = (...words: readonly string[]) => runCli(words, { home, cwd });
const install = (...words: readonly string[]) => run('install', ...words, '--no-verify');
const states = async () => {
  const { stdout } = await run('list-installed', '--json');
  return (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state);
};
const entries = (file: string) => Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcpServers ?? {});

describe('a config file that was a link', () => {
  it('loses its entry if a regular file replaces it, and uninstall edits the old target', async () => {
    const real = path.join(home, 'dots.json');
    mkdirSync(path.dirname(config));
    writeFileSync(real, '{}');
    symlinkSync(real, config);
    await install('cursor', '.');
    rmSync(config);
    writeFileSync(config, '{ "mine": 1 }');
    expect(await states()).toEqual(['gone']);
    expect((await run('uninstall', 'cursor', '.')).code).toBe(0);
    expect(readFileSync(real, 'utf8')).toBe('{}');
    expect(readFileSync(config, 'utf8')).toBe('{ "mine": 1 }');
    expect(await states()).toEqual([]);
  });

  it('stays the same file with one entry after it becomes a link', async () => {
    mkdirSync(path.dirname(config));
    writeFileSync(config, '{}');
    await install('cursor', '.');
    const moved = path.join(home, 'dots.json');
    renameSync(config, moved);
    symlinkSync(moved, config);
    expect(await states()).toEqual(['intact']);
    expect((await install('cursor', '.')).stderr).toContain('Nothing to change');
    expect((await run('uninstall', 'cursor', '.')).code).toBe(0);
    expect(readFileSync(moved, 'utf8')).toBe('{}');
    expect(await states()).toEqual([]);
  });
});

describe('one file, named in two ways', () => {
  it('has one entry, which either of them takes out', async () => {
    await install('cursor', '.');
    expect((await install('--config', config, '.')).code).toBe(0);
    expect((await run('uninstall', 'cursor')).stderr).toContain('Removed "kit"');
    await install('cursor', '.');
    expect((await run('uninstall', '--config', config)).stderr).toContain('Removed "kit"');
  });
});

describe('an entry that two clients share', () => {
  it('is not taken out for a client that it was not installed for, by force or not', async () => {
    await install('claude-code', '.', '--project');
    const file = path.join(cwd, '.mcp.json');
    for (const force of [[], ['--force']]) {
      const { code, stderr } = await run('uninstall', 'copilot-cli', 'kit', '--project', ...force);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('installed for claude-code'),
      });
    }
    expect(entries(file)).toEqual(['kit']);
  });

  it('is readable for both, in either order', async () => {
    await install('copilot-cli', '.', '--project');
    await install('claude-code', '.', '--project');
    const { mcpServers } = JSON.parse(readFileSync(path.join(cwd, '.mcp.json'), 'utf8'));
    expect(mcpServers.kit.type).toBe('stdio');
  });
});

describe('entries that no file can hold', () => {
  it.each([
    ['a key that reads like a path', ['continue', '../../victim', '--project=.', '--force']],
    ['a client without a file on this system', ['raycast', 'kit']],
    ['a client without a file in projects', ['claude-desktop', 'kit', '--project=.']],
  ])('%s is nothing to remove', async (_, words) => {
    const victim = path.join(cwd, 'victim.yaml');
    writeFileSync(victim, 'mcpServers:\n  - name: ../../victim\n');
    const { code, stderr } = await run('uninstall', ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Nothing to remove') });
    expect(readFileSync(victim, 'utf8')).toContain('victim');
  });
});

it('a server is known by a path through a link, also when the package is gone', async () => {
  const link = path.join(home, 'link');
  symlinkSync(cwd, link);
  await install('cursor', path.join(link, 'kit'));
  rmSync(path.join(cwd, 'package.json'));
  expect((await run('uninstall', 'cursor', path.join(link, 'kit'))).stderr).toContain('Removed "kit"');
});

it('a client whose entry is gone is no longer configured', async () => {
  const state = async () => {
    const { stdout } = await run('list-clients', '--json');
    return (JSON.parse(stdout) as { id: string; state: string }[]).find(({ id }) => id === 'cursor')?.state;
  };
  await install('cursor', '.');
  expect(await state()).toBe('configured');
  writeFileSync(config, '{}');
  expect(await state()).toBe('installed');
});

it('forgets the entry in a deleted project', async () => {
  const project = path.join(home, 'project');
  mkdirSync(project);
  await install('cursor', '.', `--project=${project}`);
  rmSync(project, { recursive: true });
  const { stdout } = await run('list-installed');
  expect(stdout).toContain(`agenttools uninstall cursor kit --project=${project}`);
  expect((await run('uninstall', 'cursor', 'kit', `--project=${project}`)).code).toBe(0);
  expect(await states()).toEqual([]);
});

describe('a client that has put our entry elsewhere in its file', () => {
  const file = () => path.join(home, '.config/opencode/opencode.jsonc');

  beforeEach(async () => {
    await install('opencode', '.');
    const { mcp, ...rest } = JSON.parse(readFileSync(file(), 'utf8'));
    const { enabled: _, ...entry } = mcp.kit;
    writeFileSync(file(), JSON.stringify({ ...rest, mcp: { servers: { kit: entry } } }));
  });

  it('still has it, and loses it with uninstall', async () => {
    expect(await states()).toEqual(['intact']);
    expect((await run('uninstall', 'opencode', '.')).stderr).toContain('Removed "kit"');
    expect(readFileSync(file(), 'utf8')).not.toContain('kit');
    expect(await states()).toEqual([]);
  });

  it('has it once after another install', async () => {
    expect((await install('opencode', '.')).code).toBe(0);
    expect(await states()).toEqual(['intact']);
    expect((await run('uninstall', 'opencode', '.')).code).toBe(0);
    expect(readFileSync(file(), 'utf8')).not.toContain('kit');
  });
});
