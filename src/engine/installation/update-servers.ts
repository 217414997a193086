import { AgentToolsError } from '../base/errors.js';
import { isRecord } from '../base/value-checks.js';
import { changeConfig } from '../clients/config-change.js';
import type { ConfigEntry, ConfigValue } from '../clients/edit/editor.js';
import { planInstall } from '../clients/ledger/install.js';
import { findClient } from '../clients/locate-config.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { ExistingRecords } from '../existing-servers/existing-records.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { hideSecrets } from '../existing-servers/hide-secrets.js';
import {
  type InstalledNpmServer,
  installNpmServer,
  npmServersFolder,
} from '../existing-servers/npm-servers.js';
import { type ResolveDeps, resolveExisting } from '../existing-servers/resolve-existing.js';
import type { ListedItem } from '../preflight/read-record.js';
import { verifyServer } from '../preflight/verify-server.js';
import { listedKinds } from '../runtime/served-kind.js';
import { compareSurfaces, type ModelSurface, type SurfaceDifference } from '../surface/model-surface.js';
import { findTexts, type TextFinding } from '../text-checks/text-findings.js';
import { existingReference, groupByReference } from './outdated.js';
import { removeUnusedServers } from './unused-servers.js';

/** Possible update of an installed existing server. */
export interface ServerUpdatePlan {
  /** Its entries. */
  readonly receipts: readonly [Receipt, ...Receipt[]];
  /** Newest version that its reference allows; undefined if that one is installed. */
  readonly next?: ExistingServer & { readonly version: string };
  /** The new version, installed beside the present one. */
  readonly installed?: InstalledNpmServer;
  /** Changes that the model sees; undefined if the two versions were not started. */
  readonly differences?: readonly SurfaceDifference[];
  /** Faults of the texts that models read in the new version. Empty if it was not started. */
  readonly findings: readonly TextFinding[];
  /** Reason why the versions cannot be compared, or why there is no new version. */
  readonly error?: AgentToolsError;
}

export interface ServerUpdateDeps {
  readonly receipts: Receipts;
  readonly dataFolder: string;
  readonly resolve: ResolveDeps;
  readonly version: string;
  readonly now: () => Date;
  readonly tell: (text: string) => void;
}

/** Installed servers of npm and of registry entries: AgentTools pins their versions. `names`: keys, references; empty: all. */
export async function updatableServers(
  names: readonly string[],
  receipts: Receipts,
): Promise<readonly ServerUpdatePlan['receipts'][]> {
  const { records } = await receipts.all();
  const groups = groupByReference(records.flatMap((record) => record.receipts)).filter(([{ reference }]) =>
    ['npm', 'registry'].includes(existingReference(reference)?.kind ?? ''),
  );
  const isNamed = ({ key, reference, server }: Receipt) =>
    [key, reference, server, `npm:${reference}`].some((name) => names.includes(name));
  return names.length === 0 ? groups : groups.filter((group) => group.some(isNamed));
}

/**
 * Finds the newest version of a server and installs it beside the present one. `load`: starts both, and compares the items that
 * they list. Rejects only for defects.
 */
export async function planServerUpdate(
  receipts: ServerUpdatePlan['receipts'],
  { load, requireProvenance }: { readonly load: boolean; readonly requireProvenance: boolean },
  deps: ServerUpdateDeps,
): Promise<ServerUpdatePlan> {
  const [first] = receipts;
  deps.tell(`Looking for newer versions of ${first.reference}`);
  try {
    const next = await resolveExisting(existingReference(first.reference)!, deps.resolve);
    const { version, template } = next;
    if (version === undefined || next.reference === first.server) return { receipts, findings: [] };
    if (template.kind !== 'program' || template.runner.by !== 'npm')
      throw new AgentToolsError('refused', 'It starts in another way now. Install it again.');
    const { name, version: packageVersion, bin } = template.runner;
    deps.tell(`Installing ${name}@${packageVersion}`);
    const request = {
      name,
      version: packageVersion,
      bin,
      allowScripts: first.allowedScripts ?? [],
      requireProvenance,
    };
    const installed = await installNpmServer(request, {
      npm: deps.resolve.npm,
      dataFolder: deps.dataFolder,
      signal: deps.resolve.signal,
    });
    const plan = { receipts, findings: [], next: { ...next, version }, installed };
    return load ? { ...plan, ...(await compareVersions(plan, deps)) } : plan;
  } catch (error) {
    if (error instanceof AgentToolsError) return { receipts, findings: [], error };
    throw error;
  }
}

/** Writes the new version into the entries. @throws AgentToolsError if one was edited by hand, or cannot be written */
export async function applyServerUpdate(plan: ServerUpdatePlan, deps: ServerUpdateDeps): Promise<void> {
  const { receipts, next } = plan;
  if (!next) return;
  for (const receipt of receipts) {
    const client = findClient(receipt.client);
    const { format, container, key, file } = receipt;
    const tolerance = client.manual === undefined ? { tolerance: client.tolerance } : {};
    const updated = updatedReceipt(receipt, plan, deps);
    await changeConfig(
      file,
      (state) =>
        planInstall(state, {
          receipt: updated,
          place: { format, container, key, ...tolerance },
          force: false,
        }),
      { receipts: deps.receipts, dryRun: false },
    );
  }
  const { server } = hideSecrets(next, next.reference);
  await new ExistingRecords(deps.dataFolder).write(next.reference, server);
}

/** Removes a new version that was not applied. */
export async function discardServerUpdate(
  { installed }: ServerUpdatePlan,
  { receipts, dataFolder }: ServerUpdateDeps,
): Promise<void> {
  if (installed) await removeUnusedServers(receipts, dataFolder, [installed.folder]);
}

function updatedReceipt(receipt: Receipt, plan: ServerUpdatePlan, deps: ServerUpdateDeps): Receipt {
  const { next, installed } = plan;
  return {
    ...receipt,
    server: next!.reference,
    argument: next!.reference,
    serverVersion: next!.version,
    ...(receipt.folder !== undefined && { folder: installed!.folder }),
    entry: updatedEntry(receipt, plan, deps),
    version: deps.version,
    time: deps.now().toISOString(),
  };
}

/** The entry with the new script, the new package for npx, and the new reference for `start`. */
function updatedEntry(
  { entry, server }: Receipt,
  plan: ServerUpdatePlan,
  { dataFolder }: ServerUpdateDeps,
): ConfigEntry {
  const { next, installed } = plan;
  const { name, file } = installed!;
  const parent = npmServersFolder(dataFolder);
  const replace = (text: string) => {
    const isScript = text.startsWith(parent) && text.includes(`${name.replace('/', '+')}@`);
    if (isScript) return file;
    if (text === server) return next!.reference;
    return text.startsWith(`${name}@`) && !text.includes(' ') ? `${name}@${installed!.version}` : text;
  };
  return mapTexts(entry, replace) as ConfigEntry;
}

function mapTexts(value: ConfigValue, replace: (text: string) => string): ConfigValue {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((one: ConfigValue) => mapTexts(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mapTexts(one as ConfigValue, replace)]),
  );
}

/** Longest time for a server to list its items, in milliseconds. */
const timeoutMs = 30_000;

/** Starts both versions as the client starts them, and compares their lists. */
async function compareVersions(
  plan: ServerUpdatePlan,
  deps: ServerUpdateDeps,
): Promise<Partial<Pick<ServerUpdatePlan, 'differences' | 'error' | 'findings'>>> {
  const [receipt] = plan.receipts;
  deps.tell(`Comparing ${receipt.server} with ${plan.next!.reference}`);
  try {
    const before = await listItems(receipt, receipt.entry, deps);
    const after = await listItems(receipt, updatedEntry(receipt, plan, deps), deps);
    return {
      differences: compareSurfaces(toSurface(before), toSurface(after)),
      findings: findTexts(after),
    };
  } catch (error) {
    if (error instanceof AgentToolsError) return { error };
    throw error;
  }
}

async function listItems(
  { client: id }: Receipt,
  entry: ConfigEntry,
  deps: ServerUpdateDeps,
): Promise<readonly ListedItem[]> {
  const client = findClient(id);
  const launch = client.manual === undefined ? client.launchOf(entry) : undefined;
  if (!launch) throw new AgentToolsError('failed', `The entry in ${client.name} starts no program.`);
  const { env, signal, cwd } = deps.resolve;
  const variables = { ...env, ...launch.env };
  const child = { command: launch.command, args: launch.args, cwd: launch.cwd ?? cwd, env: variables };
  const { items } = await verifyServer(child, { timeoutMs, signal });
  return items;
}

/** Name, title and instructions of a server. */
function withoutVersion(value: unknown): ModelSurface['server'] {
  if (!isRecord(value)) return {};
  const { version: _, ...info } = isRecord(value.info) ? value.info : {};
  return { ...value, info };
}

function toSurface(items: readonly ListedItem[]): ModelSurface {
  const lists = listedKinds.map((kind) => {
    const own = items.filter((item) => `${item.kind}s` === kind);
    return [kind, new Map(own.map(({ name = '', value }) => [name, value as ConfigEntry]))] as const;
  });
  const own = items.find(({ kind }) => kind === 'server')?.value;
  return {
    server: withoutVersion(own),
    items: Object.fromEntries(lists) as unknown as ModelSurface['items'],
    exposures: {},
  };
}
