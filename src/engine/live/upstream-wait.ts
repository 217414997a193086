import type { Environment } from '../base/environment.js';

/** Environment variable with the time, in seconds, that lists wait for upstream servers. */
const upstreamWaitVariable = 'AGENTTOOLS_UPSTREAM_WAIT';

/** Long enough for a server that starts at all, and well below the limit of an inspection. */
const shortSeconds = '5';

const maxWaitSeconds = 3600;

/** Returns the environment for the inspection of a server: an upstream server that hangs does not delay it. */
export function withShortWait(env: Environment): Environment {
  return env[upstreamWaitVariable] ? env : { ...env, [upstreamWaitVariable]: shortSeconds };
}

/** Returns the user's wait limit of lists for upstream servers. Undefined: the default limit. */
export function readUpstreamWait(
  env: Environment,
  report: (line: string) => void,
): { readonly waitMs: number } | undefined {
  const text = env[upstreamWaitVariable]?.trim();
  if (!text) return undefined;
  const seconds = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && seconds <= maxWaitSeconds) return { waitMs: seconds * 1000 };
  report(
    `${upstreamWaitVariable} is "${text}", which is ignored. Expected seconds, from 0 to ${maxWaitSeconds}.`,
  );
  return undefined;
}
