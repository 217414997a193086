import type { DocumentPath } from '../base/files/document-path.js';
import { isUpstreamEntry } from '../extension/check-upstream.js';
import type { Definition } from '../extension/extension.js';

/** Endpoint of an upstream server, as a definition declares it. */
export interface DeclaredEndpoint {
  readonly path: DocumentPath;
  readonly place: unknown;
  /** The entry of a server's list that takes tools from this endpoint. */
  readonly entry?: Readonly<Record<string, unknown>>;
}

/** Yields the upstream endpoints of a tool, or of a server's own entries. */
export function* declaredEndpoints({
  kind,
  value,
}: Pick<Definition, 'kind' | 'value'>): Generator<DeclaredEndpoint> {
  const { upstream, tools } = value;
  if (kind === 'tools' && upstream !== undefined) yield { path: ['upstream'], place: upstream };
  if (kind !== 'servers' || !Array.isArray(tools)) return;
  for (const [index, entry] of tools.entries()) {
    if (isUpstreamEntry(entry)) yield { path: ['tools', index, 'upstream'], place: entry.upstream, entry };
  }
}
