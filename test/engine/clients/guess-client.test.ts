import { describe, expect, test } from 'vitest';
import { guessClient } from '../../../src/engine/clients/guess-client.js';
import { projectFile, userFile } from '../../../src/engine/clients/locate-config.js';
import { writableClients } from '../../../src/engine/clients/table/index.js';
import { homes, surroundingsOf } from './support/surroundings.js';

const here = surroundingsOf('linux');

function guessed(file: string, content?: unknown): string | undefined {
  const text = typeof content === 'string' || content === undefined ? content : JSON.stringify(content);
  return guessClient(file, text, here)?.id;
}

/** Clients whose file in a project is also another one's, which then owns what does not tell. */
const sharing: Readonly<Record<string, string>> = {
  'copilot-cli': 'claude-code',
  'visual-studio': 'claude-code',
  'vscode-insiders': 'vscode',
};

describe.each(writableClients.map((client) => [client.id, client] as const))(
  'the files of %s',
  (id, client) => {
    test.each(['linux', 'darwin', 'win32'] as const)("its user's own, on %s", (system) => {
      const surroundings = surroundingsOf(system);
      const { file } = userFile(client, surroundings, 'weather');
      if (file === undefined) return expect(client.userFiles(surroundings)).toEqual([]);
      expect(guessClient(file, undefined, surroundings)?.id).toBe(id);
    });

    test.each(['linux', 'darwin', 'win32'] as const)("another user's file, made on %s", (system) => {
      const { file } = userFile(client, surroundingsOf(system), 'weather');
      if (file === undefined) return expect(client.userFiles(surroundingsOf(system))).toEqual([]);
      const elsewhere = `/mnt/backup${file.replace(homes[system], '/somebody').replaceAll('\\', '/')}`;
      // Visual Studio's own file is called as those of projects are.
      expect(guessed(elsewhere)).toBe(id === 'visual-studio' ? 'claude-code' : id);
    });

    test("a project's", () => {
      const { file } = projectFile(client, '/projects/app', here, 'weather');
      if (file === undefined) return expect(client.projectFiles).toBeUndefined();
      expect(guessed(file)).toBe(sharing[id] ?? id);
      expect(guessed(file.replaceAll('/', '\\').toUpperCase())).toBe(sharing[id] ?? id);
    });
  },
);

describe('by the path', () => {
  test.each([
    ['/w/.vscode/mcp.json', 'vscode'],
    ['/w/.mcp.json', 'claude-code'],
    ['.mcp.json', 'claude-code'],
    ['/w/.github/mcp.json', 'copilot-cli'],
    ['/w/.warp/.mcp.json', 'warp'],
    ['/w/opencode.json', 'opencode'],
    ['/w/.opencode/opencode.jsonc', 'opencode'],
    ['/w/kilo.json', 'kilo-code'],
    ['/w/.crush.json', 'crush'],
    ['/x/.kimi/mcp.json', 'kimi-code'],
    ['/x/.aws/amazonq/mcp.json', 'amazon-q'],
    ['/x/config/mcporter.json', 'mcporter'],
    ['/x/.mastracode/mcp.json', 'mastracode'],
    ['/x/.fx/mcp.json', 'fx'],
    ['/x/.amazonq/mcp.json', 'amazon-q'],
    ['/x/.continue/mcpServers/anything.yaml', 'continue'],
    ['C:\\Users\\x\\AppData\\Roaming\\Claude\\claude_desktop_config.json', 'claude-desktop'],
    [
      'C:\\Users\\x\\AppData\\Local\\Packages\\Claude_p\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-desktop',
    ],
    ['/x/.gemini/antigravity/mcp_config.json', 'antigravity'],
    ['/x/Library/Application Support/Code - Insiders/User/mcp.json', 'vscode-insiders'],
  ])('%s', (file, id) => expect(guessed(file)).toBe(id));

  test('variables count for the very path', () => {
    const moved = surroundingsOf('linux', { env: { AMP_SETTINGS_FILE: '/etc/mine.json', CODEX_HOME: '/c' } });
    expect(guessClient('/etc/mine.json', undefined, moved)?.id).toBe('amp');
    expect(guessClient('/c/config.toml', undefined, moved)?.id).toBe('codex');
  });

  test.each(['/w/x.cursor/mcp.json', '/w/my.mcp.json', '/w/notopencode.json', '/w/.vscode/settings.json'])(
    '%s only looks like one',
    (file) => expect(guessed(file)).toBeUndefined(),
  );
});

describe('by the ending', () => {
  test.each([
    ['/x/config.toml', '', 'codex'],
    ['/x/goose.yaml', undefined, 'goose'],
    ['/x/goose.yml', 'extensions:\n  a: {}\n', 'goose'],
    ['/x/c.yaml', 'name: x\nmcpServers:\n  - name: a\n', 'continue'],
    ['/x/c.yaml', 'name: x\nmcpServers:   # mine\n\n# these\n- name: a\n', 'continue'],
    ['/x/c.yaml', 'mcpServers: []\n', 'continue'],
    ['/x/librechat.yaml', 'mcpServers:\n  a:\n    command: x\n', undefined],
  ])('%s: %j', (file, text, id) => expect(guessed(file, text)).toBe(id));
});

describe('by the content', () => {
  const entry = { command: 'node', args: [] };

  test.each<[what: string, content: unknown, id: string | undefined]>([
    ['context_servers', { context_servers: { a: entry } }, 'zed'],
    ['amp.mcpServers', { 'amp.mcpServers': { a: entry } }, 'amp'],
    ['a list for a command', { mcp: { a: { type: 'local', command: ['node'] } } }, 'opencode'],
    [
      'the same a level deeper',
      { mcp: { servers: { a: { type: 'local', command: ['node'] } } } },
      'opencode',
    ],
    ['the schema of OpenCode', { $schema: 'https://opencode.ai/config.json' }, 'opencode'],
    ['the schema of Kilo', { $schema: 'https://app.kilo.ai/config.json', mcp: {} }, 'kilo-code'],
    ['the schema of Crush', { $schema: 'https://charm.land/crush.json' }, 'crush'],
    ['a text for a command under mcp', { mcp: { a: { type: 'stdio', ...entry } } }, 'crush'],
    ['a remote server of OpenCode', { mcp: { a: { type: 'remote', url: 'https://a' } } }, 'opencode'],
    ['a remote server under mcp', { mcp: { a: { type: 'sse', url: 'https://a' } } }, 'crush'],
    ['a remote server of fx', { mcp: { a: { type: 'http', url: 'https://a', enabled: true } } }, undefined],
    [
      'a remote server of Cline',
      { mcpServers: { a: { type: 'streamableHttp', url: 'https://a' } } },
      'cline',
    ],
    ['a remote server of Kimi', { mcpServers: { a: { transport: 'http', url: 'https://a' } } }, undefined],
    ['a remote server', { mcpServers: { a: { type: 'http', url: 'https://a' } } }, undefined],
    ['tools', { mcpServers: { a: { ...entry, tools: ['*'] } } }, 'copilot-cli'],
    [
      'disabled and autoApprove',
      { mcpServers: { a: { ...entry, disabled: false, autoApprove: [] } } },
      'cline',
    ],
    ['a nested transport', { mcpServers: { a: { transport: { type: 'stdio', ...entry } } } }, 'cline'],
    ['alwaysAllow', { mcpServers: { a: { ...entry, alwaysAllow: [] } } }, 'roo-code'],
    ['a list of named entries', [{ type: 'stdio', name: 'a', ...entry }], 'augment-vscode'],
    ['comments do not matter', '// mine\n{ "context_servers": {}, }', 'zed'],
    ['nor does a BOM', '\uFEFF{ "context_servers": {} }', 'zed'],
    ['mcpServers is what many have', { mcpServers: { a: entry } }, undefined],
    ['servers is what several have', { servers: { a: entry } }, undefined],
    ['one mark of two clients', { context_servers: {}, 'amp.mcpServers': {} }, undefined],
    ['an unknown schema', { $schema: '__proto__' }, undefined],
    ['nothing', {}, undefined],
    ['blanks', ' \n', undefined],
    ['what is malformed', '{ "context_servers": ', undefined],
    ['no map', 'null', undefined],
  ])('%s', (_what, content, id) => expect(guessed('/x/config.json', content)).toBe(id));

  test('guesses VS Code by "servers" in a file of that name', () => {
    expect(guessed('/x/mcp.json', { servers: {} })).toBe('vscode');
  });

  test.each<[content: unknown, id: string]>([
    [{ servers: {} }, 'visual-studio'],
    [{ mcpServers: {} }, 'claude-code'],
    [{ servers: {}, mcpServers: {} }, 'claude-code'],
  ])('it decides whose .mcp.json it is: %j', (content, id) =>
    expect(guessed('/w/.mcp.json', content)).toBe(id),
  );
});
