import type { Files } from './packages.js';
import { fixture, programFile } from './program.js';
import type { Command, VendorClient } from './vendor-clients.js';

/** What a client says of each server that it knows. */
export type Seen = Readonly<Record<string, string>>;

/** A client's own program, and how it is made to tell what it sees. */
export interface Vendor {
  /** What `install` calls the client. */
  readonly client: string;
  /** One package that brings all it needs, at one version. */
  readonly package: string;
  /** Its program in that package; `*` is the only name in its folder. */
  readonly program: string;
  /** The file with its servers, below the home folder. */
  readonly config: string;
  /** What it needs around it, where there is a model. */
  readonly surroundings?: (modelUrl: string) => {
    readonly env?: Readonly<Record<string, string>>;
    /** What is in the home folder from the start. */
    readonly files?: Files;
  };
  /** Its own command that adds a server; absent: it has none, and `files` hold the server `greeter`. */
  readonly add?: (key: string, server: Command) => readonly string[];
  readonly look: (client: VendorClient) => Promise<Seen>;
  /** What `look` gives for a server that is as it should be. */
  readonly well: string;
}

/** Servers to give to clients, by key, and one tool of each. */
export const servers = {
  greeter: { path: fixture('valid'), tool: 'hello' },
  weather: { path: fixture('weather'), tool: 'forecast' },
  workshop: { path: fixture('stdio-workshop'), tool: 'echo' },
} as const;

const system = `${process.platform}-${process.arch}`;

/** Every vendor whose program is on npm and runs with our oldest Node. A new one takes part by being listed here. */
export const vendors: readonly Vendor[] = [
  {
    client: 'claude-code',
    package: `@anthropic-ai/claude-code-${system}@2.1.197`,
    program: 'claude',
    config: '.claude.json',
    surroundings: () => ({
      env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
    }),
    add: (key, server) => ['mcp', 'add', '--scope', 'user', key, '--', ...server],
    look: reads(['mcp', 'list'], /^(?<key>\S+): .* - (?<state>.+)$/gm),
    well: '✔ Connected',
  },
  {
    client: 'codex',
    package: `@openai/codex@0.169.0-${system}`,
    program: 'vendor/*/bin/codex',
    config: '.codex/config.toml',
    add: (key, server) => ['mcp', 'add', key, '--', ...server],
    look: asksCodex,
    well: 'has tools',
  },
  {
    client: 'gemini-cli',
    package: '@google/gemini-cli@0.61.0',
    program: 'bundle/gemini.js',
    config: '.gemini/settings.json',
    // In a folder that nobody has trusted, a user's own servers are off, too.
    surroundings: () => ({ env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }),
    add: (key, [command, ...args]) => ['mcp', 'add', '-s', 'user', key, command, '--', ...args],
    look: reads(['mcp', 'list'], /^\S (?<key>\S+): .* - (?<state>\w+)$/gm),
    well: 'Connected',
  },
  {
    client: 'qwen-code',
    package: '@qwen-code/qwen-code@0.15.10',
    program: 'cli.js',
    config: '.qwen/settings.json',
    add: (key, [command, ...args]) => ['mcp', 'add', '-s', 'user', key, command, '--', ...args],
    look: reads(['mcp', 'list'], /^\S (?<key>\S+): .* - (?<state>\w+)$/gm),
    well: 'Connected',
  },
  {
    client: 'copilot-cli',
    package: `@github/copilot-${system}@1.0.102`,
    program: 'copilot',
    config: '.copilot/mcp-config.json',
    surroundings: (modelUrl) => ({
      env: {
        COPILOT_PROVIDER_BASE_URL: modelUrl,
        COPILOT_MODEL: 'none',
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
      },
    }),
    add: (key, server) => ['mcp', 'add', key, '--', ...server],
    look: offers(['-p', 'Go on.', '--allow-all-tools'], (key, tool) => `${key}-${tool}`),
    well: 'offered',
  },
  {
    client: 'opencode',
    package: `opencode-${system}@1.18.33`,
    program: 'bin/opencode',
    config: '.config/opencode/opencode.jsonc',
    surroundings: () => ({ env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' } }),
    add: (key, server) => ['mcp', 'add', key, '--', ...server],
    look: reads(['mcp', 'list'], /^●\s+\S (?<key>\S+) (?<state>\w+)$/gm),
    well: 'connected',
  },
  {
    client: 'kilo-code',
    package: `@kilocode/cli-${system}@7.7.9`,
    program: 'bin/kilo',
    config: '.config/kilo/kilo.jsonc',
    surroundings: () => ({
      env: { KILO_TELEMETRY_LEVEL: 'off', KILO_DISABLE_AUTOUPDATE: '1', KILO_DISABLE_MODELS_FETCH: '1' },
    }),
    add: (key, server) => ['mcp', 'add', key, '--', ...server],
    look: reads(['mcp', 'list'], /^●\s+\S (?<key>\S+) (?<state>\w+)$/gm),
    well: 'connected',
  },
  {
    client: 'amp',
    package: `@ampcode/cli-${system}@0.0.1790142911-g7618fb`,
    program: 'amp',
    config: '.config/amp/settings.json',
    // Without a key it asks who is there; any will do.
    surroundings: () => ({ env: { AMP_API_KEY: 'none' } }),
    add: (key, server) => ['mcp', 'add', key, '--', ...server],
    look: reads(['mcp', 'doctor'], /^(?<key>\S+) \(user settings\): (?<state>\w+)/gm),
    well: 'connected',
  },
  {
    client: 'auggie',
    package: '@augmentcode/auggie@0.36.0',
    program: 'augment.mjs',
    config: '.augment/settings.json',
    add: (key, [command, ...args]) => ['mcp', 'add', key, '--command', command, '--args', args.join(' ')],
    // It starts no server before somebody has signed in.
    look: reads(['mcp', 'list'], /^(?<state>\S) (?<key>\S+) +(?:stdio|http) /gm),
    well: '✓',
  },
  {
    client: 'cline',
    package: `@cline/cli-${system}@3.0.65`,
    program: 'bin/cline',
    config: '.cline/data/settings/cline_mcp_settings.json',
    surroundings: (modelUrl) => ({
      env: { CLINE_SESSION_BACKEND_MODE: 'local' },
      files: {
        '.cline/data/settings/global-settings.json': { telemetryOptOut: true, autoUpdateEnabled: false },
        '.cline/data/settings/providers.json': clineProviders(modelUrl),
      },
    }),
    add: (key, server) => ['mcp', 'install', key, '--yes', '--', ...server],
    look: offers(['Go on, please.'], (key, tool) => `${key}__${tool}`),
    well: 'offered',
  },
  {
    client: 'droid',
    package: `@factory/cli-${system}@0.215.0`,
    program: 'bin/droid',
    config: '.factory/mcp.json',
    add: (key, server) => ['mcp', 'add', key, server.join(' ')],
    look: reads(['mcp', 'list'], /^ +(?<key>\S+) +(?:stdio|http) +(?<state>\S+)/gm),
    well: 'connected',
  },
  {
    client: 'grok-build',
    package: `@xai-official/grok-${system}@1.0.41`,
    program: 'bin/grok.br',
    config: '.grok/config.toml',
    add: (key, server) => ['mcp', 'add', key, '--', ...server],
    look: reads(['mcp', 'doctor', '--json'], /"name": "(?<key>[^"]+)"[\s\S]*?"healthy": (?<state>\w+)/g),
    well: 'true',
  },
  {
    client: 'continue',
    package: '@continuedev/cli@1.5.47',
    program: 'dist/cn.js',
    config: '.continue/config.yaml',
    surroundings: (modelUrl) => ({ files: { '.continue/config.yaml': continueConfig(modelUrl) } }),
    look: offers(['--config', '../.continue/config.yaml', '-p', 'Go on.'], (_, tool) => tool),
    well: 'offered',
  },
];

/** Looks at what a command prints: for each server its `key` and `state`. */
function reads(args: readonly string[], server: RegExp): Vendor['look'] {
  return async (client) => {
    const found = [...(await client.run(args)).matchAll(server)];
    return Object.fromEntries(found.map(({ groups = {} }) => [groups.key, groups.state]));
  };
}

/** Looks at what the client offers to a model; `spelling` is what it makes of the name of a tool. */
function offers(args: readonly string[], spelling: (key: string, tool: string) => string): Vendor['look'] {
  return async (client) => {
    await client.run(args);
    const offered = client.model.takeOffered();
    const seen = Object.entries(servers).filter(([key, { tool }]) => offered.includes(spelling(key, tool)));
    return Object.fromEntries(seen.map(([key]) => [key, 'offered']));
  };
}

/** Asks the server that editors speak to; `codex mcp list` starts nothing. */
async function asksCodex(client: VendorClient): Promise<Seen> {
  const said = await client.run(['app-server'], {
    lines: [
      { id: 1, method: 'initialize', params: { clientInfo: { name: 'test', title: 'Test', version: '1' } } },
      { method: 'initialized' },
      { id: 2, method: 'mcpServerStatus/list', params: {} },
    ],
    until: /^\{"id":2,.*\n/m,
  });
  const [answer = '{}'] = /^\{"id":2,.*$/m.exec(said) ?? [];
  const found: readonly { name: string; tools: object }[] = JSON.parse(answer).result.data;
  return Object.fromEntries(
    found.map(({ name, tools }) => [name, Object.keys(tools).length > 0 ? 'has tools' : 'has none']),
  );
}

function clineProviders(baseUrl: string): object {
  const provider = 'openai-compatible';
  const settings = { provider, apiKey: 'none', model: 'none', baseUrl };
  const entry = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' };
  return { version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: entry } };
}

function continueConfig(modelUrl: string): string {
  return `# What I work with
name: Mine
version: 1.0.0
schema: v1

models:
  - name: none
    provider: openai
    model: none
    apiBase: ${modelUrl}   # on this machine
    apiKey: none

mcpServers:
  # says hello
  - name:    greeter
    command: "${process.execPath}"
    args: [ ${JSON.stringify(programFile)}, start, ${JSON.stringify(servers.greeter.path)} ]
`;
}
