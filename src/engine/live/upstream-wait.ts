type Env = Readonly<Record<string, string | undefined>>;

/** Says how many seconds lists wait for upstream servers. */
const upstreamWaitVariable = 'AGENTTOOLS_UPSTREAM_WAIT';

/** Long enough for what starts at all, and well below what a whole look at a server may take. */
const shortSeconds = '5';

const maxWaitSeconds = 3600;

/** The environment of a server that is only looked at: an upstream server that hangs keeps nobody waiting. */
export function withShortWait(env: Env): Env {
  return env[upstreamWaitVariable] ? env : { ...env, [upstreamWaitVariable]: shortSeconds };
}

/** How long the user has lists wait for upstream servers; undefined: as long as usual. */
export function readUpstreamWait(
  env: Env,
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
