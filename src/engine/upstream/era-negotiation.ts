import type { ClientOptions } from '@modelcontextprotocol/client';
import type { UpstreamEndpoint } from '../runtime/upstream.js';

/** How an upstream server was found to speak; undefined: nobody has asked it yet. */
export type KnownEra = 'legacy' | 'modern' | undefined;

export type Negotiation = NonNullable<ClientOptions['versionNegotiation']>;

/** How long a program may be silent when it is asked in the newest way, before it is asked in the older one. */
const probeMs = 10_000;

/** How a server is asked, one way after the other: programs may end at a question that they do not know. */
export function waysToAsk({
  place,
  era,
  timeoutMs,
}: {
  readonly place: UpstreamEndpoint;
  readonly era: KnownEra;
  readonly timeoutMs: number;
}): readonly Negotiation[] {
  const legacy = { mode: 'legacy' } as const;
  if ('url' in place) return place.transport === 'sse' ? [legacy] : [{ mode: 'auto' }];
  if (era === 'legacy') return [legacy];
  const probe = { timeoutMs: Math.min(probeMs, timeoutMs / 2) };
  return era === 'modern' ? [{ mode: 'auto', probe }] : [{ mode: 'auto', probe }, legacy];
}
