import { AgentToolsError } from '../base/errors.js';
import type { Workspace } from '../extension/workspace.js';
import { distinctNames } from './distinct-names.js';
import { oncePerDefinition } from './read-definition.js';
import type { ToolSpec } from './specs.js';
import { readTool } from './tool.js';
import { isAppOnly } from './ui.js';

/** Items of the built-in catalog tools, which find, inspect and call all others. */
const frontItems = ['find_tools', 'inspect_tool', 'call_tool'] as const;

/** Tools of a server with a tool catalog. */
export interface ToolCatalog {
  /** The catalog tools, and the tools of the server. */
  readonly tools: readonly ToolSpec[];
  /** Wire names of the catalog tools. */
  readonly catalogTools: ReadonlySet<string>;
  /** Explains the catalog to the model, because the server's instructions may mention tools that are not listed. */
  readonly instructions: string;
}

/** Adds the catalog tools before the tools of a server. */
export type MakeCatalog = (tools: readonly ToolSpec[]) => ToolCatalog;

/** Returns a function that creates catalogs, for a server with changing tools. */
export async function openCatalog(workspace: Workspace): Promise<MakeCatalog> {
  const fronts = await Promise.all(frontItems.map((item) => frontTool(item, workspace)));
  return (tools) => createCatalog(tools, fronts);
}

function createCatalog(tools: readonly ToolSpec[], fronts: readonly ToolSpec[]): ToolCatalog {
  const others = tools.filter(({ item }) => !frontItems.some((front) => front === item));
  const rename = createRenamer(distinctNames(others.map(({ name }) => name)));
  const named = fronts.map((tool) => renameCatalogTool(tool, rename));
  const [find, inspect, call] = named.map(({ name }) => name);
  return {
    tools: [...named.map((tool) => (tool.name === call ? withHints(tool, others) : tool)), ...others],
    catalogTools: new Set(named.map(({ name }) => name)),
    instructions: `The tools of this server are not listed one by one: find them with ${find}, learn with ${inspect} which arguments they take, and use them with ${call}.`,
  };
}

async function frontTool(item: string, workspace: Workspace): Promise<ToolSpec> {
  const extension = (await workspace.builtins()).find((one) => one.isDeclared('tools', item));
  if (!extension) {
    const message = `The toolList "catalog" needs Node: the built-in tool "${item}" is missing. Use "all" instead.`;
    throw new AgentToolsError('not-found', message);
  }
  const definition = await extension.definition('tools', item);
  return await oncePerDefinition(definition, 'item', () => readTool(definition));
}

/** Gives all catalog tools the same number, if one of them has the name of a tool of the server. */
function createRenamer(taken: readonly string[]): (text: string) => string {
  const names = new Set<string>(taken);
  let number = 1;
  const numberedName = (item: string) => (number === 1 ? item : `${item}_${number}`);
  while (frontItems.some((item) => names.has(numberedName(item)))) number += 1;
  return (text) => frontItems.reduce((sofar, item) => sofar.replaceAll(item, numberedName(item)), text);
}

/** Renames a catalog tool. Its texts mention the other catalog tools. */
function renameCatalogTool(tool: ToolSpec, rename: (text: string) => string): ToolSpec {
  const wire = JSON.parse(rename(JSON.stringify(tool.wire))) as ToolSpec['wire'];
  return { ...tool, name: wire.name, wire };
}

/**
 * A call may do anything that one of the tools may do.
 * @see MCP, schema, ToolAnnotations, for the meaning of absent hints
 */
function withHints(call: ToolSpec, tools: readonly ToolSpec[]): ToolSpec {
  const hints = tools
    .filter((tool) => !isAppOnly(tool))
    .map(({ wire }) => (wire.annotations ?? {}) as Readonly<Record<string, unknown>>);
  const changing = hints.filter(({ readOnlyHint }) => readOnlyHint !== true);
  const annotations = {
    readOnlyHint: changing.length === 0,
    destructiveHint: changing.some(({ destructiveHint }) => destructiveHint !== false),
    idempotentHint: changing.every(({ idempotentHint }) => idempotentHint === true),
    openWorldHint: hints.some(({ openWorldHint }) => openWorldHint !== false),
  };
  return { ...call, wire: { ...call.wire, annotations } };
}
