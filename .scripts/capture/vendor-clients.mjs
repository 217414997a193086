// The programs that are captured, by the ids of their clients: pinned package, program, names of tools, and a run against a
// stand-in for the model API. `write` writes a file of the home folder and returns its path. `isComplete`: the request waits for all
// servers.
const toml = (servers, isComplete) =>
  Object.entries(servers)
    .map(
      ([key, { command, args }]) =>
        `[mcp_servers.${key}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n${isComplete ? 'required = true\nstartup_timeout_sec = 60\n' : ''}`,
    )
    .join('');

const withKeys = (servers, more) =>
  Object.fromEntries(Object.entries(servers).map(([key, server]) => [key, more(server)]));

export const vendorClients = {
  'claude-code': {
    package: '@anthropic-ai/claude-code',
    version: '2.1.330',
    program: 'claude',
    nameOf: (key, name) => `mcp__${key}__${name}`,
    run: ({ api, servers, write }) => ({
      args: ['-p', 'hi', '--strict-mcp-config', '--mcp-config', write('mcp.json', { mcpServers: servers })],
      env: {
        ANTHROPIC_BASE_URL: api,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // The request has all tools, after all servers have started.
        ENABLE_TOOL_SEARCH: 'false',
        MCP_CONNECTION_NONBLOCKING: '0',
      },
    }),
  },
  codex: {
    package: '@openai/codex',
    version: '0.169.0',
    program: 'codex',
    nameOf: (key, name) => `mcp__${key}/${name}`,
    run({ api, servers, write, isComplete }) {
      const provider = `name = "capture"\nbase_url = "${api}/v1"\nenv_key = "CAPTURE_KEY"\nwire_api = "responses"`;
      write(
        '.codex/config.toml',
        `model = "gpt-5.2"\nmodel_provider = "capture"\n[analytics]\nenabled = false\n[model_providers.capture]\n${provider}\n${toml(servers, isComplete)}`,
      );
      return { args: ['exec', '--skip-git-repo-check', 'hi'], env: { CAPTURE_KEY: 'none' } };
    },
  },
  'gemini-cli': {
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'gemini',
    nameOf: (key, name) => `mcp_${key}_${name}`,
    run({ api, servers, write }) {
      write('.gemini/settings.json', {
        mcpServers: servers,
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      });
      // Without "yolo", a run without a user has no tools that need permission.
      const args = ['-p', 'hi', '-m', 'gemini-2.5-pro', '--skip-trust', '--approval-mode', 'yolo'];
      return { args, env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: api } };
    },
  },
  'qwen-code': {
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    program: 'qwen',
    nameOf: (key, name) => `mcp__${key}__${name}`,
    run({ api, servers, write }) {
      write('.qwen/settings.json', {
        // The request has all tools.
        tools: { toolSearch: { enabled: false } },
        mcpServers: servers,
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      });
      const env = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${api}/v1`, OPENAI_MODEL: 'capture' };
      return { args: ['-p', 'hi', '-m', 'capture'], env };
    },
  },
  'copilot-cli': {
    package: '@github/copilot',
    version: '1.0.102',
    program: 'copilot',
    nameOf: (key, name) => `${key}-${name}`,
    run({ api, servers, write }) {
      const local = (server) => ({ type: 'local', tools: ['*'], ...server });
      write('.copilot/mcp-config.json', { mcpServers: withKeys(servers, local) });
      return {
        args: ['-p', 'hi', '--allow-all-tools', '--no-auto-update', '--disable-builtin-mcps'],
        env: {
          COPILOT_PROVIDER_BASE_URL: `${api}/v1`,
          COPILOT_PROVIDER_API_KEY: 'none',
          COPILOT_MODEL: 'capture',
          COPILOT_OFFLINE: 'true',
        },
      };
    },
  },
  opencode: {
    package: 'opencode-ai',
    version: '1.18.33',
    program: 'opencode',
    nameOf: (key, name) => `${key}_${name}`,
    run({ api, servers, write }) {
      const models = { capture: { name: 'capture', tool_call: true } };
      const options = { baseURL: `${api}/v1`, apiKey: 'none' };
      write('.config/opencode/opencode.json', {
        autoupdate: false,
        share: 'disabled',
        provider: { capture: { npm: '@ai-sdk/openai-compatible', name: 'capture', options, models } },
        model: 'capture/capture',
        small_model: 'capture/capture',
        mcp: withKeys(servers, ({ command, args }) => ({ type: 'local', command: [command, ...args] })),
      });
      const env = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' };
      return { args: ['run', 'hi'], env };
    },
  },
};
