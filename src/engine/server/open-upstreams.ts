import type { LiveServer } from './live-server.js';
import type { HubOptions, UpstreamHub } from './upstream/upstream-hub.js';
import { readUpstreamWait } from './upstream-wait.js';

/** Makes the function that opens the upstream servers of a live server. Few servers have any, so their code loads for those. */
export function openUpstreamsWith(
  options: Omit<HubOptions, 'roots' | 'onTools'>,
): (live: Pick<LiveServer, 'roots' | 'refresh'>) => Promise<UpstreamHub> {
  return async ({ roots, refresh }) => {
    const { UpstreamHub } = await import('./upstream/upstream-hub.js');
    const { env, report, patience = readUpstreamWait(env, report) } = options;
    return new UpstreamHub({ ...options, patience, roots, onTools: refresh });
  };
}
