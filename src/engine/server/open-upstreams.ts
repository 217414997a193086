import type { LiveServer } from './live-server.js';
import type { UpstreamHub, HubOptions } from './upstream/hub.js';
import { patienceIn } from './upstream-wait.js';

/** Makes the function that opens the upstream servers of a live server. Few servers have any, so their code loads for those. */
export function openUpstreamsWith(
  options: Omit<HubOptions, 'roots' | 'onTools'>,
): (live: Pick<LiveServer, 'roots' | 'refresh'>) => Promise<UpstreamHub> {
  return async ({ roots, refresh }) => {
    const { UpstreamHub } = await import('./upstream/hub.js');
    const { env, report, patience = patienceIn(env, report) } = options;
    return new UpstreamHub({ ...options, patience, roots, onTools: refresh });
  };
}
