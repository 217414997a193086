import type { ClientOptions } from '@modelcontextprotocol/client';
import type { UpstreamEndpoint } from '../runtime/upstream.js';

/** Era of an upstream server; undefined if not known yet. */
export type KnownEra = 'legacy' | 'modern' | undefined;

export type Negotiation = NonNullable<ClientOptions['versionNegotiation']>;

/** Longest wait for the answer of a program to a modern request, in milliseconds. After it, the legacy era is tried. */
const probeMs = 10_000;

/** Negotiations to try in order. A program may exit on a request that it does not know, so it gets a second try. */
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
