import { isRecord } from '../base/value-checks.js';
import type { Extension } from '../extension/extension.js';
import { chosenName, toChoices } from '../runtime/upstream-choice.js';
import type { UpstreamRecords } from '../runtime/upstream-records.js';
import { upstreamSpec } from '../runtime/upstream-spec.js';

/** An existing MCP server in the list of a server, as its last start showed it. */
interface OutlinedUpstream {
  readonly label: string;
  /** Names on this server. Empty without a record of a start. */
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
}

/** Returns the outline of an entry of a server's `tools`; undefined if it is no entry for an existing MCP server. */
export type OutlineUpstream = (entry: unknown) => OutlinedUpstream | undefined;

/** Creates the function that outlines upstream entries of an extension from records of their last starts. */
export function upstreamOutliner(extension: Extension, records: UpstreamRecords): OutlineUpstream {
  return (entry) => {
    if (!isRecord(entry) || !isRecord(entry.upstream) || entry.name !== undefined) return undefined;
    const { key, name: label } = upstreamSpec(entry.upstream, extension);
    const { names } = records.read(key) ?? {};
    const { choice, prompts } = toChoices(entry);
    const chosen = (all: readonly string[] = [], by = choice) =>
      all.flatMap((name) => chosenName(by, name) ?? []);
    return { label, tools: chosen(names?.tools), prompts: prompts ? chosen(names?.prompts, prompts) : [] };
  };
}
