import { AgentToolsError } from '../base/errors.js';
import type { Workspace } from '../extension/workspace.js';
import { distinctNames } from './distinct-names.js';
import { oncePerDefinition } from './read-definition.js';
import type { ToolSpec } from './specs.js';
import { readTool } from './tool.js';
import { isAppOnly } from './ui.js';

/** The built-in tools by which all others are found, looked at and called, by item. */
const frontItems = ['find_tools', 'inspect_tool', 'call_tool'] as const;

/** What clients are listed of a server whose list of tools is a catalog. */
export interface ToolCatalog {
  /** The tools of the server, and those that stand for them. */
  readonly tools: readonly ToolSpec[];
  /** Wire names of those that stand for the others. */
  readonly catalogTools: ReadonlySet<string>;
  /** Tells the model, since the server's own instructions may speak of tools that are not listed. */
  readonly instructions: string;
}

/** Puts the tools to find, inspect and call them by before the tools of a server. */
export type MakeCatalog = (tools: readonly ToolSpec[]) => ToolCatalog;

/** What makes catalogs of whatever tools a server has by then. */
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
    const message = `The toolList "catalog" needs Node, for the built-in tool "${item}" is not here.`;
    throw new AgentToolsError('not-found', message);
  }
  const definition = await extension.definition('tools', item);
  return await oncePerDefinition(definition, 'item', () => readTool(definition));
}

/** Gives all of them the same number, if one has the name of a tool of the server. */
function createRenamer(taken: readonly string[]): (text: string) => string {
  const names = new Set<string>(taken);
  let number = 1;
  const numberedName = (item: string) => (number === 1 ? item : `${item}_${number}`);
  while (frontItems.some((item) => names.has(numberedName(item)))) number += 1;
  return (text) => frontItems.reduce((sofar, item) => sofar.replaceAll(item, numberedName(item)), text);
}

/** Their descriptions speak of each other. */
function renameCatalogTool(tool: ToolSpec, rename: (text: string) => string): ToolSpec {
  const wire = JSON.parse(rename(JSON.stringify(tool.wire))) as ToolSpec['wire'];
  return { ...tool, name: wire.name, wire };
}

/** A call may do whatever one of the tools may do. @see MCP, schema, ToolAnnotations, for what absent hints mean */
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
