import { checkBudget, formatTokens } from '../compatibility/token-budget.js';
import { measureServer, type TokenCounter } from '../compatibility/token-cost.js';
import { ChildSession } from '../preflight/child-session.js';
import { appCapability } from '../preview/app-list.js';
import type { DevState } from '../preview/page-messages.js';
import { type HostPage, openHostPage } from '../preview/preview.js';
import type { PreparedServer } from '../serve/prepare-server.js';
import type { DevStatus } from './dev-session.js';
import { LocalTransport } from './local-transport.js';

export interface DevPageOptions {
  readonly served: PreparedServer;
  /** The server's name on the command line. */
  readonly reference: string;
  /** The built pages. */
  readonly pageFolder: string;
  /** Zero: any free port. */
  readonly port: number;
  readonly version: string;
  readonly status: () => DevStatus;
  readonly counter: TokenCounter;
  /** Output before the page was opened. */
  readonly text: string;
  /** Serves the current files. */
  readonly onRestart: () => void;
  readonly report: (line: string) => void;
}

/** Longest wait for the handshake and for lists, in milliseconds. */
const timeoutMs = 30_000;

/**
 * Serves a page with the items of a server in development. The page is one of its clients.
 * @throws AgentToolsError `failed` if the port is in use
 */
export async function openDevPage(options: DevPageOptions): Promise<HostPage> {
  const { served, reference, pageFolder, port, version, status, text, onRestart, report } = options;
  const page: HostPage = await openHostPage({
    reference,
    pageFolder,
    port,
    version,
    timeoutMs,
    text,
    listsAll: true,
    open: async (session) =>
      await ChildSession.over(new LocalTransport(served, report), {
        ...session,
        name: 'agenttools-dev',
        capabilities: { ...appCapability, elicitation: { form: {}, url: {} } },
        onQuestion: async (question, signal) => await page.ask(question, signal),
      }),
    choose: ({ apps: [app] }) => {
      const [tool] = app?.tools ?? [];
      return { app: app?.uri ?? '', call: false, ...(tool !== undefined && { tool }) };
    },
    onRestart,
    dev: () => describe(options, status()),
  });
  return page;
}

function describe(
  { served, counter }: DevPageOptions,
  { isBroken, diagnostics }: DevStatus,
): Omit<DevState, 'prompts' | 'resources'> {
  const { registry, configKey: key } = served.live.current;
  const { items } = registry.list('tools', { pageSize: Number.POSITIVE_INFINITY });
  const cost = measureServer({ key, tools: items.map(({ wire }) => wire) }, counter);
  return {
    isBroken,
    diagnostics: diagnostics.map(({ severity, file, line, column, message, code }) => ({
      severity,
      place: `${file}:${line}:${column}`,
      message,
      code,
    })),
    tokens: {
      text: `The tools need ${formatTokens(cost)} tokens of each request.`,
      faults: [...checkBudget(cost, {})].map(({ message }) => message),
    },
  };
}
