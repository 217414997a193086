import { isRecord, isString } from '../../base/value-checks.js';
import { type ClientChoice, judgeFinding, judgeTool } from '../../compatibility/judge-findings.js';
import {
  type CallFacts,
  checkCalls,
  checkServer,
  checkTool,
  type ListedTool,
} from '../../compatibility/surface-checks.js';
import { checkBudget, type TokenBudget } from '../../compatibility/token-budget.js';
import { measureServer, type ServerCost, type TokenCounter } from '../../compatibility/token-cost.js';
import type { Diagnostic } from '../../extension/diagnostics.js';
import type { Definition } from '../../extension/extension.js';
import { wantsConfirmation } from '../../runtime/confirm-call.js';
import { locate, readRequirements } from '../../runtime/read-definition.js';
import { readSchema } from '../../runtime/tool.js';
import { findAuthoredSchema, toolWire } from '../../runtime/wire-item.js';
import { noInput } from '../../schema/index.js';
import type { ItemSnapshot } from './items.js';
import { type ServerSnapshot, showsHidden } from './servers.js';

export interface CompatibilityOptions {
  readonly clients: ClientChoice;
  /** Budget of tokens, with the counter. Absent: tokens are not counted. */
  readonly budget: (TokenBudget & { readonly counter: TokenCounter }) | undefined;
}

/** Diagnostics about clients, and the tokens of each server if they are counted. */
export interface CompatibilitySnapshot {
  readonly faults: readonly Diagnostic[];
  readonly costs?: readonly ServerCost[];
}

interface CheckedItems {
  readonly items: readonly ItemSnapshot[];
  readonly servers: readonly ServerSnapshot[];
}

/** Checks the tools and servers of an extension against the limits of clients, and counts their tokens. */
export async function gatherCompatibility(
  { items, servers }: CheckedItems,
  { clients, budget }: CompatibilityOptions,
): Promise<CompatibilitySnapshot> {
  const tools = items.filter(({ kind }) => kind === 'tools');
  const ofTools = await Promise.all(tools.map((tool) => toolDiagnostics(tool, clients)));
  const ofServers = servers.flatMap((server) => [
    ...serverDiagnostics(server, items, clients),
    ...changingLists(server, { items, servers }, clients),
  ]);
  if (!budget) return { faults: [...ofTools.flat(), ...ofServers] };
  const measured = await Promise.all(
    servers.map(async (server) => ({
      server,
      cost: measureServer(await listedTools(server), budget.counter),
    })),
  );
  const overBudget = measured.flatMap(({ server, cost }) =>
    [...checkBudget(cost, budget)].flatMap(({ tool, ...fault }) => {
      const entry =
        tool === undefined ? server.entries[0] : server.entries.find((one) => one.wireName === tool);
      return entry ? [{ ...fault, location: entry.location, item: server.ref }] : [];
    }),
  );
  return {
    faults: [...ofTools.flat(), ...ofServers, ...overBudget],
    costs: measured.map(({ cost }) => cost),
  };
}

/** The tools of a server as clients see them. */
async function listedTools({ name: key, entries }: ServerSnapshot) {
  const listed = entries.flatMap(({ kind, leadsTo, wireName: name, override }) =>
    kind === 'tools' && leadsTo && name !== undefined ? [{ leadsTo, name, override }] : [],
  );
  const tools = listed.map(async ({ leadsTo, name, override }) => ({
    ...(await wireOf(leadsTo)),
    ...(isString(override?.description) && { description: override.description }),
    name,
  }));
  return { key, tools: await Promise.all(tools) };
}

/** A tool as clients see it. AgentTools completes output schemas when it serves them. */
async function wireOf(definition: Definition): Promise<ListedTool> {
  const compiled = await readSchema(definition, 'input').catch(() => undefined);
  return toolWire(definition, { input: compiled?.wire ?? noInput.wire });
}

async function toolDiagnostics(
  { definition, ref }: ItemSnapshot,
  clients: ClientChoice,
): Promise<readonly Diagnostic[]> {
  if (!definition) return [];
  const wire = await wireOf(definition);
  const { ui } = definition.value;
  const findings = [
    ...checkTool({ ...wire, ...(isRecord(ui) && { _meta: { ui } }) }),
    ...checkCalls(callFacts(definition)),
  ];
  return judgeTool(findings, clients).map(({ path, message, ...fault }) => ({
    ...fault,
    message: `Tool "${ref.name}": ${message}`,
    location: locate(definition, authoredPath(definition, path)),
    item: ref,
  }));
}

/** Features of clients that requirements name. Their parts, such as `elicitation.url`, are not in the table. */
const features = new Set(['sampling', 'elicitation', 'roots']);

function callFacts({ value }: Definition): CallFacts {
  const { client, level } = readRequirements(value.requires);
  const needed = level === 'required' ? client.filter((name) => features.has(name)) : [];
  const isTask = value.task === 'required';
  return {
    needs: [
      ...needed.map((feature) => ({ feature, path: ['requires'] })),
      ...(wantsConfirmation(value.confirm) ? [{ feature: 'elicitation', path: ['confirm'] }] : []),
      ...(isTask ? [{ feature: 'tasks', path: ['task'] }] : []),
    ],
    ...(typeof value.timeoutMs === 'number' && !isTask && { timeoutMs: value.timeoutMs }),
  };
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

/** Hooks that select the tools by the session. Lists can change in ways that nothing shows, such as by the time. */
function changingLists(
  { name, ref }: ServerSnapshot,
  listed: CheckedItems,
  clients: ClientChoice,
): readonly Diagnostic[] {
  const item = listed.items.find((one) => one.kind === 'servers' && one.name === name);
  const hook = item?.callables.find(({ label }) => label === 'list.tools');
  if (!item || !hook?.contextMembers?.includes('session') || showsHidden(item, listed)) return [];
  const fault = judgeFinding(
    {
      code: 'compat/list-changed-needed',
      problem:
        'The hook "list.tools" reads the session, so the list of tools changes while a client is connected',
      remedy: 'List all tools and check each call in its handler, or serve the catalog.',
      path: [],
    },
    clients,
  );
  if (!fault) return [];
  const { code, severity, message } = fault;
  return [{ code, severity, message: `Server "${name}": ${message}`, location: hook.location, item: ref }];
}
