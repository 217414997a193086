import type { ServerContext } from '@modelcontextprotocol/server';
import { isRecord } from '../extension/shapes.js';
import { detailsOf, reportOnce } from '../items/calls.js';
import type { Context } from '../items/context.js';
import type { Lazy } from '../items/lazy.js';
import { CursorError, page, type Registry, type ServedKind, type SpecOf } from '../items/registry.js';
import type { ListHook } from '../items/specs.js';
import { type Limit, withTimeLimit } from '../items/time-limit.js';
import { type Connection, contextMaker, showsUi } from './context.js';
import type { Wire } from './requests/handler.js';
import type { ListRequest, Shown } from './requests/lists.js';

/** Longest time that a hook may take once it is loaded: lists wait for it. */
const hookTimeoutMs = 1000;

/** What the hook of a list picks; undefined if it failed, which is reported. @throws CursorError */
export async function pickedItems<K extends ServedKind>(
  kind: K,
  hook: Lazy<ListHook>,
  { connection, request, cursor }: ListRequest,
): Promise<Shown<SpecOf<K>> | undefined> {
  const { server } = connection.calls;
  const { registry } = server;
  const start = ownCursor(cursor);
  const { signal } = request.mcpReq;
  try {
    const pick = await hook();
    const view = registry.forHook(kind, { cursor: start, hidesAppTools: !showsUi(connection, request) });
    const contextOf = hookContext(connection, request);
    const picked = readPick(
      await withTimeLimit((limit) => pick(contextOf(limit), view), { timeoutMs: hookTimeoutMs, signal }),
    );
    const specs = specsOf(kind, picked.items, registry, (name) => {
      const what = `${server.qualifiedName}: the hook of its list of ${kind} gave what the server does not have; left out: `;
      reportOnce(connection.calls, what + name, what);
    });
    return { specs, page: pageOf(registry, picked.nextCursor, cursor) };
  } catch (error) {
    // Who goes on from a page of the hook's is not helped by a page of another list.
    if (start !== undefined) throw new CursorError('Invalid cursor');
    if (signal.aborted) return undefined;
    const what = `${server.qualifiedName}: the list of ${kind} is the usual one, since its hook failed: `;
    reportOnce(connection.calls, what + detailsOf(error), what);
    return undefined;
  }
}

/** A hook pages itself by saying what comes next; if it does not, what it gave is cut as other lists are. */
function pageOf(
  registry: Registry,
  next: string | undefined,
  cursor: string | undefined,
): Shown<unknown>['page'] {
  if (next !== undefined) return (entries) => ({ items: entries, nextCursor: cursorPrefix + next });
  if (ownCursor(cursor) !== undefined) return (entries) => ({ items: entries });
  return (entries) => page(entries, cursor, registry.pageSize);
}

/** Tells the cursors of hooks from those of lists that the engine cuts. */
const cursorPrefix = 'hook.';

function ownCursor(cursor: string | undefined): string | undefined {
  return cursor?.startsWith(cursorPrefix) ? cursor.slice(cursorPrefix.length) : undefined;
}

/**
 * On 2026-07-28 a list is the same whatever came before on a connection, and whoever is at its other end; it may go by
 * the authorization of the request (server/tools, Capabilities).
 */
function hookContext(connection: Connection, request: ServerContext): (limit: Limit) => Context {
  const makeContext = contextMaker(connection, request);
  if (connection.era === 'legacy') return makeContext;
  return (limit) => ({ ...makeContext(limit), ...nobodyInParticular });
}

const nobodyInParticular = {
  client: { name: undefined, version: undefined, capabilities: {} },
  can: () => false,
  ui: false,
  requestId: undefined,
} as const satisfies Partial<Context>;

interface Pick {
  readonly items: readonly unknown[];
  readonly nextCursor: string | undefined;
}

function readPick(picked: unknown): Pick {
  const { items, nextCursor } = isRecord(picked) ? picked : { items: picked, nextCursor: undefined };
  if (!Array.isArray(items)) throw new TypeError('it gave neither { items } nor a list of items');
  if (nextCursor !== undefined && typeof nextCursor !== 'string') {
    throw new TypeError(`its nextCursor is of type ${typeof nextCursor}, not a string`);
  }
  return { items, nextCursor };
}

/** The items that were picked, each once, in the order of the pick. */
function specsOf<K extends ServedKind>(
  kind: K,
  items: readonly unknown[],
  registry: Registry,
  onForeign: (name: string) => void,
): readonly SpecOf<K>[] {
  const byAddress = new Map<unknown, SpecOf<K>>(
    registry.all(kind).map((spec) => [addressOf(spec.name, spec.wire), spec]),
  );
  const specs = new Set<SpecOf<K>>();
  for (const item of items) {
    const { name, definition } = isRecord(item) && item.kind === kind ? item : {};
    const spec = byAddress.get(isRecord(definition) ? addressOf(name, definition) : name);
    if (spec) specs.add(spec);
    else onForeign(isRecord(item) ? String(item.name) : typeof item);
  }
  return [...specs];
}

/** Names of resources need not differ. */
function addressOf(name: unknown, { uri, uriTemplate }: Wire): unknown {
  return uri ?? uriTemplate ?? name;
}
