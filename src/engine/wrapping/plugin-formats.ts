/** A format of plugins: a manifest, and files with fixed names beside it. */
export interface PluginFormat {
  readonly name: string;
  /** Relative to the folder of the plugin, with slashes. */
  readonly manifest: string;
  /** Files that are read for servers, in addition to the manifest. */
  readonly serverFiles: readonly string[];
  /** Parts that an extension cannot have: keys of the manifest, and folders or files. */
  readonly foreign: Readonly<Record<string, readonly string[]>>;
}

const common = {
  commands: ['commands'],
  agents: ['agents'],
  hooks: ['hooks', 'hooks.json'],
} as const;

/** Formats of plugins. The first with an existing manifest counts. */
export const pluginFormats: readonly PluginFormat[] = [
  {
    // https://code.claude.com/docs/en/plugins/manifest-reference
    name: 'Claude Code plugin',
    manifest: '.claude-plugin/plugin.json',
    serverFiles: ['.mcp.json'],
    foreign: {
      ...common,
      lspServers: ['.lsp.json'],
      outputStyles: ['output-styles'],
      themes: ['themes'],
      workflows: ['workflows'],
      monitors: ['monitors'],
      channels: [],
      settings: ['settings.json'],
      binaries: ['bin'],
      experimental: [],
    },
  },
  {
    // https://developers.openai.com/codex/plugins/build
    name: 'Codex plugin',
    manifest: '.codex-plugin/plugin.json',
    serverFiles: ['.mcp.json'],
    foreign: { ...common, apps: ['.app.json'] },
  },
  {
    // https://cursor.com/docs/plugins
    name: 'Cursor plugin',
    manifest: '.cursor-plugin/plugin.json',
    serverFiles: ['mcp.json'],
    foreign: { ...common, rules: ['rules'] },
  },
  {
    // https://geminicli.com/docs/extensions/reference
    name: 'Gemini CLI extension',
    manifest: 'gemini-extension.json',
    serverFiles: [],
    foreign: {
      ...common,
      contextFileName: ['GEMINI.md'],
      excludeTools: [],
      themes: [],
      policies: ['policies'],
    },
  },
  {
    // https://agent-plugins.org, and plugins of GitHub Copilot CLI
    name: 'agent plugin',
    manifest: 'plugin.json',
    serverFiles: ['mcp.json', '.mcp.json', '.github/mcp.json'],
    foreign: { ...common, lspServers: [], extensions: [] },
  },
  {
    name: 'Claude Code plugin',
    manifest: '.mcp.json',
    serverFiles: [],
    foreign: { ...common, lspServers: ['.lsp.json'] },
  },
];
