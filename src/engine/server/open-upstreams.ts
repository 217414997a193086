import type { LiveServer } from './live-server.js';
import type { Hub, HubOptions } from './upstream/hub.js';
import { patienceIn } from './upstream-wait.js';

/** Makes the function that opens the upstream servers of a live server. Few servers have any, so their code loads for those. */
export function openUpstreamsWith(
  options: Omit<HubOptions, 'roots' | 'onTools'>,
): (live: Pick<LiveServer, 'roots' | 'refresh'>) => Promise<Hub> {
  return async ({ roots, refresh }) => {
    const { Hub } = await import('./upstream/hub.js');
    const { env, report, patience = patienceIn(env, report) } = options;
    return new Hub({ ...options, patience, roots, onTools: refresh });
  };
}
