import { isRecord } from '../base/value-checks.js';
import type { PromptSpec } from '../runtime/specs.js';
import type { ReplacedUris, UpstreamEntry, UpstreamListing } from '../runtime/upstream.js';
import { chosenName } from '../runtime/upstream-choice.js';
import type { WireItem } from '../runtime/wire-item.js';
import { commonFault, missingNames, noRequirements, type Selected } from './select-items.js';
import { defaultUpstreamCallTimeoutMs } from './select-tools.js';

/** Returns the specs of the selected prompts among those that an upstream server lists. */
export function takePrompts(
  entry: UpstreamEntry,
  { prompts: listed, offers }: UpstreamListing,
  uris: ReplacedUris | undefined,
): Selected<PromptSpec> {
  const choice = entry.prompts;
  if (!choice || !listed) return { items: [], faults: [] };
  const items: PromptSpec[] = [];
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const prompt of listed) {
    const theirs = isRecord(prompt) ? prompt.name : undefined;
    if (typeof theirs !== 'string' || theirs === '') {
      faults.push('lists a prompt that has no name, which is left out');
      continue;
    }
    if (seen.has(theirs)) continue;
    seen.add(theirs);
    const name = chosenName(choice, theirs);
    if (name === undefined) continue;
    const fault = rejectReason(prompt as WireItem);
    if (fault !== undefined) {
      faults.push(`lists the prompt ${JSON.stringify(theirs)}, which is left out: ${fault}`);
      continue;
    }
    items.push(toUpstreamPrompt(entry, { ...(prompt as WireItem), name }, { offers, theirs, uris }));
  }
  return { items, faults: [...faults, ...missingNames(choice, seen, 'prompt')] };
}

function rejectReason(prompt: WireItem): string | undefined {
  const fault = commonFault(prompt, { texts: ['title', 'description'], records: ['_meta'] });
  if (fault) return fault;
  const { arguments: told } = prompt;
  const isList = Array.isArray(told) && told.every((one) => isRecord(one) && typeof one.name === 'string');
  return told === undefined || isList ? undefined : 'its arguments are no list of named arguments';
}

function toUpstreamPrompt(
  { upstream, definition, changes }: UpstreamEntry,
  wire: WireItem,
  more: {
    readonly offers: UpstreamListing['offers'];
    readonly theirs: string;
    readonly uris: ReplacedUris | undefined;
  },
): PromptSpec {
  const told = (wire.arguments ?? []) as readonly { readonly name: string; readonly required?: unknown }[];
  const { offers, theirs, uris } = more;
  return {
    kind: 'prompts',
    item: `${definition.extension.qualify(definition.item)}#${wire.name}`,
    name: wire.name,
    wire,
    hidden: false,
    timeoutMs: changes.timeoutMs ?? defaultUpstreamCallTimeoutMs,
    requires: noRequirements,
    cache: undefined,
    definition,
    required: told.filter(({ required }) => required === true).map(({ name }) => name),
    argumentNames: told.map(({ name }) => name),
    isCode: false,
    render: async () => {
      throw new Error(`Prompt "${wire.name}" is answered by an upstream server.`);
    },
    complete: new Map(),
    upstream: { upstream, theirs, hasCompletions: offers.completions, ...(uris && { uris }) },
  };
}
