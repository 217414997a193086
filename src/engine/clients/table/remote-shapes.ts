import type { WritableClient } from '../client.js';
import { bangText, hereDocumentText } from '../entry-shapes.js';
import { fillHeaders, nameVariables } from '../header-references.js';
import { type RemoteForm, type RemoteShape, remoteShape } from '../remote-shapes.js';
import {
  askUser,
  braceReference,
  continueSecret,
  envBraceReference,
  envInBraces,
  filledGooseKeys,
} from './secret-references.js';

/** Remote entries of a client, and the source of their form. */
interface RemoteRow {
  readonly form: RemoteForm;
  readonly source: string;
  /** Source that the client signs in to servers by OAuth, and registers itself; undefined: not known to do so. */
  readonly signIn?: string;
}

const addMcp = 'npm add-mcp 2.4.0';
const githubGuides =
  'https://github.com/github/github-mcp-server docs/installation-guides (64a49f34, 2026-08-20)';
const wolframResearch =
  'https://github.com/WolframResearch/AgentTools client-research (3ea113a3, 2026-08-21)';
const vscodeReference = 'https://code.visualstudio.com/docs/agents/reference/mcp-configuration (2026-05-28)';
const vscodeSignIn =
  'https://github.com/microsoft/vscode-docs/pull/9798 (OAuth), https://github.com/microsoft/vscode/issues/257415 (registration)';

const httpOnly = { transports: ['http'] } as const;

/** The transport in `type`, as `http` or `sse`. */
const typed = { named: { field: 'type', http: 'http', sse: 'sse' } } as const;

/** `${NAME}` in headers. */
const filled = { headerReference: fillHeaders(braceReference) } as const;

/** `${env:NAME}` in headers. */
const filledEnv = { headerReference: fillHeaders(envBraceReference) } as const;

/** `${input:id}` in headers. */
const asked = { headerReference: fillHeaders(askUser) } as const;

/** The field for the address names the transport. */
const gemini: RemoteForm = { url: { http: 'httpUrl', sse: 'url' }, ...filled };

/** The client finds out the transport, and fills `{env:NAME}` in its whole file. `enabled` is true by default. */
const openCode: RemoteForm = {
  before: { type: 'remote' },
  headerReference: fillHeaders(envInBraces),
};

/**
 * Remote entries by client id. A client without a row has no known form: Claude Desktop (add-mcp 2.4.0: "only
 * supports local (stdio) servers via its config file"), Witsy, BoltAI and Raycast, which document none.
 */
const rows: Readonly<Record<string, RemoteRow>> = {
  'lm-studio': { form: httpOnly, source: 'https://lmstudio.ai/docs/app/mcp' },
  // The transport SSE is only read, for old files.
  goose: {
    form: {
      ...httpOnly,
      keyed: true,
      before: { description: '', type: 'streamable_http', enabled: true },
      url: 'uri',
      after: { timeout: 300 },
      headerReference: fillHeaders(filledGooseKeys),
    },
    source: `https://github.com/aaif-goose/goose crates/goose/src/agents/extension.rs, extension_manager.rs; ${addMcp}`,
  },
  'claude-code': {
    form: { ...typed, ...filled },
    source: 'https://code.claude.com/docs/en/mcp',
    signIn: 'https://code.claude.com/docs/en/mcp#authenticate-with-remote-mcp-servers',
  },
  codex: {
    form: {
      ...httpOnly,
      headers: ['http_headers'],
      headerReference: nameVariables({ headers: 'env_http_headers', bearer: 'bearer_token_env_var' }),
    },
    source: 'https://developers.openai.com/codex/mcp; https://github.com/openai/codex/pull/5676',
    signIn: 'https://developers.openai.com/docs/extend/mcp, OAuth by metadata documents and registration',
  },
  'gemini-cli': {
    form: gemini,
    source: 'https://geminicli.com/docs/tools/mcp-server',
    signIn:
      'https://github.com/google-gemini/gemini-cli docs/tools/mcp-server.md, OAuth support for remote MCP servers',
  },
  'qwen-code': {
    form: gemini,
    source: 'https://github.com/QwenLM/qwen-code docs/users/features/mcp.md',
  },
  'copilot-cli': {
    form: { ...typed, after: { tools: ['*'] } },
    source: `${addMcp}; https://github.com/github/copilot-cli/issues/903: references in "env" only`,
  },
  opencode: {
    form: openCode,
    source: 'https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/config',
    signIn: 'https://github.com/anomalyco/opencode/pull/5014',
  },
  'kilo-code': {
    form: openCode,
    source: `${addMcp}; https://github.com/Kilo-Org/kilocode packages/opencode/src/config/variable.ts`,
  },
  crush: {
    form: { ...typed, escapes: { url: hereDocumentText, header: hereDocumentText }, ...filled },
    source:
      'https://github.com/charmbracelet/crush internal/config/config.go: MCPConfig, ResolvedURL, ResolvedHeaders (37f36e93, 2026-08-21)',
  },
  amp: { form: {}, source: `${wolframResearch}: amp.md, from the manual` },
  auggie: { form: typed, source: "the vendor's own command line was run, 0.36.0" },
  cline: {
    form: { named: { field: 'type', http: 'streamableHttp', sse: 'sse' }, ...filledEnv },
    source:
      'https://github.com/cline/cline src/services/mcp/schemas.ts, envExpansion.ts (21cb8d25, 2026-08-22)',
  },
  'roo-code': {
    form: { named: { field: 'type', http: 'streamable-http', sse: 'sse' }, ...filledEnv },
    source:
      'https://github.com/RooCodeInc/Roo-Code src/services/mcp/McpHub.ts, src/utils/config.ts (cb836567, 2026-04-14)',
  },
  'kimi-code': {
    form: {
      named: { field: 'transport', http: 'http', sse: 'sse' },
      headerReference: nameVariables({ bearer: 'bearerTokenEnvVar' }),
    },
    source: 'https://github.com/MoonshotAI/kimi-code docs/en/customization/mcp.md (d723cc47, 2026-08-22)',
  },
  'amazon-q': {
    form: { ...httpOnly, ...typed },
    source: 'https://aws.amazon.com/about-aws/whats-new/2025/09/amazon-q-developer-remote-mcp-servers',
  },
  droid: {
    form: { ...typed, ...filled },
    source: 'https://github.com/Factory-AI/factory docs/cli/configuration/mcp.mdx (a80aa7c5, 2026-07-24)',
  },
  'grok-build': { form: filled, source: `${addMcp}; https://docs.x.ai/build/features/mcp-servers` },
  pi: {
    form: { escapes: { header: bangText }, ...filled },
    source: 'https://github.com/nicobailon/pi-mcp-adapter README.md, "Server options" (4755775, 2026-08-22)',
  },
  mcporter: {
    form: { url: 'baseUrl', ...filled },
    source:
      'https://github.com/openclaw/mcporter docs/config.md, src/config-normalize.ts (ae3d900, 2026-08-21)',
  },
  mastracode: { form: filled, source: 'npm @mastra/code-sdk 1.0.1, dist/mcp/config.js' },
  fx: {
    form: {
      ...typed,
      after: { enabled: true },
      headerReference: nameVariables({
        headers: 'header_env',
        bearer: 'bearer_token_env',
        except: /^authorization$/i,
      }),
      refusedHeaders: /^authorization$/i,
    },
    source: 'https://github.com/vercel-labs/fx src/builtins/mcp.zig (4a8f765, 2026-08-22)',
  },
  'devin-cli': {
    form: { named: { field: 'transport', sse: 'sse' } },
    source: 'https://docs.devin.ai/cli/extensibility/mcp/configuration',
  },
  warp: {
    form: {},
    source:
      'https://github.com/warpdotdev/warp crates/cloud_object_models/src/mcp.rs: JSONTransportType (19548aec6, 2026-08-22)',
  },
  continue: {
    form: {
      keyed: true,
      named: { field: 'type', http: 'streamable-http', sse: 'sse' },
      headers: ['requestOptions', 'headers'],
      headerReference: fillHeaders(continueSecret),
    },
    source:
      'https://github.com/continuedev/continue packages/config-yaml/src/schemas/mcp (d0a3c0b6, 2026-06-18)',
  },
  vscode: { form: { ...typed, ...asked }, source: vscodeReference, signIn: vscodeSignIn },
  'vscode-insiders': { form: { ...typed, ...asked }, source: vscodeReference, signIn: vscodeSignIn },
  cursor: { form: filledEnv, source: 'https://cursor.com/docs/mcp', signIn: 'https://cursor.com/docs/mcp' },
  windsurf: {
    form: { url: 'serverUrl', ...filledEnv },
    source: `https://docs.windsurf.com/windsurf/cascade/mcp; ${githubGuides}`,
  },
  zed: {
    form: httpOnly,
    source: `https://github.com/zed-industries/zed ContextServerSettingsContent::Http; ${githubGuides}`,
  },
  kiro: { form: filled, source: `https://kiro.dev/docs/mcp/configuration; ${addMcp}` },
  junie: { form: httpOnly, source: `${wolframResearch}: junie.md, JUNIE-461` },
  antigravity: { form: { url: 'serverUrl' }, source: `${githubGuides}; ${addMcp}` },
  'augment-vscode': {
    form: { keyed: true, ...typed },
    source: `${wolframResearch}: augment-code.md, the extension's schema`,
  },
  'visual-studio': {
    form: typed,
    source: 'https://learn.microsoft.com/visualstudio/ide/mcp-servers',
  },
  'github-copilot-jetbrains': {
    form: { ...httpOnly, headers: ['requestInit', 'headers'] },
    source: `${githubGuides}: install-other-copilot-ides.md`,
  },
  trae: {
    form: {},
    source: 'https://www.volcengine.com/docs/86677/2137601 (stdio, SSE and Streamable HTTP)',
  },
};

const shapes = new Map(Object.entries(rows).map(([id, { form }]) => [id, remoteShape(form)]));

/** The form in which a client writes remote servers; undefined if it has none. */
export function remoteShapeOf({ id }: Pick<WritableClient, 'id'>): RemoteShape | undefined {
  return shapes.get(id);
}

/** True if a client signs in to remote servers by itself. */
export function signsInByItself({ id }: Pick<WritableClient, 'id'>): boolean {
  return rows[id]?.signIn !== undefined;
}

/** Source of the form of a client's remote entries. */
export function remoteSourceOf({ id }: Pick<WritableClient, 'id'>): string | undefined {
  return rows[id]?.source;
}
