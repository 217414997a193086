import { isRecord } from '../../base/value-checks.js';
import { type ClientChoice, judgeFinding, judgeTool } from '../../compatibility/judge-findings.js';
import { checkServer, checkTool } from '../../compatibility/surface-checks.js';
import type { Diagnostic } from '../../extension/diagnostics.js';
import type { Definition } from '../../extension/extension.js';
import { locate } from '../../runtime/read-definition.js';
import { readSchema } from '../../runtime/tool.js';
import { findAuthoredSchema, toolWire } from '../../runtime/wire-item.js';
import { noInput } from '../../schema/index.js';
import type { ItemSnapshot } from './items.js';
import type { ServerSnapshot } from './servers.js';

export interface CompatibilityOptions {
  readonly clients: ClientChoice;
}

interface ListedItems {
  readonly items: readonly ItemSnapshot[];
  readonly servers: readonly ServerSnapshot[];
}

/** Checks the tools and servers of an extension against the limits of clients. */
export async function gatherCompatibility(
  { items, servers }: ListedItems,
  { clients }: CompatibilityOptions,
): Promise<readonly Diagnostic[]> {
  const tools = items.filter(({ kind }) => kind === 'tools');
  const ofTools = await Promise.all(tools.map((tool) => toolDiagnostics(tool, clients)));
  return [...ofTools.flat(), ...servers.flatMap((server) => serverDiagnostics(server, items, clients))];
}

async function toolDiagnostics(
  { definition, ref }: ItemSnapshot,
  clients: ClientChoice,
): Promise<readonly Diagnostic[]> {
  if (!definition) return [];
  // AgentTools completes output schemas when it serves them.
  const compiled = await readSchema(definition, 'input').catch(() => undefined);
  const wire = toolWire(definition, { input: compiled?.wire ?? noInput.wire });
  const { ui } = definition.value;
  return judgeTool(checkTool({ ...wire, ...(isRecord(ui) && { _meta: { ui } }) }), clients).map(
    ({ path, message, ...fault }) => ({
      ...fault,
      message: `Tool "${ref.name}": ${message}`,
      location: locate(definition, authoredPath(definition, path)),
      item: ref,
    }),
  );
}

/** The path of a part of the wire form in the definition. */
function authoredPath({ value }: Definition, [first, ...rest]: readonly (string | number)[]) {
  if (first === '_meta') return rest;
  if (first !== 'inputSchema') return first === undefined ? [] : [first, ...rest];
  const { key, rawOnly } = findAuthoredSchema(value, 'input') ?? {};
  if (key === undefined) return [];
  return rawOnly ? [key, ...rest] : [key, ...rest.slice(rest[0] === 'properties' ? 1 : 0)];
}

function serverDiagnostics(
  { name, ref, entries }: ServerSnapshot,
  items: readonly ItemSnapshot[],
  clients: ClientChoice,
): readonly Diagnostic[] {
  const tools = entries.filter(({ kind, wireName }) => kind === 'tools' && wireName !== undefined);
  const definition = items.find((item) => item.kind === 'servers' && item.name === name)?.definition;
  const instructions = definition?.value.instructions;
  const names = tools.map(({ wireName }) => wireName!);
  return [...checkServer({ key: name, instructions, tools: names })].flatMap((finding) => {
    const fault = judgeFinding(finding, clients);
    if (!fault) return [];
    const { code, severity, message, path } = fault;
    const entry = finding.tool === undefined ? undefined : tools[finding.tool];
    const location = entry?.location ?? (definition ? locate(definition, path) : tools[0]?.location);
    return location ? [{ code, severity, message: `Server "${name}": ${message}`, location, item: ref }] : [];
  });
}
