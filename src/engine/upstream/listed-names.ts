import { isRecord, isString } from '../base/value-checks.js';
import type { UpstreamListing } from '../runtime/upstream.js';
import type { UpstreamRecord } from '../runtime/upstream-records.js';

/** The record of a listing; undefined while a list is not known. */
export function recordOf(listing: UpstreamListing): UpstreamRecord | undefined {
  const { title, info, instructions, tools, prompts, resources, templates, offers } = listing;
  if (!tools || !prompts || !resources || !templates) return undefined;
  return {
    title,
    ...(info && { info }),
    ...(instructions !== undefined && { instructions }),
    names: {
      tools: valuesIn(tools, ['name']),
      prompts: valuesIn(prompts, ['name']),
      resources: valuesIn([...resources, ...templates], ['name', 'uri', 'uriTemplate']),
    },
    ...(offers.skills && { hasSkills: true }),
  };
}

function valuesIn(entries: readonly unknown[], keys: readonly string[]): readonly string[] {
  const values = entries.flatMap((entry) => (isRecord(entry) ? keys.map((key) => entry[key]) : []));
  return [...new Set(values.filter(isString))];
}
