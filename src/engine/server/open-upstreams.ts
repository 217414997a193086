import type { UpstreamPorts } from '../live/live-server.js';
import { readUpstreamWait } from '../live/upstream-wait.js';
import type { HubOptions, UpstreamHub } from '../upstream/upstream-hub.js';

/** Returns the function that opens the upstreams of a live server. Their code loads on demand: few servers have any. */
export function openUpstreamsWith(
  options: Omit<HubOptions, 'roots' | 'onItems' | 'announce' | 'tell'>,
): (live: UpstreamPorts) => Promise<UpstreamHub> {
  return async ({ roots, refresh, announce, tell }) => {
    const { UpstreamHub } = await import('../upstream/upstream-hub.js');
    const { env, report, patience = readUpstreamWait(env, report) } = options;
    return new UpstreamHub({ ...options, patience, roots, announce, tell, onItems: refresh });
  };
}
