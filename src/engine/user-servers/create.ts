import path from 'node:path';
import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import { isRecord } from '../base/value-checks.js';
import { servedLists } from '../extension/check-definition.js';
import { isUpstreamEntry } from '../extension/check-upstream.js';
import { type Definition, DefinitionError, type Extension, type LoadCode } from '../extension/extension.js';
import { singular } from '../extension/item-kinds.js';
import { translate } from '../extension/key-spellings.js';
import { isPackageName, parseQualifiedName, qualify } from '../extension/names.js';
import { EndpointError, requirePlace } from '../extension/upstream-endpoint.js';
import { Workspace } from '../extension/workspace.js';
import { composeDefinition, type ServerSpec } from '../runtime/compose-server.js';
import { declaredEndpoints } from '../runtime/declared-endpoints.js';
import { type CollisionCandidate, distinctNames, withoutRepeats } from '../runtime/distinct-names.js';
import { type ListEntryContext, listEntries, resolveEntry } from '../runtime/list-entries.js';
import { isOverride } from '../runtime/override.js';
import type { SkippedItem } from '../runtime/skipped-items.js';
import { backtickAdvice, backtickSlots } from '../runtime/text-template.js';
import { namesInChoice } from '../runtime/upstream-choice.js';
import { type UpstreamRecord, UpstreamRecords } from '../runtime/upstream-records.js';
import { endpointScope, upstreamSpec } from '../runtime/upstream-spec.js';
import {
  buildUserDefinition,
  requireServerName,
  type ServerPlan,
  type UserServerDefinition,
} from './definition.js';
import { explainUnresolved } from './explain-unresolved.js';
import {
  definitionFile,
  readUserServers,
  requireFree,
  storeServer,
  type UserServerFolders,
} from './store.js';

type ListComparison = (typeof servedLists)[number];

/** A server that was created. */
export interface MadeServer extends Readonly<Record<ListComparison, readonly string[]>> {
  readonly name: string;
  /** File of the definition. */
  readonly file: string;
  /** True if it replaced a server of that name. */
  readonly replaced: boolean;
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
}

/** Asks the upstream servers of a server. Returns faults, in sentences. */
export type FindUpstreamFaults = (server: ServerSpec) => Promise<readonly string[]>;

interface UserServerRequest extends ServerPlan {
  readonly overwrite?: boolean;
  /** The existing server of the definition at its last start through another entry. */
  readonly lastItems?: UpstreamRecord | undefined;
}

/**
 * Creates a user server after checking that a client will find everything that it names. Runs no code of
 * extensions, and starts nothing without `findUpstreamFaults`.
 * @throws AgentToolsError if the name is taken or invalid, or something that the server needs is unavailable;
 * `usage` if it would serve nothing.
 */
export async function createUserServer(
  { overwrite = false, lastItems, ...plan }: UserServerRequest,
  place: UserServerFolders,
  findUpstreamFaults?: FindUpstreamFaults,
): Promise<MadeServer> {
  const { name } = plan;
  requireServerName(name);
  const workspace = new Workspace({ ...place, ignoreProject: true, loadCode: refuseCode });
  await requireNotBuiltIn(name, workspace);
  const value = buildUserDefinition(plan);
  const extension = await readUserServers(place);
  const known = extension.manifest.declarations.servers.map((server) => server.name);
  requireFree(name, known, { overwrite });
  const definition = toDefinition(name, value, extension);
  const { spec, unchecked } = await requireWhole(definition, {
    workspace,
    place,
    lastItems,
    findUpstreamFaults,
  });
  const notes = [
    ...unchecked,
    ...noteBackticks(spec),
    ...(await sameNames(definition, workspace)),
    ...(await noteShadowedPackage(name, workspace)),
  ];
  const kept = await storeServer({ name, definition: value }, { overwrite }, place);
  const lists = servedLists.map((kind) => [kind, entryNames(value, kind, extension)]);
  return {
    name,
    ...kept,
    ...(Object.fromEntries(lists) as Record<ListComparison, readonly string[]>),
    notes,
  };
}

/** Marks an item that is defined by code. Such items are not reported. */
const uncheckedCode = 'not-checked';

const refuseCode: LoadCode = async (_, file) => {
  throw new DefinitionError(uncheckedCode, 'Its definition is code, which was not run.', { file });
};

async function requireNotBuiltIn(name: string, workspace: Workspace): Promise<void> {
  const builtins = await workspace.builtins();
  if (!builtins.some((builtin) => builtin.isDeclared('servers', name))) return;
  const message = `"${name}" is the name of a built-in server. Choose another name.`;
  throw new AgentToolsError('refused', message);
}

function toDefinition(name: string, value: UserServerDefinition, extension: Extension): Definition {
  const file = { file: definitionFile(name), language: 'data', combined: false } as const;
  const translation = translate(value, 'servers');
  return { kind: 'servers', item: name, extension, file, at: [], value: translation.value, translation };
}

interface UserServerCheckInput {
  readonly workspace: Workspace;
  readonly place: UserServerFolders;
  readonly lastItems: UpstreamRecord | undefined;
  readonly findUpstreamFaults: FindUpstreamFaults | undefined;
}

/** Notes on slots of a related system in the texts of inline prompts. */
function noteBackticks({ registry, extension }: ServerSpec): readonly string[] {
  const own = registry.all('prompts').filter(({ definition }) => definition.extension === extension);
  return own.flatMap(({ name, definition }) =>
    backtickSlots(definition.value).map((slot) => `Prompt "${name}": ${backtickAdvice(slot)}`),
  );
}

/** Returns the composed server, and notes on names that were not checked. @throws AgentToolsError listing everything that is unavailable. */
async function requireWhole(
  definition: Definition,
  checking: UserServerCheckInput,
): Promise<{ readonly spec: ServerSpec; readonly unchecked: readonly string[] }> {
  const spec = await composeUserServer(definition, checking.workspace);
  const leftOut = spec.leftOut.filter(({ code, tool }) => code !== uncheckedCode && tool === undefined);
  const problems = [
    ...(await Promise.all(leftOut.map((one) => describeSkipped(one, checking)))),
    ...(await explainMissingEndpoints(definition, spec)),
  ];
  // Present lists are better than records of the last start.
  const ask = problems.length > 0 ? undefined : checking.findUpstreamFaults;
  const { unknown, unchecked } = ask
    ? { unknown: await ask(spec), unchecked: [] }
    : compareWithRecords(spec, checking);
  problems.push(...unknown);
  if (problems.length === 0) return { spec, unchecked };
  const lines = problems.map((problem) => `  ${problem}`);
  const message = `"${definition.item}" was not created, because something is unavailable:\n${lines.join('\n')}`;
  throw new AgentToolsError('not-found', message);
}

async function composeUserServer(definition: Definition, workspace: Workspace): Promise<ServerSpec> {
  return await composeDefinition(definition, workspace).catch((error: unknown) => {
    if (!(error instanceof DefinitionError)) throw error;
    throw new AgentToolsError('invalid-definition', error.message);
  });
}

async function describeSkipped(
  { kind, item, code, message }: SkippedItem,
  { place }: UserServerCheckInput,
): Promise<string> {
  const isLost = code === 'unresolved-reference' || code.startsWith('unknown-');
  if (isLost && kind !== 'skills')
    return `${singular[kind]} "${item}": ${await explainUnresolved(kind, item, place)}`;
  return message.includes(`"${item}"`) ? message : `${entryName(item)}: ${message}`;
}

/** Reasons why upstreams could not start, in sentences. Starts nothing. */
async function explainMissingEndpoints(
  definition: Definition,
  { registry }: ServerSpec,
): Promise<readonly string[]> {
  const own = registry
    .all('tools')
    .filter((tool) => tool.upstream && tool.definition.file === definition.file);
  const places = [
    ...[...declaredEndpoints(definition)].map(({ place, path: [, index] }) => ({
      place,
      what: `entry ${Number(index) + 1} of "tools"`,
    })),
    ...own.map((tool) => ({ place: tool.definition.value.upstream, what: `tool "${tool.name}"` })),
  ];
  const lost = await Promise.all(
    places.map(async ({ place, what }) => {
      const reason = isRecord(place) ? await explainMissingEndpoint(place, definition.extension) : undefined;
      return reason === undefined ? [] : [`${what} ${reason}.`];
    }),
  );
  return lost.flat();
}

interface NameComparison {
  /** Names that an upstream did not have at its last start. */
  readonly unknown: readonly string[];
  /** Notes on names of upstreams that were not started before. */
  readonly unchecked: readonly string[];
}

/** Compares the names in entries with the items of their upstreams at their last start, in sentences. Starts nothing. */
function compareWithRecords(
  { upstreams }: ServerSpec,
  { place, lastItems }: Pick<UserServerCheckInput, 'place' | 'lastItems'>,
): NameComparison {
  const records = new UpstreamRecords(path.dirname(place.userServersFolder));
  const unknown: string[] = [];
  const unchecked = new Set<string>();
  for (const entry of upstreams) {
    const { key, name: server } = entry.upstream;
    const { names } = records.read(key) ?? lastItems ?? {};
    const choices = { tools: entry.choice, prompts: entry.prompts, resources: entry.resources } as const;
    for (const kind of ['tools', 'prompts', 'resources'] as const) {
      const chosen = choices[kind] ? namesInChoice(choices[kind]) : [];
      if (!names && chosen.length > 0)
        unchecked.add(
          `The names of items of "${server}" were not checked: it was not started before. To check them, add --verify.`,
        );
      if (!names) continue;
      for (const name of chosen.filter((one) => !names[kind].includes(one))) {
        const meant = didYouMean(name, names[kind]);
        const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
        unknown.push(
          `The upstream server "${server}" had no ${singular[kind]} "${name}" at its last start.${hint}`,
        );
      }
    }
  }
  return { unknown, unchecked: [...unchecked] };
}

async function explainMissingEndpoint(
  place: UserServerDefinition,
  extension: Extension,
): Promise<string | undefined> {
  try {
    await requirePlace(place, endpointScope(extension));
    return undefined;
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    if (error.key !== 'package') return error.message;
    const wayOut = `{ "command": "npx", "args": ["-y", "${place.package}"] }`;
    return `names the package ${place.package}, but your server belongs to no package that could depend on it. Write ${wayOut}`;
  }
}

/** Label of an entry: its name, or its position in the list. */
function entryName(item: string): string {
  const [, kind, index] = item.match(/#(\w+)\/(\d+)$/) ?? [];
  return kind === undefined ? `"${item}"` : `entry ${Number(index) + 1} of "${kind}"`;
}

/** Notes on items that clients see under other names, because several have the same name. */
async function sameNames(definition: Definition, workspace: Workspace): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const kind of ['tools', 'prompts'] as const) {
    const entries = listEntries(definition, kind);
    const seen = await Promise.all(
      entries.map((entry, index) =>
        listVisibleItems(entry, { kind, server: definition, workspace, path: [kind, index] }),
      ),
    );
    const names = withoutRepeats(seen.flat()).map(({ name }) => name);
    const served = distinctNames(names);
    for (const name of new Set(names.filter((one, index) => served[index] !== one))) {
      const shown = served.filter((_, index) => names[index] === name).join(', ');
      notes.push(
        `Several ${kind} are named "${name}", so clients see them as ${shown}. To name them yourself, use { "use": "…", "name": "…" } in a definition (--from).`,
      );
    }
  }
  return notes;
}

/**
 * Names that clients see of an entry by itself; for an item that is defined by code, the most likely name.
 */
async function listVisibleItems(
  entry: unknown,
  place: ListEntryContext,
): Promise<readonly CollisionCandidate[]> {
  const found = await resolveEntry(entry, place).catch(() => undefined);
  if (found) return found.listings;
  const unread = { written: entry, inToolkit: false, changes: [] };
  if (isRecord(entry) && typeof entry.name === 'string') return [{ name: entry.name, ...unread }];
  const reference = isOverride(entry) ? entry.use : entry;
  if (typeof reference !== 'string') return [];
  return [{ name: reference.slice(reference.lastIndexOf('/') + 1), ...unread }];
}

async function noteShadowedPackage(name: string, workspace: Workspace): Promise<readonly string[]> {
  const hidden = isPackageName(name) && (await workspace.findPackage(name).catch(() => undefined));
  if (!hidden) return [];
  const servers = hidden.manifest.declarations.servers.map((server) => server.name);
  const spelled = (servers.length > 0 ? servers : [name]).map((server) => `${name}/${server}`).join(', ');
  return [`"${name}" now names this server. The server of the package of that name is ${spelled}.`];
}

function entryNames(
  definition: UserServerDefinition,
  kind: ListComparison,
  extension: Extension,
): readonly string[] {
  const list = definition[kind];
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  return entries.map((entry) => {
    if (isOverride(entry)) return canonicalName(entry.use);
    if (isUpstreamEntry(entry)) return `tools of ${upstreamSpec(entry.upstream, extension).name}`;
    if (!isRecord(entry)) return canonicalName(String(entry));
    return String(entry.name ?? entry.toolkit ?? entry.uri ?? entry.uriTemplate);
  });
}

/** `@scope/name/item` for `scope/name/item`; other names unchanged. */
function canonicalName(name: string): string {
  const qualified = parseQualifiedName(name);
  return qualified ? qualify(qualified.package, qualified.item) : name;
}
