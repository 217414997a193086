import type { UpstreamPorts } from '../live/live-server.js';
import { readUpstreamWait } from '../live/upstream-wait.js';
import type { HubOptions, UpstreamHub } from '../upstream/upstream-hub.js';

/** Returns the function that opens the upstreams of a live server. Their code loads on demand: few servers have any. */
export function openUpstreamsWith(
  options: Omit<HubOptions, 'roots' | 'onItems' | 'announce' | 'tell' | 'records'> & {
    /** Folder of the sign-ins, and of the records of earlier starts. Default: none of them. */
    readonly dataFolder?: string;
  },
): (live: UpstreamPorts) => Promise<UpstreamHub> {
  return async ({ roots, refresh, announce, tell }) => {
    const [{ UpstreamHub }, { UpstreamRecords }, { SignIns }] = await Promise.all([
      import('../upstream/upstream-hub.js'),
      import('../runtime/upstream-records.js'),
      import('../sign-in/sign-ins.js'),
    ]);
    const { env, report, patience = readUpstreamWait(env, report), dataFolder, ...others } = options;
    const records = dataFolder === undefined ? undefined : new UpstreamRecords(dataFolder);
    const { signIns = dataFolder === undefined ? undefined : new SignIns({ dataFolder, warn: report }) } =
      others;
    return new UpstreamHub({
      ...others,
      signIns,
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
