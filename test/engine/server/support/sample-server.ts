import { type ServerContext as Context, ProtocolError, Server } from '@modelcontextprotocol/server';

import type { Era } from '../../../../src/engine/server/protocol/eras.js';

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

/** The smallest server with something slow, something chatty and something that asks. */
export function makeSampleServer(era: Era, { made, aborted }: Sightings): Server {
  made.push(era);
  const server = new Server(
    { name: 'sample', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: {},
        resources: { subscribe: true },
        logging: {},
        completions: {},
      },
    },
  );

  const tools: Record<string, Handler> = {
    echo: async (args) => text(JSON.stringify(args)),
    slow: async (args, ctx) => {
      ctx.mcpReq.signal.addEventListener('abort', () => aborted.push(ctx.mcpReq.id));
      await sleep(Number(args.ms ?? 50));
      return text('slow');
    },
    progress: async (args, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken ?? 0;
      const tick = (progress: number) =>
        ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
      for (let step = 1; step <= Number(args.steps ?? 3); step += 1) {
        await tick(step);
        await sleep(10);
      }
      setTimeout(() => void tick(99), 20);
      return text('progress');
    },
    log: async (args, ctx) => {
      for (let step = 1; step <= Number(args.steps ?? 3); step += 1) {
        await ctx.mcpReq.log('info', `step ${step}`);
        await sleep(10);
      }
      return text('log');
    },
    ask: async (_args, ctx) => {
      await sleep(20);
      const answer = await ctx.mcpReq.send({
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        },
      });
      return text(JSON.stringify(answer));
    },
    change: async () => {
      await server.sendToolListChanged();
      return text('changed');
    },
    big: async (args) => text('x'.repeat(Number(args.size))),
    surrogate: async () => text('\ud800 alone'),
    unwritable: async () => ({ content: [], structuredContent: { big: 1n } }),
    unwritableMessages: async (_args, ctx) => {
      const params = { big: 1n } as never;
      const method = 'notifications/message';
      const told = await ctx.mcpReq.notify({ method, params }).catch(() => 'told nothing');
      const asked = await ctx.mcpReq.send({ method: 'roots/list', params }).catch(() => 'asked nothing');
      return text(`${told}, ${asked}`);
    },
    malformed: async () => ({ content: [{ type: 'nonsense' }] }),
  };

  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }));
  server.setRequestHandler('tools/call', (async (
    request: { params: { name: string; arguments?: Record<string, unknown> } },
    ctx: Context,
  ) => {
    const tool = tools[request.params.name];
    if (tool === undefined) throw new ProtocolError(-32602, `Unknown tool: ${request.params.name}`);
    return tool(request.params.arguments ?? {}, ctx);
  }) as never);
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  server.setRequestHandler('prompts/get', () => ({ messages: [] }));
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/read', ({ params }) => {
    throw new ProtocolError(-32602, 'Resource not found', { uri: params.uri });
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }));
  return server;
}
