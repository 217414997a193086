import type { DocumentPath } from '../base/files/document-path.js';
import { checkUpstreamEntry } from '../extension/check-upstream.js';
import { describeFault } from '../extension/describe-fault.js';
import { type Definition, DefinitionError } from '../extension/extension.js';
import { definitionLabel, locate } from './read-definition.js';
import type { UpstreamEntry } from './upstream.js';
import { sharedOverrides, toChoices } from './upstream-choice.js';
import { requireEndpointModule, upstreamSpec } from './upstream-spec.js';

/**
 * Reads an entry of a server's list for the items of an upstream server. Does not contact the upstream server.
 * @throws DefinitionError with the first fault
 */
export async function readUpstreamEntry(
  entry: Readonly<Record<string, unknown>>,
  { server, path }: { readonly server: Definition; readonly path: DocumentPath },
): Promise<Omit<UpstreamEntry, 'position'>> {
  for (const fault of checkUpstreamEntry(entry)) {
    const message = describeFault(`${definitionLabel(server)}, an entry with "upstream",`, fault);
    throw new DefinitionError('invalid-server', message, locate(server, [...path, ...fault.path]));
  }
  const { upstream } = entry;
  await requireEndpointModule(upstream, { definition: server, path: [...path, 'upstream'] });
  return {
    upstream: upstreamSpec(upstream, server.extension, [server.item, ...path]),
    ...toChoices(entry),
    changes: sharedOverrides(entry),
    definition: server,
    path,
  };
}
