import type { FileCandidates, WritableClient } from '../client.js';
import { goose, standardShape } from '../entry-shapes.js';
import {
  allCandidates,
  appData,
  application,
  bySystem,
  existingFirst,
  firstCandidates,
  home,
  localAppData,
  platformPaths,
  variableFolder,
  xdgConfig,
} from './folders.js';
import { gooseKeys } from './secret-references.js';
import {
  addMcp,
  installWarning,
  lenient,
  matrix,
  mcpServers,
  smithery,
  strict,
  uncheckedSource,
  warnUndocumented,
  wolfram,
} from './shared-facts.js';

/**
 * Package folders of the Windows installer of Claude Desktop. The program sees a folder in its package as
 * `%APPDATA%`, and does not see the real one.
 * @see https://github.com/anthropics/claude-code/issues/26073
 */
const claudePackages: FileCandidates = (surroundings) => {
  const { join } = platformPaths(surroundings);
  const [packages] = localAppData('Packages')(surroundings);
  if (packages === undefined) return [];
  const names = surroundings.namesIn(packages).filter((name) => /^claude_/i.test(name));
  return names.map((name) => join(packages, name));
};

const claudeFiles: FileCandidates = (surroundings) => {
  const { join } = platformPaths(surroundings);
  const file = 'LocalCache/Roaming/Claude/claude_desktop_config.json';
  return claudePackages(surroundings).map((folder) => join(folder, file));
};

/** Chat applications. */
export const chatClients: readonly WritableClient[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    aliases: ['claude'],
    kind: 'chat',
    format: 'json',
    tolerance: strict,
    userFiles: firstCandidates(existingFirst(claudeFiles), appData('Claude/claude_desktop_config.json')),
    container: mcpServers,
    ...standardShape(),
    traces: allCandidates(appData('Claude'), claudePackages, application('Claude')),
    capabilities: { mcpApps: true, prompts: true, elicitation: false, roots: true },
    reload: 'Quit Claude Desktop in its menu (closing the window is not enough) and start it again.',
    sources: [
      wolfram,
      {
        what: 'file on Windows',
        ref: 'https://github.com/anthropics/claude-code/issues/26073, #38830; hannesill/m4#54',
      },
      matrix,
    ],
  },
  {
    id: 'lm-studio',
    name: 'LM Studio',
    aliases: [],
    kind: 'chat',
    format: 'json',
    tolerance: strict,
    userFiles: home('.lmstudio/mcp.json'),
    container: mcpServers,
    ...standardShape(),
    traces: home('.lmstudio'),
    capabilities: { prompts: false },
    reload:
      'LM Studio reads the change by itself; otherwise switch the server off and on under Program > Install > Edit mcp.json.',
    sources: [
      { what: 'entry', ref: 'https://github.com/lmstudio-ai/docs 0_app/2_mcp/index.mdx (c6854fba)' },
      wolfram,
      matrix,
    ],
  },
  {
    id: 'goose',
    name: 'Goose',
    aliases: ['goose-cli', 'goose-desktop'],
    kind: 'chat',
    format: 'yaml',
    tolerance: lenient,
    userFiles: firstCandidates(
      variableFolder('GOOSE_PATH_ROOT', 'config/config.yaml'),
      bySystem({
        linux: xdgConfig('goose/config.yaml'),
        darwin: xdgConfig('goose/config.yaml'),
        win32: appData('Block/goose/config/config.yaml'),
      }),
    ),
    container: { path: ['extensions'], shape: 'map' },
    ...goose(),
    keys: { pattern: /^[a-z0-9_-]+$/, takes: 'lower-case letters, digits, "-" and "_"' },
    traces: firstCandidates(
      variableFolder('GOOSE_PATH_ROOT', 'config'),
      bySystem({ linux: xdgConfig('goose'), darwin: xdgConfig('goose'), win32: appData('Block/goose') }),
    ),
    capabilities: { mcpApps: true, prompts: true, elicitation: true, roots: true },
    secretReference: gooseKeys,
    reload: 'Restart Goose, or start a new session in it.',
    sources: [
      {
        what: 'file, entry',
        ref: 'https://github.com/aaif-goose/goose documentation/docs/guides/config-files.md (1c220d75)',
      },
      wolfram,
      addMcp,
      matrix,
    ],
  },
  {
    id: 'witsy',
    name: 'Witsy',
    aliases: [],
    kind: 'chat',
    format: 'json',
    tolerance: strict,
    userFiles: appData('Witsy/settings.json'),
    container: mcpServers,
    ...standardShape(),
    traces: appData('Witsy'),
    capabilities: { prompts: false },
    cautions: [
      installWarning(
        'user',
        'Witsy writes this file itself when it ends. If it was open, close it and install again.',
      ),
    ],
    reload: 'Start Witsy, which must have been closed while its file was written.',
    sources: [
      { what: 'file', ref: 'https://github.com/supermemoryai/install-mcp src/client-config.ts (c2a97fbb)' },
      smithery,
      matrix,
    ],
  },
  {
    id: 'boltai',
    name: 'BoltAI',
    aliases: [],
    kind: 'chat',
    format: 'json',
    tolerance: strict,
    userFiles: bySystem({ darwin: home('.boltai/mcp.json') }),
    container: mcpServers,
    ...standardShape(),
    traces: allCandidates(bySystem({ darwin: home('.boltai') }), application('BoltAI')),
    capabilities: { prompts: false },
    cautions: [warnUndocumented('BoltAI')],
    reload: 'Restart BoltAI.',
    sources: [smithery, matrix],
  },
  {
    id: 'raycast',
    name: 'Raycast',
    aliases: [],
    kind: 'chat',
    format: 'json',
    tolerance: strict,
    userFiles: bySystem({ darwin: home('Library/Application Support/com.raycast.macos/mcp-config.json') }),
    container: mcpServers,
    ...standardShape(),
    traces: application('Raycast'),
    capabilities: {},
    cautions: [warnUndocumented('Raycast')],
    reload: 'Open the command Manage MCP Servers.',
    sources: [uncheckedSource],
  },
];
