import { ClientRoots } from '../live/client-roots.js';
import { parseAbsences, parseMissingNames } from '../live/list-faults.js';
import type { Servable } from '../runtime/compose-server.js';
import { UpstreamHub } from '../upstream/upstream-hub.js';

interface VerifyOptions {
  /** Values of variables in the entries. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Starts or reaches the upstream servers of a server. Returns sentences about unavailable ones, and about names in
 * `only`, `except` and `rename` that they do not have.
 */
export async function findUpstreamFaults(
  server: Servable,
  { env, timeoutMs, signal }: VerifyOptions,
): Promise<readonly string[]> {
  if (server.upstreams.length === 0) return [];
  const lines: string[] = [];
  const ignore = (): void => {};
  const hub = new UpstreamHub({
    env,
    signal,
    report: (line) => void lines.push(line),
    onItems: ignore,
    announce: ignore,
    tell: ignore,
    roots: new ClientRoots(),
    patience: { waitMs: timeoutMs },
    isOnce: true,
  });
  try {
    hub.extend(server);
    const kinds = ['tools', 'prompts', 'resources'] as const;
    await Promise.all(kinds.map(async (kind) => await hub.wait(kind, 'list', signal)));
    // Reports the names that the lists do not have.
    hub.extend(server);
  } finally {
    await hub.close();
  }
  const reported = lines.join('\n');
  return [...parseAbsences(reported), ...parseMissingNames(reported)];
}
