import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { runCli } from '../support/run-cli.js';

let home: string;
let project: string;
let outside: string;

beforeEach(() => {
  [home, project, outside] = [writeFolder(), writeFolder(), realpathSync(writeFolder())];
});

const run = (...words: readonly string[]) =>
  runCli(words, { home, cwd: project, env: { PATH: process.env.PATH ?? '' } });
const install = (...options: readonly string[]) =>
  run('install', ...options, '--no-verify', '--name', 'w', '--', process.execPath, 'server.mjs');
const keysIn = (...parts: readonly string[]) =>
  Object.keys(JSON.parse(readFileSync(path.join(...parts), 'utf8')).mcpServers);

describe('install --project', () => {
  const links: Record<string, () => void> = {
    'the file': () => {
      mkdirSync(path.join(project, '.cursor'));
      writeFileSync(path.join(outside, 'mcp.json'), '{}');
      symlinkSync(path.join(outside, 'mcp.json'), path.join(project, '.cursor/mcp.json'));
    },
    'the file, whose target is missing': () => {
      mkdirSync(path.join(project, '.cursor'));
      symlinkSync(path.join(outside, 'mcp.json'), path.join(project, '.cursor/mcp.json'));
    },
    'its folder': () => symlinkSync(outside, path.join(project, '.cursor')),
  };

  it.each(Object.entries(links))('refuses to follow a link out of the project: %s', async (_, makeLink) => {
    makeLink();
    const real = path.join(outside, 'mcp.json');
    const before = existsSync(real);
    const { code, stderr } = await install('cursor', '--project');
    expect(code).toBe(1);
    expect(stderr).toContain(`leads out of the project to ${real}`);
    expect(stderr).toContain(`--config ${real} --client cursor`);
    expect(before ? readFileSync(real, 'utf8') : existsSync(real)).toBe(before ? '{}' : false);

    expect(await install('--config', real, '--client', 'cursor')).toMatchObject({ code: 0 });
    expect(keysIn(real)).toEqual(['w']);
  });

  it('follows a link that stays in the project, and a link to the project', async () => {
    mkdirSync(path.join(project, 'shared'));
    symlinkSync('shared', path.join(project, '.cursor'));
    const link = path.join(home, 'link');
    symlinkSync(project, link);
    expect(await install('cursor', `--project=${link}`)).toMatchObject({ code: 0 });
    expect(keysIn(project, 'shared/mcp.json')).toEqual(['w']);
  });

  it('follows any link without --project', async () => {
    symlinkSync(outside, path.join(home, '.cursor'));
    expect(await install('cursor')).toMatchObject({ code: 0 });
    expect(keysIn(outside, 'mcp.json')).toEqual(['w']);
  });
});

describe('a file that cannot be edited', () => {
  const faults: Record<
    string,
    readonly [client: string, file: string, text: string, place: string, advice: string]
  > = {
    'malformed JSON': ['cursor', '.cursor/mcp.json', '{\n  "a" 1 }', '2:7', 'Fix this place in the file'],
    'malformed TOML': ['codex', '.codex/config.toml', 'a = 1\nb = \n', '2:5', 'Fix this place in the file'],
    'malformed YAML': [
      'goose',
      '.config/goose/config.yaml',
      'a: 1\nb: [',
      '2:5',
      'Fix this place in the file',
    ],
    'a key twice': [
      'cursor',
      '.cursor/mcp.json',
      '{"mcpServers":{},\n"mcpServers":{}}',
      '2:1',
      'Remove or rename one',
    ],
    'a list of entries': ['cursor', '.cursor/mcp.json', '{"mcpServers":[]}', '1:15', 'Change it to a map'],
    'a byte order mark': ['gemini-cli', '.gemini/settings.json', '\uFEFF{}', '1:1', 'doctor --fix'],
    'a comment': ['cursor', '.cursor/mcp.json', '{}\n// mine', '2:1', 'Remove it, or write'],
  };

  it.each(Object.entries(faults))(
    'is refused with its place and advice: %s',
    async (_, [client, file, text, place, advice]) => {
      const full = path.join(home, file);
      mkdirSync(path.dirname(full), { recursive: true });
      writeFileSync(full, text);
      const { code, stdout, stderr } = await install(client, '--json');
      expect(code).toBe(1);
      expect(stderr).toContain(`${full}:${place}: `);
      expect(JSON.parse(stdout).error.hint).toContain(advice);
      expect(readFileSync(full, 'utf8')).toBe(text);
    },
  );

  it('is named with its client among several clients', async () => {
    for (const folder of ['.cursor', '.codex']) mkdirSync(path.join(home, folder));
    await install('cursor,codex');
    for (const file of ['.cursor/mcp.json', '.codex/config.toml']) {
      const full = path.join(home, file);
      writeFileSync(full, readFileSync(full, 'utf8').replace('server.mjs', 'other.mjs'));
    }
    for (const words of [['uninstall', '--all'], ['undo']]) {
      const { code, stderr } = await run(...words);
      expect(code).toBe(1);
      expect(stderr).toContain('error: Cursor: ');
      expect(stderr).toContain('error: Codex: ');
    }
  });
});
