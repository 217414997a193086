import type { UpstreamPorts } from '../live/live-server.js';
import { readUpstreamWait } from '../live/upstream-wait.js';
import type { HubOptions, UpstreamHub } from '../upstream/upstream-hub.js';

/** Returns the function that opens the upstreams of a live server. Their code loads on demand: few servers have any. */
export function openUpstreamsWith(
  options: Omit<HubOptions, 'roots' | 'onItems' | 'announce' | 'tell' | 'records'> & {
    /** Folder of the records of earlier starts. Default: no records. */
    readonly dataFolder?: string;
  },
): (live: UpstreamPorts) => Promise<UpstreamHub> {
  return async ({ roots, refresh, announce, tell }) => {
    const [{ UpstreamHub }, { UpstreamRecords }] = await Promise.all([
      import('../upstream/upstream-hub.js'),
      import('../runtime/upstream-records.js'),
    ]);
    const { env, report, patience = readUpstreamWait(env, report), dataFolder, ...others } = options;
    const records = dataFolder === undefined ? undefined : new UpstreamRecords(dataFolder);
    return new UpstreamHub({
      ...others,
      env,
      report,
      patience,
      records,
      roots,
      announce,
      tell,
      onItems: refresh,
    });
  };
}
