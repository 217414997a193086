import type { Client } from '@modelcontextprotocol/client';
import type { UpstreamRecord } from '../runtime/upstream-records.js';
import { recordOf } from '../upstream/listed-names.js';
import { describeUpstream } from '../upstream/upstream-description.js';

/** Options of one request, as the time left then. */
type RequestOptions = () => { readonly timeout: number; readonly signal: AbortSignal };

/**
 * Requests the other lists of a checked server. Returns its record; undefined if a list fails, because a server is useful
 * without its prompts and resources. Never rejects.
 */
export async function readRecord(
  client: Client,
  tools: readonly unknown[],
  options: RequestOptions,
): Promise<UpstreamRecord | undefined> {
  const has = client.getServerCapabilities() ?? {};
  try {
    const [{ prompts }, { resources }, { resourceTemplates: templates }] = await Promise.all([
      has.prompts ? client.listPrompts({}, options()) : { prompts: [] },
      has.resources ? client.listResources({}, options()) : { resources: [] },
      has.resources ? client.listResourceTemplates({}, options()) : { resourceTemplates: [] },
    ]);
    return recordOf({ ...describeUpstream(client, '', false), tools, prompts, resources, templates });
  } catch {
    return undefined;
  }
}
