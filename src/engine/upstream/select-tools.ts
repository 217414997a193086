import { isRecord, isStringList } from '../base/value-checks.js';
import { isWireName } from '../extension/names.js';
import { toolAlias } from '../extension/tool-alias.js';
import type { ToolSpec } from '../runtime/specs.js';
import { isAppOnly, withForeignUi, withoutUi, withUiApart } from '../runtime/ui.js';
import type { ReplacedUris, UpstreamEntry, UpstreamListing } from '../runtime/upstream.js';
import { chosenName } from '../runtime/upstream-choice.js';
import { changedWire, type WireItem } from '../runtime/wire-item.js';
import { type CompiledSchema, findHeaderFaults, type JsonSchema } from '../schema/index.js';
import { repairTool } from './repair-tool.js';
import { commonFault, missingNames, noRequirements, type Selected } from './select-items.js';

/** Default longest run of a call. */
export const defaultUpstreamCallTimeoutMs = 60_000;

/** URIs of apps on this server, by their URIs on the upstream server; undefined: not served. */
export interface AppUris {
  readonly uriOf: (theirs: string) => string | undefined;
  readonly replaced: ReplacedUris | undefined;
}

/** Returns the specs of the selected tools among those that an upstream server lists. */
export function takeTools(
  entry: UpstreamEntry,
  { tools: listed, offers }: UpstreamListing,
  apps: AppUris,
): Selected<ToolSpec> {
  const items: ToolSpec[] = [];
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const tool of listed ?? []) {
    const own = isRecord(tool) ? tool.name : undefined;
    if (typeof own !== 'string') {
      faults.push('lists a tool that has no name, which is left out');
      continue;
    }
    if (seen.has(own)) continue;
    seen.add(own);
    const chosen = chosenName(entry.choice, own);
    if (chosen === undefined) continue;
    const repaired = repairTool(tool as WireItem);
    const fault = rejectReason(repaired) ?? taskFault(repaired, offers);
    const name = isWireName(chosen) ? chosen : toolAlias(chosen, maxAlias);
    if (fault === undefined) items.push(toUpstreamTool(entry, repaired, { name, chosen, apps }));
    else faults.push(`lists the tool ${JSON.stringify(own)}, which is left out: ${fault}`);
  }
  return { items, faults: [...faults, ...(listed ? missingNames(entry.choice, seen, 'tool') : [])] };
}

/** Reason why a tool that runs only as a task can never work. @see MCP 2025-11-25, basic/utilities/tasks */
function taskFault(tool: WireItem, { toolTasks }: UpstreamListing['offers']): string | undefined {
  if (taskSupport(tool) !== 'required' || toolTasks) return undefined;
  return 'it runs only as a task, and its server does not declare tasks of tools';
}

function taskSupport({ execution }: WireItem): unknown {
  return isRecord(execution) ? execution.taskSupport : undefined;
}

/** Longest alias of a name that MCP does not permit: it fits into all clients with the usual keys. */
const maxAlias = 44;

/** Returns the reason why clients would reject a tool. Some clients reject the whole list for one bad tool. */
function rejectReason(tool: WireItem): string | undefined {
  const { inputSchema, outputSchema } = tool;
  if (!isRecord(inputSchema) || inputSchema.type !== 'object')
    return 'its inputSchema is no schema of an object';
  const badText = commonFault(tool, { texts: ['title', 'description'], records: [] });
  if (badText) return badText;
  if (outputSchema !== undefined && !isRecord(outputSchema)) return 'its outputSchema is no schema';
  if (inputSchema.properties !== undefined && !isRecord(inputSchema.properties)) {
    return 'the properties of its inputSchema are no object';
  }
  if (inputSchema.required !== undefined && !isStringList(inputSchema.required)) {
    return 'what its inputSchema requires is no list of names';
  }
  return (
    commonFault(tool, { texts: [], records: ['annotations', '_meta', 'execution'] }) ??
    headerFault(inputSchema)
  );
}

/** Clients that mirror arguments in headers must drop such tools. @see MCP 2026-07-28, server/tools, x-mcp-header */
function headerFault(inputSchema: Readonly<Record<string, unknown>>): string | undefined {
  if (!JSON.stringify(inputSchema).includes('"x-mcp-header"')) return undefined;
  const [fault] = findHeaderFaults(inputSchema);
  return fault && `in its inputSchema, ${fault.replace(/\.$/, '')}`;
}

function toUpstreamTool(
  { upstream, definition, changes, apps: appChoice }: UpstreamEntry,
  listed: WireItem,
  { name, chosen, apps }: { readonly name: string; readonly chosen: string; readonly apps: AppUris },
): ToolSpec {
  const { hidden = false, timeoutMs = defaultUpstreamCallTimeoutMs } = changes;
  const tool: ToolSpec = {
    kind: 'tools',
    item: `${definition.extension.qualify(definition.item)}#${name}`,
    name,
    ...(chosen !== name && { otherName: chosen }),
    wire: changedWire({ ...withTitle(withoutTaskSupport(listed), { name, chosen }), name }, changes),
    hidden,
    timeoutMs,
    requires: noRequirements,
    cache: undefined,
    definition,
    input: unverifiedSchema(listed.inputSchema as JsonSchema),
    output:
      listed.outputSchema === undefined ? undefined : unverifiedSchema(listed.outputSchema as JsonSchema),
    handler: async () => {
      throw new Error(`Tool "${name}" is answered by an upstream server.`);
    },
    upstream: {
      upstream,
      tool: listed.name,
      isOwn: true,
      ...(appChoice && { hasApps: true }),
      ...(taskSupport(listed) === 'required' && { isTask: true }),
      ...(apps.replaced && { uris: apps.replaced }),
    },
    initialize: undefined,
    options: {},
    onOutputMismatch: 'warn',
    task: undefined,
    ui: undefined,
    ...(changes.isConfirmed && { isConfirmed: true }),
  };
  return appChoice ? withForeignUi(tool, apps.uriOf) : withoutApp(tool);
}

/** A tool with an alias keeps its name as title. */
function withTitle(
  tool: WireItem,
  { name, chosen }: { readonly name: string; readonly chosen: string },
): WireItem {
  return name === chosen || tool.title !== undefined ? tool : { ...tool, title: chosen };
}

/** Clients call every tool plainly: the server runs tasks of upstream servers itself. */
function withoutTaskSupport({ execution, ...listed }: WireItem): WireItem {
  if (!isRecord(execution)) return listed as WireItem;
  const { taskSupport: support, ...others } = execution;
  const kept = support === 'forbidden' ? execution : others;
  return { ...listed, ...(Object.keys(kept).length > 0 && { execution: kept }) } as WireItem;
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
