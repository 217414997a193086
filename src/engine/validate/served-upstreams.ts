import { isRecord, isString, type UnknownRecord } from '../base/value-checks.js';
import { type ClientChoice, judgeFinding, judgeTool } from '../compatibility/judge-findings.js';
import { checkServer, checkTool } from '../compatibility/surface-checks.js';
import type { Diagnostic, Location } from '../extension/diagnostics.js';
import { singular } from '../extension/item-kinds.js';
import { toItemChoice } from '../runtime/upstream-choice.js';
import { checkWireSchema, schemaWarnings } from '../schema/index.js';
import { quotePlain } from '../text-checks/check-text.js';
import { checkItemTexts } from '../text-checks/item-texts.js';
import type { UpstreamSnapshot } from './facts/upstreams.js';
import type { Snapshot } from './snapshot.js';

/** Texts and items that a started server gives to clients. */
export interface ServedItems {
  /** Name of the server in the manifest. */
  readonly server: string;
  /** `title`, `description` and `instructions`. */
  readonly texts: UnknownRecord;
  /** List entries by name, or by URI. */
  readonly items: Readonly<Record<'tools' | 'prompts' | 'resources', ReadonlyMap<string, UnknownRecord>>>;
}

const servedKinds = ['tools', 'prompts', 'resources'] as const;

/** Checks the items of upstream servers, which are known only while a server runs. Items of the package are not checked again. */
export async function checkServedUpstreams(
  snapshot: Snapshot,
  { server, texts, items }: ServedItems,
  clients: ClientChoice,
): Promise<readonly Diagnostic[]> {
  const upstreams = upstreamsOf(snapshot, server);
  if (upstreams.length === 0) return [];
  const own = ownItems(snapshot, server);
  const item = { kind: 'server', name: server } as const;
  const found: Diagnostic[] = [];
  for (const kind of servedKinds) {
    for (const [name, value] of items[kind]) {
      if (isOwnItem(name, value, own)) continue;
      const location = placeOf(name, upstreams, snapshot);
      const label = `the upstream ${singular[kind]} ${quotePlain(name)}`;
      for (const { code, severity, message } of checkItemTexts(value, { label }))
        found.push({ code, severity, message, location, item });
      if (kind !== 'tools') continue;
      for (const { message, ...fault } of [
        ...judgeTool(checkTool({ ...value, name }), clients),
        ...(await schemaFaults(value)),
      ])
        found.push({
          code: fault.code,
          severity: fault.severity,
          message: `Upstream tool ${quotePlain(name)}: ${message}`,
          location,
          item,
        });
    }
  }
  return [
    ...found,
    ...checkNames(snapshot, { server, names: [...items.tools.keys()], own, upstreams }, clients),
    ...checkInstructions(snapshot, { server, texts, location: upstreams[0]!.location }),
  ];
}

/** Faults of the schemas of a tool, for which clients reject the tool, or which have no effect. */
async function schemaFaults(
  tool: UnknownRecord,
): Promise<readonly Pick<Diagnostic, 'code' | 'severity' | 'message'>[]> {
  const sides = (['input', 'output'] as const).map(async (side) => {
    const schema = tool[`${side}Schema`];
    if (schema === undefined) return [];
    const issues = await checkWireSchema(schema, side);
    const warnings = issues.length > 0 ? [] : [...schemaWarnings(schema, { side, rawOnly: true })];
    const found = ({ message }: { readonly message: string }) => `the "${side}Schema" is faulty: ${message}`;
    return [
      ...issues.map((one) => ({
        code: `invalid-${side}-schema`,
        severity: 'error' as const,
        message: found(one),
      })),
      ...warnings.map((one) => ({
        code: 'ineffective-schema',
        severity: 'warning' as const,
        message: found(one),
      })),
    ];
  });
  return (await Promise.all(sides)).flat();
}

/** Upstream servers of the tools and lists of a server. */
function upstreamsOf({ items, servers }: Snapshot, name: string): readonly UpstreamSnapshot[] {
  const used = new Set(
    servers.find((one) => one.name === name)?.entries.map(({ leadsTo, definition }) => leadsTo ?? definition),
  );
  return items.flatMap(({ ref, definition, upstreams = [] }) => {
    const isServer = ref.kind === 'server' && ref.name === name;
    return isServer || (definition && used.has(definition)) ? upstreams : [];
  });
}

/** Descriptions of items with definitions in packages, by name and URI. */
type OwnItems = ReadonlyMap<string, unknown>;

function ownItems({ servers }: Snapshot, name: string): OwnItems {
  const entries = servers.find((one) => one.name === name)?.entries ?? [];
  return new Map(
    entries.flatMap(({ wireName, address, leadsTo, override }) => {
      if (leadsTo?.value.upstream !== undefined) return [];
      const description = override?.description ?? leadsTo?.value.description;
      return [wireName, address].filter(isString).map((one) => [one, description] as const);
    }),
  );
}

/** True for an item of a package. Items with one name get numbers. */
function isOwnItem(name: string, { description }: UnknownRecord, own: OwnItems): boolean {
  if (own.has(name)) return true;
  const unnumbered = name.replace(/\d+$/, '');
  return own.has(unnumbered) && own.get(unnumbered) === description;
}

/** The declaration of the upstream server that has an item: by its tool, else by the names that entries give. */
function placeOf(name: string, upstreams: readonly UpstreamSnapshot[], { items }: Snapshot): Location {
  const tool = items.find(({ ref, upstreams: one }) => ref.kind === 'tool' && ref.name === name && one?.[0]);
  if (tool) return tool.upstreams![0]!.location;
  const ranks = upstreams.map(({ entry }) => (entry ? nameRank(entry, name) : -1));
  return upstreams[ranks.indexOf(Math.max(...ranks))]!.location;
}

/** Rank of a list entry among entries that can give an item its name: higher for a named item and for a longer prefix. */
function nameRank(entry: UnknownRecord, name: string): number {
  const ranks = [entry, entry.prompts, entry.resources].filter(isRecord).map((written) => {
    const { prefix, only, except, rename } = toItemChoice(written);
    const theirs = name.slice(prefix.length);
    if (Object.values(rename).includes(name)) return 1000;
    if (!name.startsWith(prefix) || except.includes(theirs)) return 0;
    if (!only) return 1 + prefix.length;
    return only.includes(theirs) ? 1000 : 0;
  });
  return Math.max(...ranks);
}

interface ServedNames {
  readonly server: string;
  readonly names: readonly string[];
  readonly own: OwnItems;
  readonly upstreams: readonly UpstreamSnapshot[];
}

/** Names of upstream tools with all others, and the number of tools. */
function checkNames(
  snapshot: Snapshot,
  { server, names, own, upstreams }: ServedNames,
  clients: ClientChoice,
): readonly Diagnostic[] {
  return [...checkServer({ key: server, tools: names })].flatMap((finding): Diagnostic[] => {
    const fault = judgeFinding(finding, clients);
    const name = finding.tool === undefined ? undefined : names[finding.tool]!;
    if (!fault || (name !== undefined && own.has(name)) || isReported(snapshot, server, fault.code, name))
      return [];
    const { code, severity, message } = fault;
    const location = name === undefined ? upstreams[0]!.location : placeOf(name, upstreams, snapshot);
    const item = { kind: 'server', name: server } as const;
    return [{ code, severity, message: `Server "${server}": ${message}`, location, item }];
  });
}

/** True for faults of a server that are known without its start. */
function isReported(
  { compatibility }: Snapshot,
  server: string,
  code: string,
  tool: string | undefined,
): boolean {
  return (
    tool === undefined && compatibility.faults.some((one) => one.code === code && one.item?.name === server)
  );
}

interface ServedInstructions {
  readonly server: string;
  readonly texts: UnknownRecord;
  readonly location: Location;
}

/** Checks the instructions without the ones of the definition, which are checked there. */
function checkInstructions(
  { items }: Snapshot,
  { server, texts, location }: ServedInstructions,
): readonly Diagnostic[] {
  const { instructions } = texts;
  const written = items.find(({ ref }) => ref.kind === 'server' && ref.name === server)?.definition?.value;
  const own = [written?.instructions ?? []].flat().filter(isString);
  const added = own.reduce(
    (text, part) => text.replace(part, ''),
    isString(instructions) ? instructions : '',
  );
  return [...checkItemTexts({ instructions: added }, { label: 'the upstream servers' })].map(
    ({ code, severity, message }) => ({
      code,
      severity,
      message,
      location,
      item: { kind: 'server', name: server },
    }),
  );
}
