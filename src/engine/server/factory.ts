import {
  type Implementation,
  ProtocolError,
  type Result,
  type CacheHint as SdkCacheHint,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Calls } from '../items/calls.js';
import type { CacheHint } from '../items/specs.js';
import type { Connection } from './context.js';
import { complete } from './requests/completion.js';
import { toProtocolError } from './requests/errors.js';
import type { Handler, Wire } from './requests/handler.js';
import { listKind } from './requests/lists.js';
import { get } from './requests/prompts.js';
import { listResources, listTemplates, read } from './requests/resources.js';
import { call } from './requests/tools.js';
import { type Era, legacyVersions, logLevels } from './stdio/eras.js';

/** Who answers which method, and the capability that offers it. */
const methods: Readonly<
  Record<string, { readonly capability: keyof ServerCapabilities; readonly handler: Handler }>
> = {
  'tools/list': { capability: 'tools', handler: listKind('tools') },
  'tools/call': { capability: 'tools', handler: call },
  'prompts/list': { capability: 'prompts', handler: listKind('prompts') },
  'prompts/get': { capability: 'prompts', handler: get },
  'resources/list': { capability: 'resources', handler: listResources },
  'resources/templates/list': { capability: 'resources', handler: listTemplates },
  'resources/read': { capability: 'resources', handler: read },
  'completion/complete': { capability: 'completions', handler: complete },
  'logging/setLevel': { capability: 'logging', handler: setLogLevel },
};

/**
 * The method that speed is felt in. A handler that the SDK knows gets its params read twice and its result once more;
 * the front has checked the ones and `callTool` the other, so the SDK is not told of this handler.
 */
const hotMethod = 'tools/call';

/** What every connection of one served server shares. */
export interface Served {
  readonly calls: Calls;
  readonly toolOptions: Connection['toolOptions'];
}

/** Makes the SDK server that speaks for a composed server in one era. */
export function createServer({ calls, toolOptions }: Served, era: Era): Server {
  const { info, instructions, cache } = calls.server;
  const offered = capabilitiesOf(calls);
  const server = new Server(info as Implementation, {
    capabilities: offered,
    ...(instructions !== undefined && { instructions }),
    ...(cache && { cacheHints: listHints(cache) }),
    supportedProtocolVersions: [...legacyVersions],
  });
  const connection: Connection = { era, server, calls, toolOptions, logLevel: 'info' };
  for (const [method, { capability, handler }] of Object.entries(methods)) {
    if (!(capability in offered) || method === hotMethod) continue;
    server.setRequestHandler(
      method as 'tools/list',
      ({ params }, request) => answer(handler, connection, params, request) as never,
    );
  }
  // A list of a kind that this server does not have is empty, not unknown; the SDK ties handlers to capabilities.
  server.fallbackRequestHandler = async ({ method, params }, request) => {
    const row = Object.hasOwn(methods, method) ? methods[method] : undefined;
    const isAnswered = method === hotMethod ? 'tools' in offered : method.endsWith('/list');
    if (!row || !isAnswered) throw new ProtocolError(-32601, 'Method not found');
    return (await answer(row.handler, connection, params, request)) as Result;
  };
  return server;
}

async function answer(
  handler: Handler,
  connection: Connection,
  params: Wire | undefined,
  request: ServerContext,
): Promise<Wire> {
  try {
    return await handler(connection, params ?? {}, request);
  } catch (error) {
    throw toProtocolError(error);
  }
}

/** `logging/setLevel`; an unknown level does not come this far. */
function setLogLevel(connection: Connection, { level }: Wire): Wire {
  connection.logLevel = logLevels.find((known) => known === level) ?? connection.logLevel;
  return {};
}

/** Capabilities by what there is, never more. */
function capabilitiesOf({ server: { registry } }: Calls): ServerCapabilities {
  const completes = [...registry.all('prompts'), ...registry.all('resources')].some(
    ({ complete }) => complete.size > 0,
  );
  return {
    ...(registry.all('tools').length > 0 && { tools: {} }),
    ...(registry.all('prompts').length > 0 && { prompts: {} }),
    ...(registry.all('resources').length > 0 && { resources: {} }),
    ...(completes && { completions: {} }),
    logging: {},
  };
}

function listHints({ ttlMs, scope }: CacheHint) {
  const hint: SdkCacheHint = { ttlMs, cacheScope: scope };
  return {
    'tools/list': hint,
    'prompts/list': hint,
    'resources/list': hint,
    'resources/templates/list': hint,
    'server/discover': hint,
  };
}
