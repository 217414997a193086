import { describe, expect, test } from 'vitest';
import {
  configFile,
  findClient,
  listWarnings,
  projectFile,
  userFile,
} from '../../../src/engine/clients/locate-config.js';
import { clients, writableClients } from '../../../src/engine/clients/table/index.js';
import { writable } from './support/rows.js';
import { type Machine, type System, short, surroundingsOf } from './support/surroundings.js';

describe('a client by any of its names', () => {
  test.each([
    ['claude-desktop', 'claude-desktop'],
    ['Claude', 'claude-desktop'],
    ['CLAUDE_CODE', 'claude-code'],
    ['visual studio code', 'vscode'],
    ['vs', 'visual-studio'],
    ['q', 'amazon-q'],
    ['copilot', 'copilot-cli'],
    ['augmentcode', 'auggie'],
  ])('%s', (name, id) => expect(findClient(name).id).toBe(id));

  test.each([
    ['ClaudeDesktop', 'claude-desktop'],
    ['ClaudeCode', 'claude-code'],
    ['Continue', 'continue'],
    ['Cursor', 'cursor'],
    ['GeminiCLI', 'gemini-cli'],
    ['Goose', 'goose'],
    ['GoogleAntigravityCLI', 'antigravity'],
    ['AugmentCode', 'auggie'],
    ['AugmentCodeIDE', 'augment-vscode'],
    ['OpenAICodex', 'codex'],
    ['CopilotCLI', 'copilot-cli'],
    ['JetBrainsJunie', 'junie'],
    ['KimiCLI', 'kimi-code'],
    ['Kiro', 'kiro'],
    ['LMStudio', 'lm-studio'],
    ['OpenCode', 'opencode'],
    ['QwenCode', 'qwen-code'],
    ['VisualStudioCode', 'vscode'],
    ['VSCode', 'vscode'],
    ['Codeium', 'windsurf'],
    ['AmazonQDeveloper', 'amazon-q'],
    ['Cline', 'cline'],
    ['Zed', 'zed'],
  ])('as Wolfram spells it: %s', (name, id) => expect(findClient(name).id).toBe(id));

  test('no name means two', () => {
    const names = clients.flatMap(({ id, name, aliases }) => {
      const bare = [id, name, ...aliases].map((one) => one.toLowerCase().replace(/[^a-z0-9]/g, ''));
      return [...new Set(bare)];
    });
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each([
    ['cursr', 'There is no client "cursr". Did you mean "cursor"?'],
    ['claude-dekstop', 'There is no client "claude-dekstop". Did you mean "claude-desktop"?'],
  ])('%s is not known', (name, message) => {
    expect(() => findClient(name)).toThrow(expect.objectContaining({ code: 'not-found', message }));
  });

  test('lists all clients if no name is similar', () => {
    expect(() => findClient('emacs-mcp-hub')).toThrow(
      /Known clients: claude-desktop, lm-studio, .*librechat\.$/,
    );
  });

  test.each(['', '-', '../x'])('rejects %j', (name) => {
    expect(() => findClient(name)).toThrow(expect.objectContaining({ code: 'not-found' }));
  });
});

describe('a variable moves the file', () => {
  test.each<[id: string, system: System, env: Record<string, string>, file: string]>([
    ['claude-desktop', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'win32', { APPDATA: 'D:\\Roam' }, 'D:/Roam/Claude/claude_desktop_config.json'],
    ['goose', 'linux', { GOOSE_PATH_ROOT: '/goose', XDG_CONFIG_HOME: '/cfg' }, '/goose/config/config.yaml'],
    ['goose', 'darwin', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/goose/config.yaml'],
    ['goose', 'win32', { GOOSE_PATH_ROOT: 'D:\\goose' }, 'D:/goose/config/config.yaml'],
    ['continue', 'linux', { CONTINUE_GLOBAL_DIR: '/cont' }, '/cont/config.yaml'],
    ['claude-code', 'linux', { CLAUDE_CONFIG_DIR: '/claude' }, '/claude/.claude.json'],
    ['codex', 'linux', { CODEX_HOME: '/codex' }, '/codex/config.toml'],
    ['codex', 'win32', { CODEX_HOME: 'D:\\codex' }, 'D:/codex/config.toml'],
    ['qwen-code', 'linux', { QWEN_HOME: '/qwen' }, '/qwen/settings.json'],
    ['copilot-cli', 'linux', { COPILOT_HOME: '/cop', XDG_CONFIG_HOME: '/cfg' }, '/cop/mcp-config.json'],
    ['copilot-cli', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '~/.copilot/mcp-config.json'],
    ['opencode', 'win32', { XDG_CONFIG_HOME: 'D:\\cfg' }, 'D:/cfg/opencode/opencode.jsonc'],
    ['kilo-code', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/kilo/kilo.jsonc'],
    ['crush', 'linux', { CRUSH_GLOBAL_CONFIG: '/crush', XDG_CONFIG_HOME: '/cfg' }, '/crush/crush.json'],
    ['crush', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/crush/crush.json'],
    ['amp', 'linux', { AMP_SETTINGS_FILE: '/amp/mine.json' }, '/amp/mine.json'],
    ['amp', 'darwin', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/amp/settings.json'],
    ['cline', 'linux', { CLINE_MCP_SETTINGS_PATH: '/c/mcp.json', CLINE_DIR: '/d' }, '/c/mcp.json'],
    [
      'cline',
      'linux',
      { CLINE_DATA_DIR: '/data', CLINE_DIR: '/d' },
      '/data/settings/cline_mcp_settings.json',
    ],
    ['cline', 'linux', { CLINE_DIR: '/d' }, '/d/data/settings/cline_mcp_settings.json'],
    ['kimi-code', 'linux', { KIMI_CODE_HOME: '/kimi' }, '/kimi/mcp.json'],
    ['grok-build', 'linux', { GROK_HOME: '/grok' }, '/grok/config.toml'],
    ['pi', 'linux', { PI_CODING_AGENT_DIR: '/pi' }, '/pi/mcp.json'],
    ['mcporter', 'linux', { MCPORTER_CONFIG: '/m/mine.json', XDG_CONFIG_HOME: '/cfg' }, '/m/mine.json'],
    ['mcporter', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/mcporter/mcporter.json'],
    ['mcporter', 'win32', { XDG_CONFIG_HOME: 'D:\\cfg' }, 'D:/cfg/mcporter/mcporter.json'],
    ['mastracode', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '~/.mastracode/mcp.json'],
    ['fx', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '~/.fx/mcp.json'],
    ['vscode', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/Code/User/mcp.json'],
    ['vscode', 'win32', { APPDATA: 'D:\\Roam' }, 'D:/Roam/Code/User/mcp.json'],
    [
      'zed',
      'linux',
      { FLATPAK_XDG_CONFIG_HOME: '/flat', XDG_CONFIG_HOME: '/cfg' },
      '/flat/zed/settings.json',
    ],
    ['zed', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/zed/settings.json'],
    ['zed', 'darwin', { XDG_CONFIG_HOME: '/cfg' }, '~/.config/zed/settings.json'],
    ['devin-cli', 'linux', { XDG_CONFIG_HOME: '/cfg' }, '~/.config/devin/config.json'],
    [
      'github-copilot-jetbrains',
      'win32',
      { LOCALAPPDATA: 'D:\\Local' },
      'D:/Local/github-copilot/intellij/mcp.json',
    ],
  ])('%s on %s: %o', (id, system, env, file) => {
    expect(fileOf(id, system, { env })).toBe(file);
  });

  test.each(['', 'relative/folder', './x'])('ignores %j, which depends on the reader', (value) => {
    expect(fileOf('codex', 'linux', { env: { CODEX_HOME: value } })).toBe('~/.codex/config.toml');
    expect(fileOf('crush', 'linux', { env: { XDG_CONFIG_HOME: value } })).toBe('~/.config/crush/crush.json');
  });

  test('takes precedence over an older file', () => {
    const legacy =
      '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
    const machine = { env: { CLINE_DIR: '/d' }, files: [legacy] };
    expect(fileOf('cline', 'linux', machine)).toBe('/d/data/settings/cline_mcp_settings.json');
  });
});

const claudePackage = '~/AppData/Local/Packages/Claude_pzs8sxrjxfjjc';
const claudeVirtual = 'LocalCache/Roaming/Claude/claude_desktop_config.json';
const clineShared = '~/.cline/data/settings/cline_mcp_settings.json';
const clineLegacy =
  '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';

describe('the choice between several files', () => {
  test.each<[story: string, id: string, system: System, files: string[], file: string]>([
    [
      'the packaged Claude Desktop sees a folder of its own',
      'claude-desktop',
      'win32',
      [`${claudePackage}/LocalCache`, '~/AppData/Roaming/Claude/claude_desktop_config.json'],
      `${claudePackage}/${claudeVirtual}`,
    ],
    [
      'of two packages, the one that has the file',
      'claude-desktop',
      'win32',
      ['~/AppData/Local/Packages/Claude_a/Settings', `~/AppData/Local/Packages/Claude_b/${claudeVirtual}`],
      `~/AppData/Local/Packages/Claude_b/${claudeVirtual}`,
    ],
    [
      'other packages are not Claude',
      'claude-desktop',
      'win32',
      ['~/AppData/Local/Packages/NotClaude_x/Settings'],
      '~/AppData/Roaming/Claude/claude_desktop_config.json',
    ],
    [
      'OpenCode: the first that is there',
      'opencode',
      'linux',
      ['~/.config/opencode/opencode.json'],
      '~/.config/opencode/opencode.json',
    ],
    [
      'OpenCode: an old name',
      'opencode',
      'linux',
      ['~/.config/opencode/config.json'],
      '~/.config/opencode/config.json',
    ],
    [
      'OpenCode: both',
      'opencode',
      'linux',
      ['~/.config/opencode/opencode.json', '~/.config/opencode/opencode.jsonc'],
      '~/.config/opencode/opencode.jsonc',
    ],
    [
      'Kilo: the first that is there',
      'kilo-code',
      'linux',
      ['~/.config/kilo/kilo.json'],
      '~/.config/kilo/kilo.json',
    ],
    [
      'Amp on Windows: the guide',
      'amp',
      'win32',
      ['~/AppData/Roaming/amp/settings.json'],
      '~/AppData/Roaming/amp/settings.json',
    ],
    ['Cline: the old extension alone', 'cline', 'linux', [clineLegacy], clineLegacy],
    [
      'Cline: both, since the new one has taken over',
      'cline',
      'linux',
      [clineLegacy, clineShared],
      clineShared,
    ],
    ['Kimi: the retired program alone', 'kimi-code', 'linux', ['~/.kimi/mcp.json'], '~/.kimi/mcp.json'],
    ['Kimi: both', 'kimi-code', 'linux', ['~/.kimi/mcp.json', '~/.kimi-code/log'], '~/.kimi-code/mcp.json'],
    [
      'MCPorter: with comments',
      'mcporter',
      'linux',
      ['~/.mcporter/mcporter.jsonc'],
      '~/.mcporter/mcporter.jsonc',
    ],
    [
      'Antigravity: version 1',
      'antigravity',
      'linux',
      ['~/.gemini/antigravity/x'],
      '~/.gemini/antigravity/mcp_config.json',
    ],
    [
      'Antigravity: moved, as a marker says',
      'antigravity',
      'linux',
      ['~/.gemini/antigravity/x', '~/.gemini/config/.migrated'],
      '~/.gemini/config/mcp_config.json',
    ],
    [
      'Antigravity: moved, as the file says',
      'antigravity',
      'linux',
      ['~/.gemini/antigravity/mcp_config.json', '~/.gemini/config/mcp_config.json'],
      '~/.gemini/config/mcp_config.json',
    ],
    [
      'Continue: an old config alone',
      'continue',
      'linux',
      ['~/.continue/config.json'],
      '~/.continue/mcpServers/weather.yaml',
    ],
    [
      'Continue: an old config beside a new one',
      'continue',
      'linux',
      ['~/.continue/config.json', '~/.continue/config.yaml'],
      '~/.continue/config.yaml',
    ],
  ])('%s', (_story, id, system, files, file) => {
    expect(fileOf(id, system, { files })).toBe(file);
  });

  test.each<[story: string, id: string, files: string[], file: string]>([
    ['OpenCode: a new one', 'opencode', [], 'opencode.json'],
    ['OpenCode: the one there is', 'opencode', ['opencode.jsonc'], 'opencode.jsonc'],
    ['OpenCode: in its folder', 'opencode', ['.opencode/opencode.json'], '.opencode/opencode.json'],
    ['Kilo: a new one', 'kilo-code', [], '.kilo/kilo.jsonc'],
    ['Kilo: the older folder', 'kilo-code', ['.kilocode/kilo.json', 'kilo.json'], '.kilocode/kilo.json'],
    ['Crush: a new one', 'crush', [], 'crush.json'],
    ['Crush: the hidden one wins', 'crush', ['crush.json', '.crush.json'], '.crush.json'],
    ['Copilot: a new one', 'copilot-cli', [], '.mcp.json'],
    ['Copilot: the one for GitHub', 'copilot-cli', ['.github/mcp.json'], '.github/mcp.json'],
    ['Copilot: both', 'copilot-cli', ['.github/mcp.json', '.mcp.json'], '.mcp.json'],
    ['Continue: a file for each key', 'continue', [], '.continue/mcpServers/weather.yaml'],
  ])('in a project, %s', (_story, id, files, file) => {
    const surroundings = surroundingsOf('linux', { files: files.map((name) => `/projects/app/${name}`) });
    expect(projectFile(writable(id), '/projects/app', surroundings, 'weather').file).toBe(
      `/projects/app/${file}`,
    );
  });

  test('a project on Windows', () => {
    const { file } = projectFile(writable('codex'), 'D:\\work\\app', surroundingsOf('win32'), 'weather');
    expect(file).toBe('D:\\work\\app\\.codex\\config.toml');
  });
});

function fileOf(id: string, system: System, machine: Machine): string | undefined {
  return short(userFile(writable(id), surroundingsOf(system, machine), 'weather').file, system);
}

describe('a config file comes with how it is read', () => {
  test('by its client', () => {
    expect(userFile(writable('gemini-cli'), surroundingsOf('linux'), 'weather')).toEqual({
      file: '/home/me/.gemini/settings.json',
      format: 'jsonc',
      container: { path: ['mcpServers'], shape: 'map' },
      tolerance: { comments: true, trailingCommas: false, bom: false },
    });
  });

  test('provides the start of a new file', () => {
    const name = (file: { template?: string }) => /^name: (.*)$/m.exec(file.template ?? '')?.[1];
    const client = writable('continue');
    expect(name(configFile(client, '/home/me/.continue/config.yaml', 'weather'))).toBe('Local Config');
    expect(name(configFile(client, '/projects/.continue/mcpServers/weather.yaml', 'weather'))).toBe(
      'MCP server weather',
    );
  });

  test('for any given path', () => {
    expect(configFile(writable('vscode'), '/x/y.txt', 'weather')).toMatchObject({
      file: '/x/y.txt',
      format: 'jsonc',
      container: { path: ['servers'] },
    });
  });
});

describe('explains why there is no file', () => {
  test.each<[id: string, system: System, reason: string]>([
    [
      'boltai',
      'linux',
      'BoltAI has no config file on Linux that AgentTools knows, only on macOS. Name the file with --config.',
    ],
    [
      'visual-studio',
      'darwin',
      'Visual Studio has no config file on macOS that AgentTools knows, only on Windows. Name the file with --config.',
    ],
  ])('%s on %s', (id, system, reason) => {
    expect(userFile(writable(id), surroundingsOf(system), 'weather')).toEqual({ reason });
  });

  test('treats other platforms as Linux, unless the row states otherwise', () => {
    const freebsd = { ...surroundingsOf('linux'), platform: 'freebsd' as const };
    expect(userFile(writable('vscode'), freebsd, 'weather').file).toBe('/home/me/.config/Code/User/mcp.json');
    expect(userFile(writable('raycast'), freebsd, 'weather')).toMatchObject({
      reason: expect.stringContaining('on freebsd'),
    });
  });

  test('no project file', () => {
    expect(projectFile(writable('lm-studio'), '/work', surroundingsOf('linux'), 'weather')).toEqual({
      reason: "LM Studio has no config file for projects. Leave out --project to use the user's own.",
    });
  });

  test('a client that a person must configure', () => {
    const client = findClient('cherry-studio');
    const reason = 'Cherry Studio has no config file that a program may write.';
    expect(userFile(client, surroundingsOf('linux'), 'weather')).toEqual({ reason });
    expect(projectFile(client, '/work', surroundingsOf('linux'), 'weather')).toEqual({ reason });
  });
});

describe('notes for the user', () => {
  const told = (id: string, scope: 'user' | 'project', files: string[] = []) =>
    listWarnings(writable(id), scope, surroundingsOf('linux', { files })).join(' ');

  test.each<[id: string, scope: 'user' | 'project', what: RegExp]>([
    ['witsy', 'user', /close it and install again/],
    ['vscode', 'user', /trust the server/],
    ['vscode', 'project', /trust the server/],
    ['claude-code', 'project', /approve/],
    ['codex', 'project', /trust/],
    ['copilot-cli', 'project', /trust/],
    ['amp', 'project', /amp mcp approve/],
    ['kimi-code', 'project', /trust/],
    ['zed', 'project', /trust/],
    ['pi', 'user', /pi install npm:pi-mcp-adapter/],
    ['windsurf', 'user', /devin-cli/],
  ])('%s, %s: %s', (id, scope, what) => expect(told(id, scope)).toMatch(what));

  test.each(['claude-code', 'codex', 'zed'])('%s trusts what its user wrote', (id) => {
    expect(told(id, 'user')).toBe('');
  });

  test('Continue, where only the old config is', () => {
    expect(told('continue', 'user', ['~/.continue/config.json'])).toMatch(/a separate file/);
    expect(told('continue', 'user')).toBe('');
  });

  test('Crush, where a crushrc is', () => {
    expect(told('crush', 'user', ['~/.config/crush/crushrc'])).toMatch(/crushrc/);
    expect(told('crush', 'user')).toBe('');
  });

  test('every one is a sentence', () => {
    const texts = writableClients.flatMap(({ cautions = [] }) => cautions.map(({ text }) => text));
    expect(texts.filter((text) => !/^[A-Z].*[.a-z]$/.test(text))).toEqual([]);
  });
});
