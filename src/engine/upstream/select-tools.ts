import { isRecord, isStringList } from '../base/value-checks.js';
import { isWireName } from '../extension/names.js';
import type { ToolSpec } from '../runtime/specs.js';
import { isAppOnly, withoutUi, withUiApart } from '../runtime/ui.js';
import type { UpstreamEntry } from '../runtime/upstream.js';
import { chosenName } from '../runtime/upstream-choice.js';
import { changedWire, type WireItem } from '../runtime/wire-item.js';
import type { CompiledSchema, JsonSchema } from '../schema/index.js';

/** Tools of an upstream server that one entry selects, and the problems of others. */
export interface SelectedTools {
  readonly tools: readonly ToolSpec[];
  /** Problems, as ends of sentences about the upstream server. */
  readonly faults: readonly string[];
}

/** Default longest run of a call. */
const defaultUpstreamCallTimeoutMs = 60_000;

/** Keys of a tool that are forwarded to clients. */
const forwardedToolKeys = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  '_meta',
];

/** Returns the specs of the selected tools among those that an upstream server lists. */
export function takeTools(entry: UpstreamEntry, listed: readonly unknown[]): SelectedTools {
  const { only, except, rename } = entry.choice;
  const tools: ToolSpec[] = [];
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const tool of listed) {
    const own = isRecord(tool) ? tool.name : undefined;
    if (typeof own !== 'string') {
      faults.push('lists a tool that has no name, which is left out');
      continue;
    }
    if (seen.has(own)) continue;
    seen.add(own);
    const name = chosenName(entry.choice, own);
    if (name === undefined) continue;
    const fault = rejectReason(tool as WireItem, name);
    if (fault === undefined) tools.push(toUpstreamTool(entry, tool as WireItem, name));
    else faults.push(`lists the tool ${JSON.stringify(own)}, which is left out: ${fault}`);
  }
  // Includes names in `except`: an excluded tool may have been renamed, and would be served.
  const named = [...(only ?? []), ...except, ...Object.keys(rename)];
  const missing = [...new Set(named)].filter((name) => !seen.has(name));
  return { tools, faults: [...faults, ...missing.map((name) => `has no tool ${JSON.stringify(name)}`)] };
}

/** Returns the reason why clients would reject a tool. Some clients reject the whole list for one bad tool. */
function rejectReason(tool: WireItem, name: string): string | undefined {
  if (!isWireName(name)) {
    return `its name ${JSON.stringify(name)} is invalid for clients. Expected 1 to 128 of A-Z a-z 0-9 _ . -; change it with "rename"`;
  }
  const { inputSchema, outputSchema } = tool;
  if (!isRecord(inputSchema) || inputSchema.type !== 'object')
    return 'its inputSchema is no schema of an object';
  const badPart = ['title', 'description'].find(
    (key) => tool[key] !== undefined && typeof tool[key] !== 'string',
  );
  if (badPart) return `its ${badPart} is no text`;
  if (outputSchema !== undefined && !isRecord(outputSchema)) return 'its outputSchema is no schema';
  if (inputSchema.properties !== undefined && !isRecord(inputSchema.properties)) {
    return 'the properties of its inputSchema are no object';
  }
  if (inputSchema.required !== undefined && !isStringList(inputSchema.required)) {
    return 'what its inputSchema requires is no list of names';
  }
  const badRecord = ['annotations', '_meta'].find((key) => tool[key] !== undefined && !isRecord(tool[key]));
  if (badRecord) return `its ${badRecord} is no object`;
  return tool.icons === undefined || Array.isArray(tool.icons) ? undefined : 'its icons are no list';
}

function toUpstreamTool(
  { upstream, definition, changes }: UpstreamEntry,
  listed: WireItem,
  name: string,
): ToolSpec {
  const kept = forwardedToolKeys.filter((key) => listed[key] !== undefined).map((key) => [key, listed[key]]);
  const wire = { name, ...Object.fromEntries(kept) } as WireItem;
  const { hidden = false, timeoutMs = defaultUpstreamCallTimeoutMs } = changes;
  const tool: ToolSpec = {
    kind: 'tools',
    item: `${definition.extension.qualify(definition.item)}#${name}`,
    name,
    wire: changedWire(wire, changes),
    hidden,
    timeoutMs,
    requires: { client: [], env: [], bin: [], level: 'required' },
    cache: undefined,
    definition,
    input: unverifiedSchema(listed.inputSchema as JsonSchema),
    output:
      listed.outputSchema === undefined ? undefined : unverifiedSchema(listed.outputSchema as JsonSchema),
    handler: async () => {
      throw new Error(`Tool "${name}" is answered by an upstream server.`);
    },
    upstream: { upstream, tool: listed.name, isOwn: true },
    initialize: undefined,
    options: {},
    onOutputMismatch: 'warn',
    task: undefined,
    ui: undefined,
  };
  return withoutApp(tool);
}

/** Removes the app of a tool, which is not served, and hides an app-only tool. */
function withoutApp(tool: ToolSpec): ToolSpec {
  const { _meta: meta, ...wire } = tool.wire;
  if (!isRecord(meta)) return tool;
  const _meta = withoutUi(meta);
  return {
    ...tool,
    hidden: tool.hidden || isAppOnly(withUiApart(tool)),
    wire: { ...wire, ...(Object.keys(_meta).length > 0 && { _meta }) },
  };
}

/** A schema without a check. The upstream server validates the values. */
function unverifiedSchema(wire: JsonSchema): CompiledSchema {
  return { form: 'raw', wire, check: (value) => ({ ok: true, value }) };
}
