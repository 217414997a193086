import type { Servable } from './compose-server.js';
import type { UpstreamSpec } from './upstream.js';

/** All upstream servers that a server uses, first the upstream servers of single tools. One can occur several times. */
export function usedUpstreams({
  upstreams,
  registry,
}: Pick<Servable, 'upstreams' | 'registry'>): readonly UpstreamSpec[] {
  const ofTools = registry.all('tools').flatMap(({ upstream }) => upstream?.upstream ?? []);
  return [...ofTools, ...upstreams.map(({ upstream }) => upstream)];
}
