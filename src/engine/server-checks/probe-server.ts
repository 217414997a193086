import type { Transport } from '@modelcontextprotocol/client';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import { type RawAnswer, RawSession } from './raw-session.js';
import { type ListedItems, type ServedList, type ServedSurface, servedLists } from './served-surface.js';

/** Most items of one list that are read. */
const maxItems = 10_000;

/** An answer that is no result. The message completes a sentence about the server. */
class ProbeError extends Error {
  override readonly name = 'ProbeError';
}

interface EraProbe {
  readonly era: ServedSurface['era'];
  /** Opens the era. Returns the description of the server; undefined: it does not speak this era. */
  readonly open: (ask: Ask, session: RawSession) => Promise<JsonObject | undefined>;
  /** Fields of `_meta` in each request. */
  readonly meta: JsonObject;
}

type Ask = (method: string, params?: JsonObject) => Promise<RawAnswer>;

const client = { name: 'agenttools-validate', version: '1.0.0' };
const capabilities = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };

/** @see MCP 2025-11-25, basic/lifecycle, Initialization */
const legacy: EraProbe = {
  era: '2025-11-25',
  meta: {},
  async open(ask, session) {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: client };
    const answer = await ask('initialize', params);
    if ('error' in answer) return undefined;
    const { result } = answer;
    if (!isRecord(result) || typeof result.protocolVersion !== 'string')
      throw new ProbeError('answers initialize without a protocolVersion');
    session.version = result.protocolVersion;
    await session.notify('notifications/initialized');
    return result;
  },
};

/** @see MCP 2026-07-28, server/discover */
const modern: EraProbe = {
  era: '2026-07-28',
  meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} }, sampling: {} },
  },
  async open(ask, session) {
    session.version = '2026-07-28';
    const answer = await ask('server/discover');
    if ('error' in answer || !isRecord(answer.result)) return undefined;
    const { supportedVersions } = answer.result;
    const isSupported = Array.isArray(supportedVersions) && supportedVersions.includes('2026-07-28');
    return isSupported ? answer.result : undefined;
  },
};

export const eraProbes: readonly EraProbe[] = [legacy, modern];

/**
 * Asks a server over a transport for everything that a client of one era sees. Calls no tool that exists. Undefined: the
 * server does not speak the era.
 * @throws ProbeError, NoAnswerError; the error of the transport
 */
export async function probeServer(
  transport: Transport,
  { era, open, meta }: EraProbe,
  { timeoutMs, onReady }: { readonly timeoutMs: number; readonly onReady: () => void },
): Promise<ServedSurface | undefined> {
  const session = new RawSession(transport);
  const withMeta = (params: JsonObject) =>
    Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
  const ask: Ask = async (method, params = {}) => await session.request(method, withMeta(params), timeoutMs);
  await session.start();
  const described = await open(ask, session);
  if (!described) return undefined;
  onReady();
  const declared = isRecord(described.capabilities) ? described.capabilities : {};
  const lists = {} as Record<ServedList, ListedItems>;
  for (const [method, { key }] of Object.entries(servedLists))
    lists[method as ServedList] = await readList(ask, method, key);
  return {
    era,
    serverInfo: isRecord(described._meta) && era === '2026-07-28' ? infoIn(described) : described.serverInfo,
    instructions: described.instructions,
    capabilities: declared,
    lists,
    wrongErrors: await findWrongErrors(ask, { era, hasTools: declared.tools !== undefined }),
  };
}

/** 2026-07-28 sends serverInfo in `_meta`. */
function infoIn({ _meta, serverInfo }: JsonObject): unknown {
  return (_meta as JsonObject)['io.modelcontextprotocol/serverInfo'] ?? serverInfo;
}

async function readList(ask: Ask, method: string, key: string): Promise<ListedItems> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const answer = await ask(method, cursor === undefined ? {} : { cursor });
    if ('error' in answer) {
      const { code, message } = answer.error;
      return { items, fault: `is an error: ${String(message)} (${String(code)})`, isRefused: true };
    }
    const { result } = answer;
    const page = isRecord(result) ? result[key] : undefined;
    if (!isRecord(result) || !Array.isArray(page)) return { items, fault: `has no list "${key}"` };
    items.push(...(page as unknown[]));
    cursor = typeof result.nextCursor === 'string' ? result.nextCursor : undefined;
    if (cursor === undefined) return { items };
    if (cursors.has(cursor) || items.length > maxItems) return { items, isEndless: true };
    cursors.add(cursor);
  } while (cursor !== undefined);
  return { items };
}

/**
 * Sends wrong requests.
 * @see JSON-RPC 2.0, section 5.1; MCP 2025-11-25, server/tools, Error Handling
 */
async function findWrongErrors(
  ask: Ask,
  { era, hasTools }: { readonly era: ServedSurface['era']; readonly hasTools: boolean },
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const unknown = await ask('agenttools/no-such-method');
  if (codeOf(unknown) !== -32_601)
    wrong.push(`The answer to an unknown method is ${describe(unknown)}. Expected the error -32601.`);
  if (hasTools) {
    const call = await ask('tools/call', { name: 'agenttools-no-such-tool', arguments: {} });
    const isResultError = 'result' in call && isRecord(call.result) && call.result.isError === true;
    if (codeOf(call) !== -32_602 && !isResultError)
      wrong.push(`The answer to a call of an unknown tool is ${describe(call)}. Expected the error -32602.`);
  }
  if (era === '2025-11-25') {
    const pong = await ask('ping').catch((error: unknown) => ({ error: { message: errorMessage(error) } }));
    if (!('result' in pong)) wrong.push(`The answer to ping is ${describe(pong)}. Expected an empty result.`);
  }
  return wrong;
}

function codeOf(answer: RawAnswer): unknown {
  return 'error' in answer ? answer.error.code : undefined;
}

function describe(answer: RawAnswer): string {
  if ('result' in answer) return 'a result';
  const { code, message } = answer.error;
  return code === undefined ? `no answer (${String(message)})` : `the error ${String(code)}`;
}
