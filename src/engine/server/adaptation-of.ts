import type { ToolAdapters } from '../adaptation/tool-adapter.js';
import type { Adaptation, ListEntry } from '../live/connection.js';
import type { LiveServer } from '../live/live-server.js';
import { arePlainTools } from './plain-tools.js';

/** Adapts the tools of a server. The code is loaded for the first tool that some client may lose. */
export function adaptationOf(live: LiveServer): Adaptation {
  let loaded: ToolAdapters | undefined;
  const load = async () => (loaded ??= new (await import('../adaptation/tool-adapter.js')).ToolAdapters());
  const open = async (tools: readonly ListEntry[]) => {
    const { adapt: mode, configKey: serverKey } = live.current;
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
    instructionsFor: (clientName, text) => {
      const { adapt: mode, configKey: serverKey } = live.current;
      if (mode !== 'on' || text.length <= shortInstructions) return text;
      return load().then(
        (adapters) => adapters.of(clientName, { mode, serverKey })?.instructions(text) ?? text,
      );
    },
  };
}

/** Longest key of a server that leaves room for plain names. */
const longKey = 30;

/** Instructions that all clients read whole, in UTF-16 units. Longer ones may be cut for a client. */
const shortInstructions = 1000;
