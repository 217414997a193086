import type { Client } from '@modelcontextprotocol/client';
import { isRecord } from '../base/value-checks.js';
import type { UpstreamRecord } from '../runtime/upstream-records.js';
import { anyResult } from '../upstream/any-result.js';
import { recordOf } from '../upstream/listed-names.js';
import { describeUpstream } from '../upstream/upstream-description.js';

/** An item that a checked server lists, or the server itself, as models get it. */
export interface ListedItem {
  /** `tool`, `prompt`, `resource` or `server`. */
  readonly kind: string;
  /** Undefined for the server. */
  readonly name?: string;
  readonly value: unknown;
}

export interface ServerListing {
  /** Names of its items; undefined if a list fails. */
  readonly record: UpstreamRecord | undefined;
  readonly items: readonly ListedItem[];
}

/** Most pages of a list that are read. */
const maxPages = 100;

/**
 * Requests the tools of a server, each as it is: clients differ in the forms that they refuse.
 * @throws Error if the answer has no list of tools
 */
export async function readTools(client: Client, options: RequestOptions): Promise<readonly RecordedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const listed: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page += 1) {
    const params = typeof cursor === 'string' ? { cursor } : {};
    const answer: unknown = await client.request({ method: 'tools/list', params }, anyResult, options());
    if (!isRecord(answer) || !Array.isArray(answer.tools))
      throw new Error('its answer to tools/list has no list of tools');
    listed.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return listed.filter((tool): tool is RecordedTool => isRecord(tool) && typeof tool.name === 'string');
}

type RecordedTool = Readonly<Record<string, unknown>> & { readonly name: string };

/** Options of one request, as the time left then. */
type RequestOptions = () => { readonly timeout: number; readonly signal: AbortSignal };

/**
 * Requests the other lists of a checked server. There is no record if a list fails, because a server is useful without its
 * prompts and resources. Never rejects.
 */
export async function readListing(
  client: Client,
  tools: readonly unknown[],
  options: RequestOptions,
): Promise<ServerListing> {
  const has = client.getServerCapabilities() ?? {};
  const description = describeUpstream(client, '', false);
  const { info, instructions } = description;
  const own = [{ kind: 'server', value: { info, instructions } }, ...listedItems('tool', 'name', tools)];
  try {
    const [{ prompts }, { resources }, { resourceTemplates: templates }] = await Promise.all([
      has.prompts ? client.listPrompts({}, options()) : { prompts: [] },
      has.resources ? client.listResources({}, options()) : { resources: [] },
      has.resources ? client.listResourceTemplates({}, options()) : { resourceTemplates: [] },
    ]);
    return {
      record: recordOf({ ...description, tools, prompts, resources, templates }),
      items: [
        ...own,
        ...listedItems('prompt', 'name', prompts),
        ...listedItems('resource', 'uri', resources),
        ...listedItems('resource', 'uriTemplate', templates),
      ],
    };
  } catch {
    return { record: undefined, items: own };
  }
}

function listedItems(kind: string, key: string, list: readonly unknown[]): readonly ListedItem[] {
  return list.map((value) => ({ kind, name: String(isRecord(value) ? value[key] : value), value }));
}
