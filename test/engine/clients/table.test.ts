import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { EntryContainer, Launch, WritableClient } from '../../../src/engine/clients/client.js';
import type { ConfigEntry } from '../../../src/engine/clients/edit/editor.js';
import { projectFile, userFile } from '../../../src/engine/clients/locate-config.js';
import { clients, writableClients } from '../../../src/engine/clients/table/index.js';
import { manualClients } from '../../../src/engine/clients/table/manual-clients.js';
import { checkedOn } from '../../../src/engine/clients/table/shared-facts.js';
import {
  cautionPoints,
  entryRows,
  fileRows,
  manualRows,
  pointsOf,
  remoteRows,
  rowsOf,
} from './support/page.js';
import { writable } from './support/rows.js';
import { type System, short, surroundingsOf } from './support/surroundings.js';

const launch: Launch = {
  command: 'node',
  args: ['main.js', 'start'],
  env: { MCP_SERVER_NAME: 'acme/weather' },
};

/** The launch as most clients write it. */
const start = { command: 'node', args: ['main.js', 'start'], env: { MCP_SERVER_NAME: 'acme/weather' } };

interface Row {
  readonly user: string | Readonly<Partial<Record<System, string>>>;
  readonly project?: string;
  readonly container: readonly string[];
  readonly shape?: EntryContainer['shape'];
  readonly entry: ConfigEntry;
}

/** What each client is expected to be, with the entry of the server `weather`. A new client adds a row here. */
const expected: Record<string, Row> = {
  'claude-desktop': {
    user: inAppData('Claude/claude_desktop_config.json'),
    container: ['mcpServers'],
    entry: start,
  },
  'lm-studio': {
    user: '~/.lmstudio/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  goose: {
    user: {
      linux: '~/.config/goose/config.yaml',
      darwin: '~/.config/goose/config.yaml',
      win32: '~/AppData/Roaming/Block/goose/config/config.yaml',
    },
    container: ['extensions'],
    entry: {
      name: 'weather',
      description: '',
      type: 'stdio',
      enabled: true,
      cmd: 'node',
      args: ['main.js', 'start'],
      envs: { MCP_SERVER_NAME: 'acme/weather' },
      env_keys: [],
      timeout: 300,
    },
  },
  witsy: {
    user: inAppData('Witsy/settings.json'),
    container: ['mcpServers'],
    entry: start,
  },
  boltai: {
    user: { darwin: '~/.boltai/mcp.json' },
    container: ['mcpServers'],
    entry: start,
  },
  raycast: {
    user: { darwin: '~/Library/Application Support/com.raycast.macos/mcp-config.json' },
    container: ['mcpServers'],
    entry: start,
  },
  'claude-code': {
    user: '~/.claude.json',
    project: '.mcp.json',
    container: ['mcpServers'],
    entry: { type: 'stdio', ...start },
  },
  codex: {
    user: '~/.codex/config.toml',
    project: '.codex/config.toml',
    container: ['mcp_servers'],
    entry: start,
  },
  'gemini-cli': {
    user: '~/.gemini/settings.json',
    project: '.gemini/settings.json',
    container: ['mcpServers'],
    entry: start,
  },
  'qwen-code': {
    user: '~/.qwen/settings.json',
    project: '.qwen/settings.json',
    container: ['mcpServers'],
    entry: start,
  },
  'copilot-cli': {
    user: '~/.copilot/mcp-config.json',
    project: '.mcp.json',
    container: ['mcpServers'],
    entry: { type: 'stdio', ...start, tools: ['*'] },
  },
  opencode: {
    user: '~/.config/opencode/opencode.jsonc',
    project: 'opencode.json',
    container: ['mcp'],
    entry: {
      type: 'local',
      command: ['node', 'main.js', 'start'],
      enabled: true,
      environment: { MCP_SERVER_NAME: 'acme/weather' },
    },
  },
  'kilo-code': {
    user: '~/.config/kilo/kilo.jsonc',
    project: '.kilo/kilo.jsonc',
    container: ['mcp'],
    entry: {
      type: 'local',
      command: ['node', 'main.js', 'start'],
      enabled: true,
      environment: { MCP_SERVER_NAME: 'acme/weather' },
    },
  },
  crush: {
    user: '~/.config/crush/crush.json',
    project: 'crush.json',
    container: ['mcp'],
    entry: { type: 'stdio', ...start },
  },
  amp: {
    user: '~/.config/amp/settings.json',
    project: '.amp/settings.json',
    container: ['amp.mcpServers'],
    entry: start,
  },
  auggie: {
    user: '~/.augment/settings.json',
    project: '.augment/settings.json',
    container: ['mcpServers'],
    entry: { type: 'stdio', ...start },
  },
  cline: {
    user: '~/.cline/data/settings/cline_mcp_settings.json',
    container: ['mcpServers'],
    entry: { ...start, disabled: false, autoApprove: [] },
  },
  'roo-code': {
    user: inAppData('Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
    project: '.roo/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  'kimi-code': {
    user: '~/.kimi-code/mcp.json',
    project: '.kimi-code/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  'amazon-q': {
    user: '~/.aws/amazonq/mcp.json',
    project: '.amazonq/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  droid: {
    user: '~/.factory/mcp.json',
    project: '.factory/mcp.json',
    container: ['mcpServers'],
    entry: { type: 'stdio', ...start, disabled: false },
  },
  'grok-build': {
    user: '~/.grok/config.toml',
    project: '.grok/config.toml',
    container: ['mcp_servers'],
    entry: { ...start, enabled: true },
  },
  pi: {
    user: '~/.pi/agent/mcp.json',
    project: '.pi/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  mcporter: {
    user: '~/.mcporter/mcporter.json',
    project: 'config/mcporter.json',
    container: ['mcpServers'],
    entry: start,
  },
  mastracode: {
    user: '~/.mastracode/mcp.json',
    project: '.mastracode/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  fx: {
    user: '~/.fx/mcp.json',
    container: ['mcp'],
    entry: {
      type: 'local',
      command: ['node', 'main.js', 'start'],
      enabled: true,
      environment: { MCP_SERVER_NAME: 'acme/weather' },
    },
  },
  'devin-cli': {
    user: {
      linux: '~/.config/devin/config.json',
      darwin: '~/.config/devin/config.json',
      win32: '~/AppData/Roaming/devin/config.json',
    },
    project: '.devin/config.json',
    container: ['mcpServers'],
    entry: start,
  },
  warp: {
    user: '~/.warp/.mcp.json',
    project: '.warp/.mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  continue: {
    user: '~/.continue/config.yaml',
    project: '.continue/mcpServers/weather.yaml',
    container: ['mcpServers'],
    shape: 'list',
    entry: { name: 'weather', ...start },
  },
  vscode: {
    user: inAppData('Code/User/mcp.json'),
    project: '.vscode/mcp.json',
    container: ['servers'],
    entry: { type: 'stdio', ...start },
  },
  'vscode-insiders': {
    user: inAppData('Code - Insiders/User/mcp.json'),
    project: '.vscode/mcp.json',
    container: ['servers'],
    entry: { type: 'stdio', ...start },
  },
  cursor: {
    user: '~/.cursor/mcp.json',
    project: '.cursor/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  windsurf: {
    user: '~/.codeium/windsurf/mcp_config.json',
    container: ['mcpServers'],
    entry: start,
  },
  zed: {
    user: {
      linux: '~/.config/zed/settings.json',
      darwin: '~/.config/zed/settings.json',
      win32: '~/AppData/Roaming/Zed/settings.json',
    },
    project: '.zed/settings.json',
    container: ['context_servers'],
    entry: start,
  },
  kiro: {
    user: '~/.kiro/settings/mcp.json',
    project: '.kiro/settings/mcp.json',
    container: ['mcpServers'],
    entry: { ...start, disabled: false, autoApprove: [] },
  },
  junie: {
    user: '~/.junie/mcp/mcp.json',
    project: '.junie/mcp/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
  antigravity: {
    user: '~/.gemini/config/mcp_config.json',
    project: '.agents/mcp_config.json',
    container: ['mcpServers'],
    entry: start,
  },
  'augment-vscode': {
    user: inAppData('Code/User/globalStorage/augment.vscode-augment/augment-global-state/mcpServers.json'),
    container: [],
    shape: 'list',
    entry: { type: 'stdio', name: 'weather', ...start },
  },
  'visual-studio': {
    user: { win32: '~/.mcp.json' },
    project: '.mcp.json',
    container: ['servers'],
    entry: { type: 'stdio', ...start },
  },
  'github-copilot-jetbrains': {
    user: {
      linux: '~/.config/github-copilot/intellij/mcp.json',
      darwin: '~/.config/github-copilot/intellij/mcp.json',
      win32: '~/AppData/Local/github-copilot/intellij/mcp.json',
    },
    container: ['servers'],
    entry: { type: 'stdio', ...start },
  },
  trae: {
    user: inAppData('Trae/User/mcp.json'),
    project: '.trae/mcp.json',
    container: ['mcpServers'],
    entry: start,
  },
};

function inAppData(name: string): Row['user'] {
  return {
    linux: `~/.config/${name}`,
    darwin: `~/Library/Application Support/${name}`,
    win32: `~/AppData/Roaming/${name}`,
  };
}

test('every client that can be written is expected', () => {
  expect(writableClients.map(({ id }) => id)).toEqual(Object.keys(expected));
});

test('the README states the number of clients that install can write', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const [, count] = /\[(\d+) client apps\]\(docs\/clients\.md\)/.exec(readme) ?? [];
  expect(Number(count)).toBe(writableClients.length);
});

describe.each(writableClients.map((client) => [client.id, client] as const))(
  '%s',
  (id, client: WritableClient) => {
    const row = expected[id]!;

    test.each(['linux', 'darwin', 'win32'] as const)("the user's file on %s", (system) => {
      const { file } = userFile(client, surroundingsOf(system), 'weather');
      expect(short(file, system)).toBe(typeof row.user === 'string' ? row.user : row.user[system]);
    });

    test("a project's file", () => {
      const { file } = projectFile(client, '/projects/app', surroundingsOf('linux'), 'weather');
      expect(file).toBe(row.project && `/projects/app/${row.project}`);
    });

    test('has this container', () => {
      expect(client.container).toEqual({ path: row.container, shape: row.shape ?? 'map' });
    });

    test('an entry, its fields in this order', () => {
      expect(JSON.stringify(client.entry(launch, 'weather'))).toBe(JSON.stringify(row.entry));
    });

    test('has its sources and the condition for a reload', () => {
      expect(client.sources.length).toBeGreaterThan(0);
      expect(client.reload).toMatch(/^\S.*\.$/);
    });
  },
);

/** As measured with the vendors' own programs; those of strict JSON or of a syntax with comments are not listed. */
test('lists the syntax that client parsers accept', () => {
  const told = writableClients
    .filter(({ format }) => format === 'json' || format === 'jsonc')
    .map(({ id, tolerance: { comments, trailingCommas, bom } }) => {
      const taken = { comments, 'trailing commas': trailingCommas, BOM: bom };
      const names = Object.entries(taken).filter(([, isTaken]) => isTaken);
      return [id, names.map(([name]) => name).join(', ')];
    });
  expect(Object.fromEntries(told.filter(([, taken]) => taken !== 'BOM'))).toEqual({
    cline: '',
    'gemini-cli': 'comments',
    'qwen-code': 'comments',
    droid: 'comments',
    amp: 'comments, trailing commas',
    auggie: 'comments, trailing commas',
    mcporter: 'comments, trailing commas',
    mastracode: '',
    fx: '',
    'copilot-cli': 'comments, trailing commas, BOM',
    opencode: 'comments, trailing commas, BOM',
    'kilo-code': 'comments, trailing commas, BOM',
    'devin-cli': 'comments, trailing commas, BOM',
    vscode: 'comments, trailing commas, BOM',
    'vscode-insiders': 'comments, trailing commas, BOM',
    zed: 'comments, trailing commas, BOM',
    'visual-studio': 'comments, trailing commas, BOM',
    'github-copilot-jetbrains': 'comments, trailing commas, BOM',
  });
});

test('lists the templates of new files', () => {
  const templates = writableClients.flatMap(({ id, template }) =>
    template ? [[id, template('config', 'weather')]] : [],
  );
  expect(Object.fromEntries(templates)).toEqual({
    opencode: '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
    'kilo-code': '{\n  "$schema": "https://app.kilo.ai/config.json"\n}\n',
    crush: '{\n  "$schema": "https://charm.land/crush.json"\n}\n',
    continue: 'name: MCP server weather\nversion: 1.0.0\nschema: v1\n',
    'augment-vscode': '[]\n',
  });
});

test('clients that show UI apps, and those known not to', () => {
  const known = (shows: boolean) =>
    clients.filter(({ capabilities }) => capabilities.mcpApps === shows).map(({ id }) => id);
  expect(known(true)).toEqual([
    'claude-desktop',
    'goose',
    'pi',
    'continue',
    'vscode',
    'vscode-insiders',
    'cursor',
    'chatgpt',
  ]);
  expect(known(false)).toEqual([
    'claude-code',
    'gemini-cli',
    'copilot-cli',
    'amazon-q',
    'windsurf',
    'zed',
    'junie',
  ]);
});

test('has the date of its last check', () => expect(checkedOn).toBe('2026-11-21'));

describe('clients without a file', () => {
  test('are these, with instructions', () => {
    expect(manualClients.map(({ id }) => id)).toEqual([
      'jetbrains-ai-assistant',
      'cherry-studio',
      '5ire',
      'msty',
      'recurse-chat',
      'chatgpt',
      'dify',
      'librechat',
    ]);
    expect(manualClients.filter(({ manual }) => !/\.$/.test(manual.instructions))).toEqual([]);
    // Whoever shows them has named the client.
    const naming = manualClients.filter(({ name, manual }) => manual.instructions.includes(name));
    expect(naming.map(({ id }) => id)).toEqual([]);
  });

  const snippets = Object.fromEntries(
    manualClients.map(({ id, manual }) => [id, manual.snippet?.(launch, 'weather')]),
  );

  test.each(['jetbrains-ai-assistant', 'cherry-studio', '5ire', 'recurse-chat'])(
    '%s takes a map of servers',
    (id) => expect(JSON.parse(snippets[id]!)).toEqual({ mcpServers: { weather: start } }),
  );

  test('Msty takes the entry alone', () => expect(JSON.parse(snippets.msty!)).toEqual(start));

  test('LibreChat takes YAML', () =>
    expect(snippets.librechat).toBe(
      'mcpServers:\n  "weather":\n    command: "node"\n    args: ["main.js","start"]\n    env: {"MCP_SERVER_NAME":"acme/weather"}\n',
    ));

  test.each(['chatgpt', 'dify'])('%s starts no programs', (id) => expect(snippets[id]).toBeUndefined());
});

describe('the page about clients agrees with the table', () => {
  test('lists their files', () => expect(rowsOf('Files')).toEqual(fileRows()));
  test('lists their entries', () => expect(rowsOf('Entries')).toEqual(entryRows()));
  test('lists their entries for remote servers', () =>
    expect(rowsOf('Remote servers')).toEqual(remoteRows()));
  test('lists the notes for users', () =>
    expect(pointsOf('Notes that install prints')).toEqual(cautionPoints()));
  test('lists the kinds of client apps', () => {
    const names = clients.filter(({ kind }) => kind === 'chat').map(({ name }) => name);
    expect(pointsOf('Kinds of client apps')).toEqual([
      `- Chats: ${names.join(', ')}.`,
      '- Code: all others.',
    ]);
  });
  test('lists the manual steps', () => expect(rowsOf('By hand')).toEqual(manualRows()));

  test.each(rowsOf('Variables'))('names the variable %s, for %s: %s', (variable, id, where) => {
    const [, name] = /^`(.*)`$/.exec(variable!)!;
    const [, below = ''] = /^`(.*?)` in it/.exec(where!) ?? [];
    const system = name!.endsWith('APPDATA') ? 'win32' : 'linux';
    const folder = system === 'win32' ? 'D:\\moved' : '/moved';
    const { file } = userFile(
      writable(id!.slice(1, -1)),
      surroundingsOf(system, { env: { [name!]: folder } }),
      'key',
    );
    expect(file).toBe(below === '' ? folder : `${folder}${system === 'win32' ? '\\' : '/'}${below}`);
  });
});
