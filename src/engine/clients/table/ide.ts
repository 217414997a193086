import type { FileCandidates, WritableClient } from '../client.js';
import { standardShape, stdio } from '../entry-shapes.js';
import {
  allCandidates,
  appData,
  bySystem,
  firstCandidates,
  home,
  localAppData,
  platformPaths,
  variableFolder,
  xdgConfig,
} from './folders.js';
import { askUser, braceReference, envBraceReference } from './secret-references.js';
import {
  addMcp,
  installWarning,
  lenient,
  matrix,
  mcpServers,
  strict,
  uncheckedSource,
  warnUndocumented,
  wolfram,
} from './shared-facts.js';

const servers = { path: ['servers'], shape: 'map' } as const;

const augmentFolder = 'Code/User/globalStorage/augment.vscode-augment';

/** Version 2 has moved the file, as a marker shows. Without the marker, the folder of version 1 decides. */
const antigravityFiles: FileCandidates = (surroundings) => {
  const { exists } = surroundings;
  const [folder = ''] = home('.gemini')(surroundings);
  const at = (name: string) => platformPaths(surroundings).join(folder, name);
  const [current, former] = [at('config/mcp_config.json'), at('antigravity/mcp_config.json')];
  const hasMoved = exists(at('config/.migrated')) || exists(current);
  return !hasMoved && exists(at('antigravity')) ? [former, current] : [current, former];
};

/** VS Code and VS Code Insiders differ only in names. */
function vscode(
  row: Pick<WritableClient, 'id' | 'name' | 'aliases'>,
  folder: string,
  program: string,
): WritableClient {
  return {
    ...row,
    kind: 'ide',
    format: 'jsonc',
    tolerance: lenient,
    userFiles: appData(`${folder}/User/mcp.json`),
    projectFiles: ['.vscode/mcp.json'],
    container: servers,
    ...stdio({ cwd: 'cwd' }),
    traces: appData(`${folder}/User`),
    programs: [program],
    capabilities: { mcpApps: true, prompts: true, elicitation: true, roots: true },
    secretReference: askUser,
    cautions: [
      { text: `${row.name} asks whether you trust the server before it starts it for the first time.` },
    ],
    reload: 'Run "MCP: List Servers" and start it; with chat.mcp.autostart it starts by itself.',
    sources: [
      {
        what: 'entry, inputs',
        ref: 'https://code.visualstudio.com/docs/agents/reference/mcp-configuration (2026-05-28)',
      },
      wolfram,
      addMcp,
      matrix,
    ],
  };
}

/** Editors, and agents in editors. */
export const ideClients: readonly WritableClient[] = [
  vscode(
    {
      id: 'vscode',
      name: 'Visual Studio Code',
      aliases: ['visual-studio-code', 'vs-code', 'code', 'github-copilot-vscode'],
    },
    'Code',
    'code',
  ),
  vscode(
    { id: 'vscode-insiders', name: 'VS Code Insiders', aliases: ['code-insiders'] },
    'Code - Insiders',
    'code-insiders',
  ),
  {
    id: 'cursor',
    name: 'Cursor',
    aliases: [],
    kind: 'ide',
    format: 'json',
    tolerance: strict,
    userFiles: home('.cursor/mcp.json'),
    projectFiles: ['.cursor/mcp.json'],
    container: mcpServers,
    ...standardShape(),
    traces: allCandidates(home('.cursor'), appData('Cursor')),
    capabilities: { mcpApps: true, prompts: true, elicitation: true, roots: true },
    secretReference: envBraceReference,
    reload: 'Switch the server on under Settings > MCP, or reload the window.',
    sources: [
      { what: 'file, entry, references to variables', ref: 'https://cursor.com/docs/mcp' },
      wolfram,
      matrix,
    ],
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    aliases: ['codeium'],
    kind: 'ide',
    format: 'json',
    tolerance: strict,
    userFiles: home('.codeium/windsurf/mcp_config.json'),
    container: mcpServers,
    ...standardShape(),
    traces: home('.codeium/windsurf'),
    capabilities: { mcpApps: false, prompts: false },
    secretReference: envBraceReference,
    cautions: [
      installWarning(
        'user',
        'Its agent Cascade reads this file. For its agent Devin, install into devin-cli.',
      ),
    ],
    reload: 'Press Refresh under Cascade > MCP.',
    sources: [
      { what: 'file, entry, references to variables', ref: 'https://docs.windsurf.com/windsurf/cascade/mcp' },
      wolfram,
      matrix,
    ],
  },
  {
    id: 'zed',
    name: 'Zed',
    aliases: [],
    kind: 'ide',
    format: 'jsonc',
    tolerance: lenient,
    userFiles: bySystem({
      linux: firstCandidates(
        variableFolder('FLATPAK_XDG_CONFIG_HOME', 'zed/settings.json'),
        xdgConfig('zed/settings.json'),
      ),
      darwin: home('.config/zed/settings.json'),
      win32: appData('Zed/settings.json'),
    }),
    projectFiles: ['.zed/settings.json'],
    container: { path: ['context_servers'], shape: 'map' },
    ...standardShape(),
    traces: bySystem({
      linux: firstCandidates(variableFolder('FLATPAK_XDG_CONFIG_HOME', 'zed'), xdgConfig('zed')),
      darwin: home('.config/zed'),
      win32: appData('Zed'),
    }),
    capabilities: { mcpApps: false, prompts: true, elicitation: false, roots: false },
    cautions: [
      installWarning('project', 'Zed starts servers of a project only in worktrees that you trust.'),
    ],
    reload: 'Zed reads the change by itself.',
    sources: [
      {
        what: 'file, entry',
        ref: 'https://github.com/zed-industries/zed crates/paths/src/paths.rs, ContextServerSettingsContent, migration m_2025_11_25',
      },
      wolfram,
    ],
  },
  {
    id: 'kiro',
    name: 'Kiro',
    aliases: ['kiro-cli', 'kiro-ide'],
    kind: 'ide',
    format: 'json',
    tolerance: strict,
    userFiles: home('.kiro/settings/mcp.json'),
    projectFiles: ['.kiro/settings/mcp.json'],
    container: mcpServers,
    ...standardShape({ after: { disabled: false, autoApprove: [] } }),
    keys: { pattern: /^[A-Za-z][A-Za-z0-9_-]*$/, takes: 'a letter, then letters, digits, "-" and "_"' },
    traces: home('.kiro'),
    capabilities: { prompts: true },
    secretReference: braceReference,
    reload: 'Kiro reads the change by itself; on the command line, start a new chat.',
    sources: [
      {
        what: 'file, entry, references to variables',
        ref: 'https://kiro.dev/docs/mcp/configuration, https://kiro.dev/docs/cli/mcp/configuration',
      },
      wolfram,
      addMcp,
    ],
  },
  {
    id: 'junie',
    name: 'JetBrains Junie',
    aliases: ['jetbrains-junie', 'junie-cli'],
    kind: 'ide',
    format: 'json',
    tolerance: strict,
    userFiles: home('.junie/mcp/mcp.json'),
    projectFiles: ['.junie/mcp/mcp.json'],
    container: mcpServers,
    ...standardShape(),
    traces: home('.junie'),
    capabilities: { mcpApps: false, prompts: false },
    reload: 'Junie reads the change by itself.',
    sources: [wolfram, matrix],
  },
  {
    id: 'antigravity',
    name: 'Antigravity',
    aliases: ['google-antigravity', 'antigravity-cli', 'google-antigravity-cli', 'agy'],
    kind: 'ide',
    format: 'json',
    tolerance: strict,
    userFiles: antigravityFiles,
    projectFiles: ['.agents/mcp_config.json'],
    container: mcpServers,
    ...standardShape(),
    traces: allCandidates(
      home('.gemini/antigravity'),
      home('.gemini/config'),
      home('.gemini/antigravity-cli'),
    ),
    capabilities: {},
    cautions: [
      installWarning('user', 'Settings that Antigravity syncs from the cloud may overwrite this file.'),
    ],
    reload: 'Quit Antigravity and start it again; on the command line, /mcp reload.',
    sources: [wolfram, addMcp],
  },
  {
    id: 'augment-vscode',
    name: 'Augment Code (VS Code extension)',
    aliases: ['augment-code-ide', 'augment-ide', 'auggie-ide'],
    kind: 'ide',
    format: 'json',
    tolerance: strict,
    userFiles: appData(`${augmentFolder}/augment-global-state/mcpServers.json`),
    container: { path: [], shape: 'list' },
    ...stdio({ named: true }),
    template: () => '[]\n',
    traces: appData(augmentFolder),
    capabilities: { prompts: false },
    cautions: [warnUndocumented('Augment Code')],
    reload: 'Run "Developer: Reload Window".',
    sources: [wolfram],
  },
  {
    id: 'visual-studio',
    name: 'Visual Studio',
    aliases: ['vs', 'vs2022', 'vs2026'],
    kind: 'ide',
    format: 'jsonc',
    tolerance: lenient,
    userFiles: bySystem({ win32: home('.mcp.json') }),
    projectFiles: ['.mcp.json'],
    container: servers,
    ...stdio(),
    traces: localAppData('Microsoft/VisualStudio'),
    capabilities: { prompts: true, elicitation: true },
    secretReference: askUser,
    reload: 'Switch the tools of the server on in the Copilot chat.',
    sources: [
      { what: 'file, entry', ref: 'https://learn.microsoft.com/visualstudio/ide/mcp-servers' },
      { what: 'inputs', ref: 'JSON schema that Visual Studio ships, gist tuldok89/416fffe2 (2026-04-27)' },
    ],
  },
  {
    id: 'github-copilot-jetbrains',
    name: 'GitHub Copilot for JetBrains',
    aliases: ['copilot-jetbrains', 'copilot-intellij'],
    kind: 'ide',
    format: 'jsonc',
    tolerance: lenient,
    userFiles: bySystem({
      linux: home('.config/github-copilot/intellij/mcp.json'),
      darwin: home('.config/github-copilot/intellij/mcp.json'),
      win32: localAppData('github-copilot/intellij/mcp.json'),
    }),
    container: servers,
    ...stdio(),
    traces: bySystem({
      linux: home('.config/github-copilot/intellij'),
      darwin: home('.config/github-copilot/intellij'),
      win32: localAppData('github-copilot/intellij'),
    }),
    capabilities: {},
    cautions: [warnUndocumented('GitHub Copilot for JetBrains')],
    reload: 'Restart the agent session.',
    sources: [uncheckedSource],
  },
  {
    id: 'trae',
    name: 'Trae',
    aliases: ['trae-ai'],
    kind: 'ide',
    format: 'json',
    tolerance: strict,
    userFiles: appData('Trae/User/mcp.json'),
    projectFiles: ['.trae/mcp.json'],
    container: mcpServers,
    ...standardShape(),
    traces: appData('Trae'),
    capabilities: { prompts: false },
    cautions: [
      warnUndocumented('Trae'),
      installWarning('project', 'Trae reads servers of a project only if its settings allow it.'),
    ],
    reload: 'Look under Settings > MCP.',
    sources: [uncheckedSource],
  },
];
