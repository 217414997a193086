import { contextMaker } from '../interaction/handler-context.js';
import type { Connection } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { watched } from '../runtime/hook-watch.js';
import { errorDetails, reportOnce, type ServerRuntime } from '../runtime/server-runtime.js';
import type { AppMetadata, AppSpec, ResourceContents, ToolSpec, ToolUi } from '../runtime/specs.js';
import { withTimeLimit } from '../runtime/time-limit.js';
import { uiMeta } from '../runtime/ui.js';

/** Longest run of `when`, in milliseconds. Lists wait for it. */
const gateTimeoutMs = 1000;

/** Tool entry for a client that shows UI. Never rejects. */
export async function entryWithUi(
  tool: ToolSpec,
  connection: Connection,
  request: RequestContext,
): Promise<WireObject> {
  const { wire, ui } = tool;
  if (!ui) return wire;
  const meta = uiMeta(ui, { withApp: await hasApp(tool, ui, { connection, request }) });
  return meta ? withMeta(wire, meta) : wire;
}

/** True if the tool has an app for this client. False if `when` fails or is late. */
async function hasApp(
  tool: ToolSpec,
  { app, when }: ToolUi,
  { connection, request }: { readonly connection: Connection; readonly request: RequestContext },
): Promise<boolean> {
  if (!app || !when) return app !== undefined;
  const { signal } = request;
  try {
    const makeContext = contextMaker(connection, request);
    const answer = await withTimeLimit(
      async (limit) => {
        const gate = await when();
        // Gates decide the visible apps, so their registry ignores gates.
        const { forHandlers: registry } = connection.calls.server.registry;
        return await watched(
          connection.hooks,
          { hook: `when of ${tool.item}`, limitMs: gateTimeoutMs },
          async () => await gate({ ...makeContext(limit, tool), registry }),
        );
      },
      { timeoutMs: gateTimeoutMs, signal },
    );
    return Boolean(answer);
  } catch (error) {
    if (signal.aborted) return false;
    const what = `${tool.item}: is listed without its app, because "when" failed: `;
    reportOnce(connection.calls, what + errorDetails(error), what);
    return false;
  }
}

/** App entry of `resources/list`. Its metadata for hosts is included, for hosts that read it before the contents. */
export async function appEntry(app: AppSpec, calls: ServerRuntime): Promise<WireObject> {
  const meta = await readUiMeta(app, calls);
  return withMeta(app.wire, meta);
}

/** Returns the contents of an app. @throws ResultError if its page can no longer be read */
export async function readAppContents(app: AppSpec, calls: ServerRuntime): Promise<ResourceContents> {
  const [page, meta] = await Promise.all([app.page(), readUiMeta(app, calls)]);
  return Object.keys(meta).length > 0 ? { ...page, _meta: meta } : page;
}

async function readUiMeta(app: AppSpec, calls: ServerRuntime): Promise<AppMetadata['meta']> {
  const { meta, problem } = await app.metadata();
  if (problem) {
    const { file, reason } = problem;
    reportOnce(calls, `${app.item}: is served without its metadata (${file}): ${reason}`);
  }
  return meta;
}

function withMeta(wire: WireObject, meta: WireObject): WireObject {
  const { _meta } = wire;
  const merged = { ...(_meta as WireObject | undefined), ...meta };
  return Object.keys(merged).length > 0 ? { ...wire, _meta: merged } : wire;
}
