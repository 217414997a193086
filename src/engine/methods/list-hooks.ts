import { isRecord } from '../base/value-checks.js';
import { shortenText } from '../base/visible-text.js';
import { contextMaker, showsUi } from '../interaction/handler-context.js';
import { hookFailed, unknownPicked } from '../live/list-faults.js';
import type { WireObject } from '../protocol/envelope.js';
import { watched } from '../runtime/hook-watch.js';
import type { Lazy } from '../runtime/lazy-function.js';
import { CursorError, page } from '../runtime/paging.js';
import type { Registry } from '../runtime/registry.js';
import type { ServedKind, SpecOf } from '../runtime/served-kind.js';
import { errorDetails, type MakeContext, reportOnce } from '../runtime/server-runtime.js';
import type { ListHook } from '../runtime/specs.js';
import { type CallDeadline, withTimeLimit } from '../runtime/time-limit.js';
import { requirePlain } from '../runtime/tool-result.js';
import type { ListRequest, SelectedListItems } from './list-request.js';

/** Longest run of a hook after it is loaded, in milliseconds. The list waits for it. */
const hookTimeoutMs = 1000;

/** Prefix of cursors that a hook returned. Other cursors come from `runtime/paging.ts`. */
const cursorPrefix = 'hook.';

/**
 * Returns the items that the list hook picks; undefined if the hook failed, which is reported. A hook that returns
 * `nextCursor` pages its list itself. Otherwise the list is paged like any other.
 * @throws CursorError
 */
export async function pickedItems<K extends ServedKind>(
  kind: K,
  hook: Lazy<ListHook>,
  asked: ListRequest,
): Promise<SelectedListItems<SpecOf<K>> | undefined> {
  const { cursor, connection } = asked;
  const start = cursor?.startsWith(cursorPrefix) ? cursor.slice(cursorPrefix.length) : undefined;
  const picked = await runHook(kind, hook, { ...asked, start });
  // A cursor of the hook has no meaning for any other list.
  if (start !== undefined && !picked?.wentOn) throw new CursorError('Invalid cursor');
  if (!picked) return undefined;
  const { specs, nextCursor: next } = picked;
  if (start === undefined && next === undefined) {
    return { specs, page: (entries) => page(entries, cursor, connection.calls.server.registry.pageSize) };
  }
  if (start === undefined && cursor !== undefined) throw new CursorError('Invalid cursor');
  const nextCursor = next === undefined ? {} : { nextCursor: cursorPrefix + next };
  return { specs, page: (items) => ({ items, ...nextCursor }) };
}

interface SelectedPage<S> {
  readonly specs: readonly S[];
  readonly nextCursor: string | undefined;
  /** True if the hook read the cursor. */
  readonly wentOn: boolean;
}

async function runHook<K extends ServedKind>(
  kind: K,
  hook: Lazy<ListHook>,
  { connection, request, start }: ListRequest & { readonly start: string | undefined },
): Promise<SelectedPage<SpecOf<K>> | undefined> {
  const { calls } = connection;
  const { registry, qualifiedName } = calls.server;
  const { signal } = request;
  let wentOn = false;
  const view = registry.forHook(kind, {
    hidesAppTools: !showsUi(connection, request),
    start: () => {
      wentOn = true;
      return start;
    },
  });
  try {
    const pick = await hook();
    const makeContext = contextMaker(connection, request);
    const contextOf = connection.era === 'modern' ? impartial(makeContext) : makeContext;
    // Hooks decide the visible items. Their registry ignores hooks, and they cannot call tools that would run hooks.
    const own = { registry: registry.forHandlers, callTool: refuseCall };
    const work = (limit: CallDeadline) => pick({ ...contextOf(limit), ...own }, view);
    const watch = { hook: `list of ${kind}`, limitMs: hookTimeoutMs };
    const returned = await watched(
      connection.hooks,
      watch,
      async () => await withTimeLimit(work, { timeoutMs: hookTimeoutMs, signal }),
    );
    const picked = readPick(returned);
    const { specs, foreign } = resolvePicks(kind, picked.items, registry);
    if (foreign.length > 0) {
      const left = unknownPicked(qualifiedName, kind);
      const named = foreign.slice(0, maxNamed).map((name) => shortenText(name, maxNameLength));
      const rest = foreign.length - named.length;
      const more = rest > 0 ? `, and ${rest} more` : '';
      reportOnce(calls, `${left}${named.join(', ')}${more}. ${expectedHookResult[kind]}`, left);
    }
    return { specs, nextCursor: picked.nextCursor, wentOn };
  } catch (error) {
    if (signal.aborted) return undefined;
    const failed = hookFailed(qualifiedName, kind);
    reportOnce(calls, failed + errorDetails(error), failed);
    return undefined;
  }
}

/**
 * Hides the client from hooks. On 2026-07-28 a list must not depend on the client or on earlier requests of the
 * connection. It may depend on the authorization of the request (server/tools, Capabilities).
 */
function impartial(makeContext: MakeContext): MakeContext {
  const nobody = { name: undefined, version: undefined, capabilities: {} };
  const unknown = { client: nobody, can: () => false, ui: false, requestId: undefined };
  return (limit) => ({ ...makeContext(limit), ...unknown });
}

async function refuseCall(name: string): Promise<never> {
  throw new Error(`The hook of a list called the tool "${name}". Hooks only pick what is listed.`);
}

/** Return value of a hook, before its items are looked up. */
interface HookSelection {
  readonly items: readonly unknown[];
  readonly nextCursor: string | undefined;
}

function readPick(returned: unknown): HookSelection {
  const picked = requirePlain(returned);
  const { items, nextCursor } = isRecord(picked) ? picked : { items: picked, nextCursor: undefined };
  if (!Array.isArray(items)) throw new TypeError('it gave neither { items } nor a list of items');
  if (nextCursor !== undefined && typeof nextCursor !== 'string') {
    throw new TypeError(`its nextCursor is of type ${typeof nextCursor}, not a string`);
  }
  return { items, nextCursor };
}

/** Most foreign entries that a report names, and most characters of each name. */
const maxNamed = 10;
const maxNameLength = 200;

/** Valid return values of a hook, for error reports. */
const expectedHookResult = {
  tools: 'A hook gives names of its tools, or items of registry.list().',
  prompts: 'A hook gives names of its prompts, or items of registry.list().',
  resources: 'A hook gives addresses of its resources, or items of registry.list().',
} as const satisfies Record<ServedKind, string>;

/** Returns the picked items without duplicates, in the order of the pick, and labels of entries that are not items. */
function resolvePicks<K extends ServedKind>(
  kind: K,
  items: readonly unknown[],
  registry: Registry,
): { readonly specs: readonly SpecOf<K>[]; readonly foreign: readonly string[] } {
  const byAddress = new Map<unknown, SpecOf<K>>(
    registry.all(kind).map((spec) => [uriOfPick(spec.name, spec.wire), spec]),
  );
  const specs = new Set<SpecOf<K>>();
  const foreign: string[] = [];
  for (const [index, item] of items.entries()) {
    const { name, definition } = isRecord(item) && item.kind === kind ? item : { name: item };
    const spec = isRecord(definition)
      ? byAddress.get(uriOfPick(name, definition))
      : (byAddress.get(name) ?? (typeof name === 'string' ? registry.resolve(kind, name) : undefined));
    if (spec) specs.add(spec);
    else foreign.push(pickLabel(item, index));
  }
  return { specs: [...specs], foreign };
}

function pickLabel(item: unknown, index: number): string {
  const name = isRecord(item) ? item.name : item;
  if (typeof name === 'string') return isRecord(item) ? name : JSON.stringify(name);
  return `entry ${index + 1}, of type ${item === null ? 'null' : typeof item}`;
}

/** Key of an item. Resources are keyed by URI, since their names need not be unique. */
function uriOfPick(name: unknown, { uri, uriTemplate }: WireObject): unknown {
  return uri ?? uriTemplate ?? name;
}
