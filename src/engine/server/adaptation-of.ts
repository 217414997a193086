import type { ToolAdapters } from '../adaptation/tool-adapter.js';
import type { Adaptation, ListEntry } from '../live/connection.js';
import type { LiveServer } from '../live/live-server.js';
import type { WireObject } from '../protocol/envelope.js';
import { scaleImagesVariable, serverKeyVariable } from '../runtime/adapt.js';
import { reportOnce } from '../runtime/server-runtime.js';
import { arePlainTools } from './plain-tools.js';

/** Adapts the tools of a server. The code is loaded for the first tool that some client may lose. */
export function adaptationOf(live: LiveServer): Adaptation {
  let loaded: ToolAdapters | undefined;
  const taskTools = new Map<string, ListEntry>();
  const setting = () => {
    const { adapt: mode, configKey } = live.current;
    return { mode, serverKey: live.calls.env[serverKeyVariable] || configKey };
  };
  const load = async () => (loaded ??= new (await import('../adaptation/tool-adapter.js')).ToolAdapters());
  const open = async (tools: readonly ListEntry[]) => {
    const { mode, serverKey } = setting();
    if (mode === 'off' || (mode === 'auto' && serverKey.length <= longKey && arePlainTools(tools)))
      return undefined;
    return { adapters: await load(), settings: { mode, serverKey } };
  };
  return {
    adapterFor: async (clientName, tools) => {
      const { adapters, settings } = (await open(tools)) ?? {};
      return settings && adapters?.of(clientName, settings);
    },
    varies: async (tools) => {
      const { adapters, settings } = (await open(tools)) ?? {};
      return settings !== undefined && adapters!.varies(tools, settings);
    },
    resultFor: (clientName, call) => {
      const { mode, serverKey } = setting();
      if (mode === 'off') return call.result;
      const scales = live.calls.env[scaleImagesVariable] === '1' && hasImage(call.result);
      if (!scales && isPlainResult(call, mode)) return call.result;
      return load().then(async (adapters) => {
        const scale = scales ? await adapters.imageScaler() : undefined;
        if (scales && !scale) reportOnce(live.calls, noScaler);
        return await adapters.of(clientName, { mode, serverKey }).result(call, scale);
      });
    },
    keepTask: (taskId, tool) => {
      taskTools.set(taskId, tool);
      const [oldest] = taskTools.keys();
      if (taskTools.size > maxTasks) taskTools.delete(oldest!);
    },
    toolOfTask: (taskId) => taskTools.get(taskId),
    callAdded: async (name, args, owner) =>
      live.current.adapt === 'on' ? (await load()).callAdded(name, args, owner) : undefined,
    readKept: (uri, owner) => loaded?.read(uri, owner),
    listPatience: async (clientName) => {
      const { mode, serverKey } = setting();
      const adapter = mode === 'off' ? undefined : (await load()).of(clientName, { mode, serverKey });
      const seconds = adapter?.limit('slow-start');
      return {
        waitMs: seconds && seconds * 1000 * shareOfLimit,
        readsOnce: adapter?.hasLimit('compat/list-changed-needed') ?? false,
      };
    },
    keepAlive: (clientName, request) => {
      const { mode, serverKey } = setting();
      if (mode === 'off') return () => {};
      let stop: (() => void) | undefined;
      const begin = async () => {
        const limit = (await load()).of(clientName, { mode, serverKey }).limit('serve/progress');
        if (limit === undefined || !stop) return;
        const { keepAlive } = await import('../adaptation/keep-alive.js');
        if (stop) stop = keepAlive(request, limit * 1000);
      };
      const timer = setTimeout(() => void begin(), quietMs);
      timer.unref();
      stop = () => clearTimeout(timer);
      return () => {
        stop?.();
        stop = undefined;
      };
    },
    instructionsFor: (clientName, text) => {
      const { mode, serverKey } = setting();
      if (mode !== 'on' || text.length <= shortInstructions) return text;
      return load().then((adapters) => adapters.of(clientName, { mode, serverKey }).instructions(text));
    },
  };
}

const noScaler = `${scaleImagesVariable} is set, but images are not scaled: the package sharp is not installed. Install it beside AgentTools: npm install --global sharp`;

function hasImage({ content }: WireObject): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'image');
}

/** Most kept tools of tasks: no server has more tasks at once. */
const maxTasks = 1000;

/** Longest key of a server that leaves room for plain names. */
const longKey = 30;

/** Instructions that all clients read whole, in UTF-16 units. Longer ones may be cut for a client. */
const shortInstructions = 1000;

/** Longest call without progress for all clients, in milliseconds. */
const quietMs = 4000;

/** Share of the patience of a client that its lists may take. */
const shareOfLimit = 0.8;

/** Characters of texts that all clients read whole. */
const shortResult = 20_000;

/** True if all clients can use the result: it has the forms that they read, and with `on`, it is short. */
function isPlainResult(
  { tool, result }: Parameters<Adaptation['resultFor']>[1],
  mode: 'auto' | 'on',
): boolean {
  const { content, structuredContent, isError } = result;
  if (!Array.isArray(content)) return true;
  const hasStructure = structuredContent !== undefined;
  let length: number | undefined;
  for (const { text } of content) if (typeof text === 'string') length = (length ?? 0) + text.length;
  if (hasStructure ? length === undefined : tool.outputSchema !== undefined && !isError) return false;
  return mode === 'auto' || (!hasStructure && (length ?? 0) <= shortResult);
}
