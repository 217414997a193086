import type { RemoteLaunch, WritableClient } from '../client.js';
import type { ConfigEntry } from '../edit/editor.js';

/** Form in which a client writes a remote server. */
export interface RemoteShape {
  readonly transports: readonly RemoteLaunch['transport'][];
  /** Field for headers. */
  readonly headers: string;
  /** Entry without headers. */
  readonly entry: (remote: RemoteLaunch, key: string) => ConfigEntry;
  /** Field for headers from variables, as header to variable. Absent: references are among the other headers. */
  readonly headersFromEnv?: string;
  /** True if the client fills references to variables in headers. */
  readonly fillsHeaders: boolean;
}

const both = ['http', 'sse'] as const;

/** `url`; the client finds out the transport. */
const plainUrl: RemoteShape = {
  transports: both,
  headers: 'headers',
  entry: ({ url }) => ({ url }),
  fillsHeaders: false,
};

/** `type` and `url`. */
const typed: RemoteShape = { ...plainUrl, entry: ({ transport, url }) => ({ type: transport, url }) };

const serverUrl: RemoteShape = { ...plainUrl, entry: ({ url }) => ({ serverUrl: url }) };

const filled = { fillsHeaders: true } as const;

/** `type: "remote"` of OpenCode and its fork. */
const openCodeRemote: RemoteShape = {
  ...plainUrl,
  ...filled,
  entry: ({ url }) => ({ type: 'remote', url, enabled: true }),
};

/** The field names the transport. @see https://geminicli.com/docs/tools/mcp-server */
const geminiRemote: RemoteShape = {
  ...plainUrl,
  ...filled,
  entry: ({ transport, url }) => (transport === 'sse' ? { url } : { httpUrl: url }),
};

/**
 * Remote servers by client id. A client that is not listed has no documented way to write one.
 * @see add-mcp 2.4.0 (dist, `agents`), https://code.visualstudio.com/docs/agents/reference/mcp-configuration,
 * https://code.claude.com/docs/en/mcp, https://developers.openai.com/codex/mcp, https://docs.continue.dev/customize/deep-dives/mcp
 */
const shapes: Readonly<Record<string, RemoteShape>> = {
  antigravity: serverUrl,
  windsurf: serverUrl,
  'claude-code': { ...typed, ...filled },
  cline: {
    ...plainUrl,
    entry: ({ transport, url }) => ({ type: transport === 'sse' ? 'sse' : 'streamableHttp', url }),
  },
  'roo-code': {
    ...plainUrl,
    ...filled,
    entry: ({ transport, url }) => ({ type: transport === 'sse' ? 'sse' : 'streamable-http', url }),
  },
  codex: { ...plainUrl, transports: ['http'], headers: 'http_headers', headersFromEnv: 'env_http_headers' },
  continue: {
    ...plainUrl,
    // Headers are options of requests.
    headers: 'requestOptions',
    entry: ({ transport, url }, key) => ({
      name: key,
      type: transport === 'sse' ? 'sse' : 'streamable-http',
      url,
    }),
  },
  'copilot-cli': {
    ...typed,
    ...filled,
    entry: ({ transport, url }) => ({ type: transport, url, tools: ['*'] }),
  },
  crush: { ...typed, ...filled },
  cursor: { ...plainUrl, ...filled },
  'gemini-cli': geminiRemote,
  'qwen-code': geminiRemote,
  goose: {
    ...plainUrl,
    entry: ({ transport, url }, key) => ({
      name: key,
      description: '',
      type: transport === 'sse' ? 'sse' : 'streamable_http',
      enabled: true,
      uri: url,
      timeout: 300,
    }),
  },
  'grok-build': plainUrl,
  opencode: openCodeRemote,
  'kilo-code': openCodeRemote,
  'kimi-code': { ...plainUrl, entry: ({ transport, url }) => ({ transport, url }) },
  kiro: { ...plainUrl, ...filled },
  pi: plainUrl,
  vscode: { ...typed, ...filled },
  'vscode-insiders': { ...typed, ...filled },
  'visual-studio': typed,
  zed: plainUrl,
  'lm-studio': plainUrl,
  amp: { ...plainUrl, ...filled },
  warp: plainUrl,
  droid: { ...typed, ...filled },
};

/** The form in which a client writes remote servers; undefined if it has none. */
export function remoteShapeOf({ id }: Pick<WritableClient, 'id'>): RemoteShape | undefined {
  return Object.hasOwn(shapes, id) ? shapes[id] : undefined;
}
