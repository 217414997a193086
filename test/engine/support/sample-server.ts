import { Dispatcher, type RequestHandler } from '../../../src/engine/protocol/dispatcher.js';
import type { Era } from '../../../src/engine/protocol/eras.js';
import type { RequestContext as Context } from '../../../src/engine/protocol/request.js';
import { ProtocolError } from '../../../src/engine/runtime/result-builders.js';

/** What the sample server saw, for a test to look at. */
export interface Sightings {
  /** Eras a server was made for, in order. */
  readonly made: Era[];
  /** Ids of calls whose signal aborted. */
  readonly aborted: unknown[];
}

type Handler = (args: Readonly<Record<string, unknown>>, ctx: Context) => Promise<Record<string, unknown>>;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

const capabilities = {
  tools: { listChanged: true },
  prompts: {},
  resources: { subscribe: true },
  logging: {},
  completions: {},
};

/** The smallest server with something slow, something chatty and something that asks. */
export function makeSampleServer(
  era: Era,
  { made, aborted }: Sightings,
  report: (line: string) => void = () => {},
): Dispatcher {
  made.push(era);
  const tools: Record<string, Handler> = {
    echo: async (args) => text(JSON.stringify(args)),
    slow: async (args, ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.push(ctx.id));
      await sleep(Number(args.ms ?? 50));
      return text('slow');
    },
    progress: async (args, ctx) => {
      const progressToken = ctx.meta?.progressToken ?? 0;
      const tick = (progress: number) =>
        ctx.notify({ method: 'notifications/progress', params: { progressToken, progress } });
      for (let step = 1; step <= Number(args.steps ?? 3); step += 1) {
        await tick(step);
        await sleep(10);
      }
      setTimeout(() => void tick(99), 20);
      return text('progress');
    },
    log: async (args, ctx) => {
      for (let step = 1; step <= Number(args.steps ?? 3); step += 1) {
        await ctx.notify({
          method: 'notifications/message',
          params: { level: 'info', data: `step ${step}` },
        });
        await sleep(10);
      }
      return text('log');
    },
    ask: async (_args, ctx) => {
      await sleep(20);
      const params = {
        mode: 'form',
        message: 'Name?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      };
      const limits = { signal: ctx.signal, timeoutMs: 60_000 };
      const answer = await ctx.ask({ method: 'elicitation/create', params }, limits);
      return text(JSON.stringify(answer));
    },
    change: async () => {
      server.notifyChange({ kind: 'tools_list_changed' });
      return text('changed');
    },
    big: async (args) => text('x'.repeat(Number(args.size))),
    surrogate: async () => text('\ud800 alone'),
    unwritable: async () => ({ content: [], structuredContent: { big: 1n } }),
    unwritableMessages: async (_args, ctx) => {
      const params = { big: 1n } as never;
      const method = 'notifications/message';
      const told = await ctx.notify({ method, params }).catch(() => 'told nothing');
      const limits = { signal: ctx.signal, timeoutMs: 60_000 };
      const asked = await ctx.ask({ method: 'roots/list', params }, limits).catch(() => 'asked nothing');
      return text(`${told}, ${asked}`);
    },
  };

  const handlers: Readonly<Record<string, RequestHandler>> = {
    'tools/list': () => ({
      tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
    }),
    'tools/call': async ({ name, arguments: args = {} }, ctx) => {
      const tool = tools[String(name)];
      if (tool === undefined) throw new ProtocolError(-32602, `Unknown tool: ${name}`);
      return await tool(args as Readonly<Record<string, unknown>>, ctx);
    },
    'logging/setLevel': () => ({}),
    'prompts/list': () => ({ prompts: [] }),
    'prompts/get': () => ({ messages: [] }),
    'resources/list': () => ({ resources: [] }),
    'resources/read': ({ uri }) => {
      throw new ProtocolError(-32602, 'Resource not found', { uri });
    },
    'completion/complete': () => ({ completion: { values: [] } }),
  };
  const server = new Dispatcher({
    era,
    info: { name: 'sample', version: '1.0.0' },
    capabilities: () => capabilities,
    handlerOf: (method) => (Object.hasOwn(handlers, method) ? handlers[method] : undefined),
    isSubscribable: () => true,
    report,
  });
  return server;
}
