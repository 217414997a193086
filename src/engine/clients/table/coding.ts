import type { EntryLayout, FileCandidates, WritableClient } from '../client.js';
import { isMap } from '../edit/merge-entry.js';
import { bangCommands, hereDocument, opencode, standardShape, stdio, withEscaping } from '../entry-shapes.js';
import {
  allCandidates,
  appData,
  bySystem,
  existingFirst,
  firstCandidates,
  home,
  ownFolder,
  platformPaths,
  variableFolder,
  xdgConfig,
} from './folders.js';
import {
  braceReference,
  continueSecret,
  envBraceReference,
  envInBraces,
  fromEnvironment,
  passEnvironment,
} from './secret-references.js';
import {
  addMcp,
  checkedWithVendor,
  commentsOnly,
  installWarning,
  lenient,
  matrix,
  mcpServers,
  strict,
  strictWithoutBom,
  withoutBom,
  wolfram,
} from './shared-facts.js';

const lettersDigits = { pattern: /^[A-Za-z0-9_-]+$/, takes: 'letters, digits, "-" and "_"' } as const;

/** Options in these containers. Every other key is a server. */
const openCodeOptions = ['servers', 'timeout'] as const;

const claudeFolder = firstCandidates(variableFolder('CLAUDE_CONFIG_DIR'), home('.claude'));
const codexFolder = ownFolder('CODEX_HOME', '.codex');
const continueFolder = ownFolder('CONTINUE_GLOBAL_DIR', '.continue');
const copilotFolder = ownFolder('COPILOT_HOME', '.copilot');
const grokFolder = ownFolder('GROK_HOME', '.grok');
const piFolder = ownFolder('PI_CODING_AGENT_DIR', '.pi/agent');
const qwenFolder = ownFolder('QWEN_HOME', '.qwen');

const clineFiles: FileCandidates = firstCandidates(
  variableFolder('CLINE_MCP_SETTINGS_PATH'),
  variableFolder('CLINE_DATA_DIR', 'settings/cline_mcp_settings.json'),
  variableFolder('CLINE_DIR', 'data/settings/cline_mcp_settings.json'),
  // Extensions before version 4 use the second path. Later ones read it once, to move it.
  existingFirst(
    home('.cline/data/settings/cline_mcp_settings.json'),
    appData('Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
  ),
);

/** The retired Python program counts only if its successor is not installed. */
const kimiFiles: FileCandidates = (surroundings) => {
  const [current = ''] = home('.kimi-code')(surroundings);
  const [retired = ''] = home('.kimi')(surroundings);
  const onlyRetired = surroundings.exists(retired) && !surroundings.exists(current);
  const folders = onlyRetired ? [retired, current] : [current, retired];
  return folders.map((folder) => platformPaths(surroundings).join(folder, 'mcp.json'));
};

/** True if only the old `config.json` exists. Continue would ignore it beside a new `config.yaml`. */
function hasOldContinueOnly(surroundings: Parameters<FileCandidates>[0]): boolean {
  const { exists } = surroundings;
  const [config = ''] = continueFolder('config.yaml')(surroundings);
  const [old = ''] = continueFolder('config.json')(surroundings);
  return exists(old) && !exists(config);
}

const continueFiles: FileCandidates = (surroundings) => {
  const config = continueFolder('config.yaml')(surroundings);
  return hasOldContinueOnly(surroundings)
    ? [...continueFolder('mcpServers/<key>.yaml')(surroundings), ...config]
    : config;
};

/** Version 2 of the layout keeps servers one level deeper. In version 1, that key would be a server. */
function openCodeLayout(data: unknown): EntryLayout | undefined {
  const servers = isMap(data) && isMap(data.mcp) ? data.mcp.servers : undefined;
  if (!isMap(servers) || !Object.values(servers).every(isMap)) return undefined;
  return {
    container: { path: ['mcp', 'servers'], shape: 'map' },
    ...opencode({ enabled: false, cwd: 'cwd' }),
  };
}

/** mcporter uses `~/.config` only if the variable names it. */
const mcporterFiles: FileCandidates = firstCandidates(
  variableFolder('MCPORTER_CONFIG'),
  existingFirst(
    variableFolder('XDG_CONFIG_HOME', 'mcporter/mcporter.json'),
    variableFolder('XDG_CONFIG_HOME', 'mcporter/mcporter.jsonc'),
    home('.mcporter/mcporter.json'),
    home('.mcporter/mcporter.jsonc'),
  ),
);

const crushFolder = firstCandidates(variableFolder('CRUSH_GLOBAL_CONFIG'), xdgConfig('crush'));

function hasCrushrc(surroundings: Parameters<FileCandidates>[0]): boolean {
  const { join } = platformPaths(surroundings);
  return crushFolder(surroundings).some((folder) => surroundings.exists(join(folder, 'crushrc')));
}

/** Coding agents, most of them in a terminal. */
export const codingClients: readonly WritableClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    aliases: ['claude-cli'],
    kind: 'coding',
    format: 'json',
    tolerance: strict,
    userFiles: firstCandidates(variableFolder('CLAUDE_CONFIG_DIR', '.claude.json'), home('.claude.json')),
    projectFiles: ['.mcp.json'],
    container: mcpServers,
    ...stdio(),
    keys: { ...lettersDigits, reserved: ['workspace', 'claude-in-chrome', 'computer-use'] },
    traces: claudeFolder,
    capabilities: { mcpApps: false, prompts: true, elicitation: true, roots: true },
    secretReference: braceReference,
    cautions: [installWarning('project', 'Claude Code asks each user of the project to approve the server.')],
    reload: 'Start a new session, or reconnect with /mcp.',
    sources: [
      checkedWithVendor('2.1.197'),
      wolfram,
      {
        what: 'reserved keys, references to variables',
        ref: 'https://code.claude.com/docs/en/mcp; anthropics/claude-code#75890',
      },
      matrix,
    ],
  },
  {
    id: 'codex',
    name: 'Codex',
    aliases: ['openai-codex', 'codex-cli', 'codex-app'],
    kind: 'coding',
    format: 'toml',
    tolerance: lenient,
    userFiles: codexFolder('config.toml'),
    projectFiles: ['.codex/config.toml'],
    container: { path: ['mcp_servers'], shape: 'map' },
    ...standardShape({ cwd: 'cwd' }),
    keys: { pattern: /^[A-Za-z0-9_:@/.-]+$/, takes: 'letters, digits, and any of - _ : @ / .' },
    traces: codexFolder(),
    capabilities: { prompts: false, elicitation: true },
    secretReference: passEnvironment('env_vars'),
    cautions: [installWarning('project', 'Codex reads this file only in projects that you trust.')],
    reload: 'Start a new session of Codex.',
    sources: [
      checkedWithVendor('0.169.0'),
      wolfram,
      addMcp,
      { what: 'env_vars, cwd', ref: 'https://github.com/openai/codex/pull/5246' },
      matrix,
    ],
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    aliases: ['gemini'],
    kind: 'coding',
    format: 'jsonc',
    tolerance: commentsOnly,
    userFiles: home('.gemini/settings.json'),
    projectFiles: ['.gemini/settings.json'],
    container: mcpServers,
    ...standardShape({ cwd: 'cwd' }),
    keys: { pattern: /^[A-Za-z0-9.:-]+$/, takes: 'letters, digits, ".", ":" and "-", but no "_"' },
    // The folder alone proves nothing: Antigravity uses it too.
    traces: home('.gemini/settings.json'),
    capabilities: { mcpApps: false, prompts: true },
    secretReference: braceReference,
    reload: 'Restart gemini, or use /mcp refresh. It starts servers in folders that it trusts.',
    sources: [
      checkedWithVendor('0.61.0'),
      wolfram,
      {
        what: 'references to variables',
        ref: 'https://github.com/google-gemini/gemini-cli docs/tools/mcp-server.md',
      },
      matrix,
    ],
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    aliases: ['qwen'],
    kind: 'coding',
    format: 'jsonc',
    tolerance: commentsOnly,
    userFiles: qwenFolder('settings.json'),
    projectFiles: ['.qwen/settings.json'],
    container: mcpServers,
    ...standardShape({ cwd: 'cwd' }),
    traces: qwenFolder(),
    capabilities: { prompts: true },
    secretReference: braceReference,
    reload: 'Restart qwen.',
    sources: [
      checkedWithVendor('0.15.10'),
      wolfram,
      {
        what: 'references to variables',
        ref: 'https://github.com/QwenLM/qwen-code docs/users/features/mcp.md',
      },
    ],
  },
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    aliases: ['copilot', 'github-copilot-cli'],
    kind: 'coding',
    format: 'jsonc',
    tolerance: lenient,
    userFiles: copilotFolder('mcp-config.json'),
    projectFiles: ['.mcp.json', '.github/mcp.json'],
    container: mcpServers,
    // Copilot's command writes `local`. Claude Code, which reads the same file in a project, accepts only
    // `stdio`.
    ...stdio({ after: { tools: ['*'] } }),
    traces: copilotFolder(),
    capabilities: { mcpApps: false, prompts: false, elicitation: true },
    secretReference: braceReference,
    cautions: [
      installWarning('project', 'Copilot CLI starts servers of a project only in folders that you trust.'),
    ],
    reload: 'Restart copilot, or use /mcp reload.',
    sources: [
      checkedWithVendor('1.0.102'),
      wolfram,
      {
        what: 'references to variables',
        ref: 'https://github.com/github/copilot-cli/issues/903 (since 1.0.10)',
      },
      matrix,
    ],
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    aliases: [],
    kind: 'coding',
    format: 'jsonc',
    tolerance: lenient,
    userFiles: existingFirst(
      xdgConfig('opencode/opencode.jsonc'),
      xdgConfig('opencode/opencode.json'),
      xdgConfig('opencode/config.json'),
    ),
    projectFiles: ['opencode.jsonc', 'opencode.json', '.opencode/opencode.jsonc', '.opencode/opencode.json'],
    newProjectFile: 'opencode.json',
    container: { path: ['mcp'], shape: 'map' },
    ...opencode({ cwd: 'cwd' }),
    layoutIn: openCodeLayout,
    template: () => '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
    keys: { reserved: openCodeOptions },
    traces: xdgConfig('opencode'),
    capabilities: { prompts: true },
    secretReference: envInBraces,
    reload: 'Restart opencode.',
    sources: [
      checkedWithVendor('1.18.33'),
      addMcp,
      wolfram,
      { what: 'references to variables', ref: 'https://opencode.ai/docs/config' },
      matrix,
    ],
  },
  {
    id: 'kilo-code',
    name: 'Kilo Code',
    aliases: ['kilo'],
    kind: 'coding',
    format: 'jsonc',
    tolerance: lenient,
    userFiles: existingFirst(xdgConfig('kilo/kilo.jsonc'), xdgConfig('kilo/kilo.json')),
    projectFiles: [
      '.kilo/kilo.jsonc',
      '.kilo/kilo.json',
      '.kilocode/kilo.jsonc',
      '.kilocode/kilo.json',
      'kilo.jsonc',
      'kilo.json',
    ],
    container: { path: ['mcp'], shape: 'map' },
    ...opencode(),
    template: () => '{\n  "$schema": "https://app.kilo.ai/config.json"\n}\n',
    keys: { reserved: openCodeOptions },
    traces: allCandidates(xdgConfig('kilo'), appData('Code/User/globalStorage/kilocode.kilo-code')),
    capabilities: {},
    secretReference: envInBraces,
    reload: 'Restart kilo, or reload the window.',
    sources: [
      checkedWithVendor('@kilocode/cli 7.8.1'),
      addMcp,
      {
        what: 'references to variables',
        ref: 'https://github.com/Kilo-Org/kilocode packages/opencode/src/config/variable.ts',
      },
    ],
  },
  {
    id: 'crush',
    name: 'Crush',
    aliases: ['charm-crush'],
    kind: 'coding',
    format: 'json',
    tolerance: strict,
    userFiles: firstCandidates(
      variableFolder('CRUSH_GLOBAL_CONFIG', 'crush.json'),
      xdgConfig('crush/crush.json'),
    ),
    projectFiles: ['.crush.json', 'crush.json'],
    newProjectFile: 'crush.json',
    container: { path: ['mcp'], shape: 'map' },
    ...withEscaping(stdio(), hereDocument),
    template: () => '{\n  "$schema": "https://charm.land/crush.json"\n}\n',
    traces: crushFolder,
    programs: ['crush'],
    capabilities: { prompts: true },
    secretReference: fromEnvironment((name) => `$${name}`),
    cautions: [
      {
        scope: 'user',
        applies: hasCrushrc,
        text: 'A crushrc is beside this file. Crush reads both, and warns that there is one in JSON.',
      },
    ],
    reload: 'Restart crush.',
    sources: [
      {
        what: 'file, entry, references to variables',
        ref: 'https://github.com/charmbracelet/crush internal/config/config.go, internal/shell/expand.go, docs/config/README.md (37f36e93, 2026-08-21)',
      },
    ],
  },
  {
    id: 'amp',
    name: 'Amp',
    aliases: ['sourcegraph-amp', 'ampcode'],
    kind: 'coding',
    format: 'jsonc',
    tolerance: withoutBom,
    userFiles: firstCandidates(
      variableFolder('AMP_SETTINGS_FILE'),
      bySystem({
        linux: xdgConfig('amp/settings.json'),
        darwin: xdgConfig('amp/settings.json'),
        // The guide names the second path, the program uses the first.
        win32: existingFirst(xdgConfig('amp/settings.json'), appData('amp/settings.json')),
      }),
    ),
    projectFiles: ['.amp/settings.json'],
    container: { path: ['amp.mcpServers'], shape: 'map' },
    ...standardShape(),
    keys: { pattern: /^[A-Za-z0-9@/_-]+$/, takes: 'letters, digits, "@", "/", "-" and "_"' },
    traces: allCandidates(xdgConfig('amp'), bySystem({ win32: appData('amp') })),
    capabilities: { prompts: true },
    cautions: [installWarning('project', 'Amp starts servers of a project only after amp mcp approve.')],
    reload: 'Restart amp, or reload the window.',
    sources: [checkedWithVendor('0.0.1790142911 (2026-09-23)'), wolfram, matrix],
  },
  {
    id: 'auggie',
    name: 'Augment Code (Auggie CLI)',
    aliases: ['augment', 'augment-code'],
    kind: 'coding',
    format: 'jsonc',
    tolerance: withoutBom,
    userFiles: home('.augment/settings.json'),
    projectFiles: ['.augment/settings.json'],
    container: mcpServers,
    ...stdio(),
    traces: home('.augment'),
    capabilities: { prompts: false },
    reload: 'Start a new session of auggie.',
    sources: [
      checkedWithVendor('0.36.0'),
      wolfram,
      { what: 'no references to variables', ref: 'https://github.com/augmentcode/auggie/issues/35' },
      matrix,
    ],
  },
  {
    id: 'cline',
    name: 'Cline',
    aliases: ['cline-vscode', 'cline-cli', 'claude-dev'],
    kind: 'coding',
    format: 'json',
    tolerance: strictWithoutBom,
    userFiles: clineFiles,
    container: mcpServers,
    ...standardShape({ cwd: 'cwd', after: { disabled: false, autoApprove: [] } }),
    traces: allCandidates(
      firstCandidates(variableFolder('CLINE_DATA_DIR'), variableFolder('CLINE_DIR'), home('.cline')),
      appData('Code/User/globalStorage/saoudrizwan.claude-dev'),
    ),
    capabilities: { prompts: false },
    secretReference: envBraceReference,
    reload: 'Start a new task; on the command line, a new session.',
    sources: [
      checkedWithVendor('3.0.65'),
      {
        what: 'file, references to variables',
        ref: 'https://github.com/cline/cline mcp-settings-legacy-migration.ts, envExpansion.ts (21cb8d25, 2026-08-22)',
      },
      matrix,
    ],
  },
  {
    id: 'roo-code',
    name: 'Roo Code',
    aliases: ['roo', 'roo-cline'],
    kind: 'coding',
    format: 'json',
    tolerance: strict,
    userFiles: appData('Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
    projectFiles: ['.roo/mcp.json'],
    container: mcpServers,
    ...standardShape({ cwd: 'cwd' }),
    traces: appData('Code/User/globalStorage/rooveterinaryinc.roo-cline'),
    capabilities: { prompts: false },
    secretReference: envBraceReference,
    reload: 'Roo Code reads the change by itself.',
    sources: [
      {
        what: 'file, entry, references to variables',
        ref: 'https://github.com/RooCodeInc/Roo-Code src/services/mcp/McpHub.ts, src/utils/config.ts (cb836567, 2026-04-14)',
      },
      matrix,
    ],
  },
  {
    id: 'kimi-code',
    name: 'Kimi Code',
    aliases: ['kimi', 'kimi-cli'],
    kind: 'coding',
    format: 'json',
    tolerance: strict,
    userFiles: firstCandidates(variableFolder('KIMI_CODE_HOME', 'mcp.json'), kimiFiles),
    projectFiles: ['.kimi-code/mcp.json'],
    container: mcpServers,
    ...standardShape({ cwd: 'cwd' }),
    traces: allCandidates(
      firstCandidates(variableFolder('KIMI_CODE_HOME'), home('.kimi-code')),
      home('.kimi'),
    ),
    capabilities: {},
    cautions: [
      installWarning('project', 'Kimi Code starts servers of a project only in workspaces that you trust.'),
    ],
    reload: 'Start a new session.',
    sources: [
      {
        what: 'file, entry',
        ref: 'https://github.com/MoonshotAI/kimi-code docs/en/customization/mcp.md (d723cc47, 2026-08-22)',
      },
    ],
  },
  {
    id: 'amazon-q',
    name: 'Amazon Q Developer',
    aliases: ['q', 'qdeveloper', 'amazon-q-developer'],
    kind: 'coding',
    format: 'json',
    tolerance: strict,
    userFiles: home('.aws/amazonq/mcp.json'),
    projectFiles: ['.amazonq/mcp.json'],
    container: mcpServers,
    ...standardShape(),
    keys: { pattern: /^[A-Za-z][A-Za-z0-9_-]*$/, takes: 'a letter, then letters, digits, "-" and "_"' },
    traces: home('.aws/amazonq'),
    capabilities: { mcpApps: false, prompts: true },
    cautions: [
      installWarning(
        'user',
        'Its command line has become Kiro: for that, install into kiro. The IDE plugin reads this file while "useLegacyMcpJson" is true.',
      ),
    ],
    reload: 'Start a new chat.',
    sources: [wolfram, matrix],
  },
  {
    id: 'droid',
    name: 'Factory Droid',
    aliases: ['factory'],
    kind: 'coding',
    format: 'jsonc',
    tolerance: commentsOnly,
    userFiles: home('.factory/mcp.json'),
    projectFiles: ['.factory/mcp.json'],
    container: mcpServers,
    ...stdio({ after: { disabled: false } }),
    traces: home('.factory'),
    capabilities: {},
    secretReference: braceReference,
    reload: 'Start a new session.',
    sources: [
      checkedWithVendor('0.215.0'),
      {
        what: 'project file, references to variables',
        ref: 'https://github.com/Factory-AI/factory docs/cli/configuration/mcp.mdx (a80aa7c5, 2026-07-24)',
      },
    ],
  },
  {
    id: 'grok-build',
    name: 'Grok Build',
    aliases: ['grok', 'grok-cli'],
    kind: 'coding',
    format: 'toml',
    tolerance: lenient,
    userFiles: grokFolder('config.toml'),
    projectFiles: ['.grok/config.toml'],
    container: { path: ['mcp_servers'], shape: 'map' },
    ...standardShape({ after: { enabled: true } }),
    keys: lettersDigits,
    traces: grokFolder(),
    capabilities: {},
    secretReference: braceReference,
    reload: 'Start a new session.',
    sources: [
      checkedWithVendor('1.0.41'),
      addMcp,
      { what: 'references to variables', ref: 'https://docs.x.ai/build/features/mcp-servers' },
    ],
  },
  {
    id: 'pi',
    name: 'Pi (pi-mcp-adapter)',
    aliases: ['pi-coding-agent', 'pi-mcp-adapter'],
    kind: 'coding',
    format: 'json',
    tolerance: strict,
    userFiles: piFolder('mcp.json'),
    projectFiles: ['.pi/mcp.json'],
    container: mcpServers,
    ...withEscaping(standardShape({ cwd: 'cwd' }), bangCommands),
    traces: piFolder(),
    capabilities: { mcpApps: true, prompts: true, elicitation: true },
    secretReference: braceReference,
    cautions: [{ text: 'Pi by itself knows no MCP servers. It needs: pi install npm:pi-mcp-adapter' }],
    reload: 'Restart pi.',
    sources: [
      {
        what: 'file, entry, references to variables',
        ref: 'https://github.com/nicobailon/pi-mcp-adapter README.md (4755775, 2026-08-22)',
      },
    ],
  },
  {
    id: 'mcporter',
    name: 'MCPorter',
    aliases: [],
    kind: 'coding',
    format: 'jsonc',
    tolerance: withoutBom,
    userFiles: mcporterFiles,
    projectFiles: ['config/mcporter.json'],
    container: mcpServers,
    ...standardShape({ cwd: 'cwd' }),
    // A dot separates the server from the tool in a call.
    keys: lettersDigits,
    traces: allCandidates(home('.mcporter'), variableFolder('XDG_CONFIG_HOME', 'mcporter')),
    programs: ['mcporter'],
    capabilities: {},
    secretReference: braceReference,
    reload: 'mcporter reads the change at its next call.',
    sources: [
      {
        what: 'file, entry, syntax, references to variables',
        ref: 'https://github.com/openclaw/mcporter docs/config.md, src/paths.ts, src/env.ts (ae3d900, 2026-08-21)',
      },
      { what: 'key', ref: 'https://github.com/openclaw/mcporter docs/call-syntax.md' },
      addMcp,
    ],
  },
  {
    id: 'mastracode',
    name: 'Mastra Code',
    aliases: ['mastra', 'mastra-code'],
    kind: 'coding',
    format: 'json',
    tolerance: strictWithoutBom,
    userFiles: home('.mastracode/mcp.json'),
    projectFiles: ['.mastracode/mcp.json'],
    container: mcpServers,
    ...standardShape(),
    traces: home('.mastracode'),
    programs: ['mastracode'],
    capabilities: {},
    // It also replaces `$NAME` in the middle of a value, so the bare form shows which values it changes.
    secretReference: fromEnvironment((name) => `$${name}`),
    reload: 'Run /mcp reload, or restart mastracode.',
    sources: [
      {
        what: 'file, entry, syntax, references to variables',
        ref: 'npm @mastra/code-sdk 1.0.1, dist/mcp/config.js, of npm mastracode 0.32.1',
      },
      addMcp,
    ],
  },
  {
    id: 'fx',
    name: 'fx',
    aliases: ['vercel-fx'],
    kind: 'coding',
    format: 'json',
    tolerance: strictWithoutBom,
    userFiles: home('.fx/mcp.json'),
    container: { path: ['mcp'], shape: 'map' },
    ...opencode(),
    keys: lettersDigits,
    // A program of this name is also a viewer for JSON.
    traces: home('.fx'),
    capabilities: {},
    reload: 'Start a new session of fx.',
    sources: [
      {
        what: 'file, entry, key, syntax',
        ref: 'https://github.com/vercel-labs/fx src/builtins/mcp.zig, src/core/shared/profile_paths.zig (4a8f765, 2026-08-22)',
      },
      addMcp,
    ],
  },
  {
    id: 'devin-cli',
    name: 'Devin CLI',
    aliases: ['devin'],
    kind: 'coding',
    format: 'jsonc',
    tolerance: lenient,
    userFiles: bySystem({
      linux: home('.config/devin/config.json'),
      darwin: home('.config/devin/config.json'),
      win32: appData('devin/config.json'),
    }),
    projectFiles: ['.devin/config.json'],
    container: mcpServers,
    ...standardShape(),
    traces: bySystem({
      linux: home('.config/devin'),
      darwin: home('.config/devin'),
      win32: appData('devin'),
    }),
    capabilities: {},
    reload: 'Start a new session.',
    sources: [{ what: 'file, entry', ref: 'https://docs.devin.ai/cli/extensibility/mcp/configuration' }],
  },
  {
    id: 'warp',
    name: 'Warp',
    aliases: ['warp-terminal'],
    kind: 'coding',
    format: 'json',
    tolerance: strict,
    userFiles: home('.warp/.mcp.json'),
    projectFiles: ['.warp/.mcp.json'],
    container: mcpServers,
    ...standardShape({ cwd: 'working_directory' }),
    traces: home('.warp'),
    capabilities: { prompts: false },
    reload: 'Start the server under Settings > Agents > MCP servers.',
    sources: [
      { what: 'file', ref: 'https://github.com/warpdotdev/warp skill agent-add-mcp (2026-08)' },
      matrix,
    ],
  },
  {
    id: 'continue',
    name: 'Continue',
    aliases: ['continue-dev', 'cn'],
    kind: 'coding',
    format: 'yaml',
    tolerance: lenient,
    userFiles: continueFiles,
    projectFiles: ['.continue/mcpServers/<key>.yaml'],
    container: { path: ['mcpServers'], shape: 'list' },
    ...standardShape({ named: true, cwd: 'cwd' }),
    template: (file, key) => {
      const name = /config\.yaml$/.test(file) ? 'Local Config' : `MCP server ${key}`;
      return `name: ${name}\nversion: 1.0.0\nschema: v1\n`;
    },
    traces: allCandidates(continueFolder(), appData('Code/User/globalStorage/continue.continue')),
    capabilities: { mcpApps: true, prompts: true },
    secretReference: continueSecret,
    cautions: [
      {
        scope: 'user',
        applies: hasOldContinueOnly,
        text: 'Only the old config.json exists, which Continue would ignore beside a config.yaml. So the server got a separate file.',
      },
      installWarning('project', 'The editor extensions read this file; the command line cn does not.'),
    ],
    reload: 'Run "Continue: Reload config", or restart cn.',
    sources: [
      {
        what: 'file, entry',
        ref: 'https://github.com/continuedev/continue packages/config-yaml/src/schemas/mcp, core/util/paths.ts (d0a3c0b6, 2026-06-18)',
      },
      {
        what: 'references to variables',
        ref: 'https://github.com/continuedev/continue docs/cli/configuration.mdx',
      },
      wolfram,
      matrix,
    ],
  },
];
