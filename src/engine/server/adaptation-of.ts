import type { ToolAdapters } from '../adaptation/tool-adapter.js';
import type { Adaptation } from '../live/connection.js';
import type { LiveServer } from '../live/live-server.js';

/** Adapts the tools of a server. The code is loaded with the first list, not at the start. */
export function adaptationOf(live: LiveServer): Adaptation {
  let loaded: ToolAdapters | undefined;
  const open = async () => {
    const { adapt: mode, configKey: serverKey } = live.current;
    if (mode === 'off') return undefined;
    loaded ??= new (await import('../adaptation/tool-adapter.js')).ToolAdapters();
    return { adapters: loaded, settings: { mode, serverKey } };
  };
  return {
    adapterFor: async (clientName) => {
      const { adapters, settings } = (await open()) ?? {};
      return settings && adapters?.of(clientName, settings);
    },
    varies: async (tools) => {
      const { adapters, settings } = (await open()) ?? {};
      return settings !== undefined && adapters!.varies(tools, settings);
    },
  };
}
