import type { FactSource, Launch, ManualClient } from '../client.js';

const research: FactSource = {
  what: 'no file',
  ref: 'https://github.com/WolframResearch/AgentTools TODO/more-mcp-clients.md (3ea113a3, 2026-08-21)',
};

const unknownClientFacts = {
  capabilities: {},
  aliases: [],
  reload: 'Nothing more is needed.',
  sources: [research],
} as const;

function serversJson(launch: Launch, key: string): string {
  return `${JSON.stringify({ mcpServers: { [key]: fields(launch) } }, undefined, 2)}\n`;
}

function entryJson(launch: Launch): string {
  return `${JSON.stringify(fields(launch), undefined, 2)}\n`;
}

/** JSON on one line is also YAML. */
function serversYaml(launch: Launch, key: string): string {
  const lines = Object.entries(fields(launch)).map(
    ([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`,
  );
  return `mcpServers:\n  ${JSON.stringify(key)}:\n${lines.join('')}`;
}

function fields({ command, args, env }: Launch): Omit<Launch, 'cwd'> {
  return { command, args, env };
}

/** Clients that store their servers where no program may write. */
export const manualClients: readonly ManualClient[] = [
  {
    id: 'jetbrains-ai-assistant',
    name: 'JetBrains AI Assistant',
    kind: 'ide',
    ...unknownClientFacts,
    aliases: ['jetbrains'],
    manual: {
      instructions:
        'Open Settings > Tools > AI Assistant > Model Context Protocol (MCP), paste it as JSON, and choose whether it is for all projects or this one.',
      snippet: serversJson,
    },
    sources: [
      research,
      { what: 'instructions', ref: 'https://www.jetbrains.com/help/ai-assistant/mcp.html' },
    ],
  },
  {
    id: 'cherry-studio',
    name: 'Cherry Studio',
    kind: 'chat',
    ...unknownClientFacts,
    manual: {
      instructions: 'Open Settings > MCP, and paste it as JSON.',
      snippet: serversJson,
    },
  },
  {
    id: '5ire',
    name: '5ire',
    kind: 'chat',
    ...unknownClientFacts,
    manual: {
      instructions:
        'Open Tools > New > Local, and enter command, arguments and variables. A name has two or more letters, digits and hyphens.',
      snippet: serversJson,
    },
  },
  {
    id: 'msty',
    name: 'Msty Studio',
    kind: 'chat',
    ...unknownClientFacts,
    aliases: ['msty-studio'],
    manual: {
      instructions: 'Add a tool in the Toolbox, and paste. The name goes into a separate field.',
      snippet: entryJson,
    },
  },
  {
    id: 'recurse-chat',
    name: 'RecurseChat',
    kind: 'chat',
    ...unknownClientFacts,
    manual: {
      instructions: 'Import it in the settings, where MCP is on Apple silicon only.',
      snippet: serversJson,
    },
  },
  {
    id: 'chatgpt',
    name: 'ChatGPT',
    kind: 'chat',
    ...unknownClientFacts,
    capabilities: { mcpApps: true },
    manual: {
      instructions:
        'It starts no programs; it reaches servers by a public address, which is added as a connector.',
    },
  },
  {
    id: 'dify',
    name: 'Dify',
    kind: 'chat',
    ...unknownClientFacts,
    manual: {
      instructions:
        'It starts no programs; it reaches servers by their HTTP address, which is added in its web interface.',
    },
  },
  {
    id: 'librechat',
    name: 'LibreChat',
    kind: 'chat',
    ...unknownClientFacts,
    manual: {
      instructions:
        'Add it to librechat.yaml, where your installation keeps that file; under mcpServers, if that key is there already. Then restart it.',
      snippet: serversYaml,
    },
  },
];
