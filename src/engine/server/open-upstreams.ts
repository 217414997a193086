import type { LiveServer } from '../live/live-server.js';
import { readUpstreamWait } from '../live/upstream-wait.js';
import type { HubOptions, UpstreamHub } from '../upstream/upstream-hub.js';

/** Returns the function that opens the upstreams of a live server. Their code loads on demand: few servers have any. */
export function openUpstreamsWith(
  options: Omit<HubOptions, 'roots' | 'onTools'>,
): (live: Pick<LiveServer, 'roots' | 'refresh'>) => Promise<UpstreamHub> {
  return async ({ roots, refresh }) => {
    const { UpstreamHub } = await import('../upstream/upstream-hub.js');
    const { env, report, patience = readUpstreamWait(env, report) } = options;
    return new UpstreamHub({ ...options, patience, roots, onTools: refresh });
  };
}
