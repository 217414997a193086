import { createLocator, type LocateValue } from '../clients/edit/locate.js';
import type { Receipts } from '../clients/receipts.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { SecretStore } from '../secrets/secret-store.js';
import { applyRepairs, type RepairedFile, type RepairReport } from './apply-repairs.js';
import { askRegistries, noRegistryFacts } from './ask-registries.js';
import { checks } from './checks/index.js';
import { answeredByClient, tokensOf } from './checks/started.js';
import { findingKinds, findingTable } from './codes.js';
import type { Finding, Found } from './finding.js';
import { type GatherDeps, type GatherOptions, gather } from './gather.js';
import type { ConfigPicture, Picture, Probe } from './picture.js';
import { createPositions } from './positions.js';
import { startServers } from './start-servers.js';

export interface DoctorRequest extends GatherOptions {
  /** True to start servers. */
  readonly isStarted: boolean;
  /** True to start servers that AgentTools did not install, too. */
  readonly isForeignStarted: boolean;
  readonly timeoutMs: number;
  /** True to ask npm registries. */
  readonly isPublishedChecked: boolean;
  /** `plan`: as a dry run. */
  readonly fix: 'no' | 'plan' | 'yes';
}

export interface DoctorDeps extends GatherDeps {
  readonly receipts: Receipts;
  readonly npm: NpmDeps;
  readonly secrets: SecretStore;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** Servers and tools of one client. */
export interface ClientTotals {
  readonly client: string;
  readonly servers: number;
  readonly tools: number;
  readonly tokens: number;
}

/** A server that was not started. */
interface NotStarted {
  readonly client: string;
  readonly key: string;
  readonly reason: string;
}

export interface DoctorReport {
  /** Remaining findings, in the order of their files. */
  readonly findings: readonly Finding[];
  /** Config files and entries that were looked at. */
  readonly looked: { readonly files: number; readonly entries: number; readonly started: number };
  /** Servers that were not started, with reasons in sentences. Empty if none may be started. */
  readonly notStarted: readonly NotStarted[];
  readonly totals: readonly ClientTotals[];
  readonly repairs: readonly RepairReport[];
  readonly files: readonly RepairedFile[];
}

/** Most rounds of repairs. One can reveal another fault of the same file. */
const maxRounds = 4;

/** Looks at all files of all clients and at everything that AgentTools wrote, and repairs the findings with one right answer. */
export async function runDoctor(request: DoctorRequest, deps: DoctorDeps): Promise<DoctorReport> {
  const known = new Map<string, Promise<Probe>>();
  const repairs: RepairReport[] = [];
  const files: RepairedFile[] = [];
  for (let round = 1; ; round++) {
    const picture = await takePicture(request, deps, known);
    const found = distinct(checks.flatMap((check) => [...check(picture)]));
    const isOver = !found.some(({ repair }) => repair) || round > maxRounds || request.fix === 'no';
    if (!isOver) {
      deps.tell('Repairing …');
      const dryRun = request.fix === 'plan';
      const done = await applyRepairs(found, { ...deps, dryRun });
      repairs.push(...done.repairs);
      files.push(...done.files);
      const isProgress = done.repairs.some(({ error }) => !error);
      if (!dryRun && isProgress) continue;
    }
    const findings = await placeAll(found);
    return { findings: sortFindings(findings), ...summarize(picture), repairs: lastOf(repairs), files };
  }
}

async function takePicture(
  { clients, moveSecrets, isStarted, isForeignStarted, timeoutMs, isPublishedChecked }: DoctorRequest,
  deps: DoctorDeps,
  known: Map<string, Promise<Probe>>,
): Promise<Picture> {
  const { npm, signal, tell } = deps;
  tell('Reading config files …');
  const fromFiles = await gather({ clients, moveSecrets }, deps);
  const probes = isStarted
    ? await startServers(fromFiles.entries, fromFiles, { isForeignStarted, timeoutMs, signal, tell, known })
    : new Map();
  const registry = isPublishedChecked
    ? await askRegistries(fromFiles.packages, { npm, signal, tell })
    : noRegistryFacts;
  return { ...fromFiles, probes, registry };
}

/** Clients that share a file have the same findings about it. The first client keeps them. */
function distinct(found: readonly Found[]): readonly Found[] {
  const seen = new Set<string>();
  return found.filter((one) => {
    const { code, entry, config = entry?.config, key = entry?.key, offset, file, client, message } = one;
    const place = config ? [config.realFile, config.text === null] : [file, client, message];
    const name = JSON.stringify([
      code,
      place,
      entry?.path ?? key,
      offset,
      config ? codesByMessage.has(code) && message : '',
    ]);
    return !seen.has(name) && seen.add(name) !== undefined;
  });
}

/** Codes with several findings for one entry. */
const codesByMessage = new Set<string>(['doctor/missing-secret', 'doctor/lost-tools', 'doctor/outdated']);

type Locators = Map<
  string,
  { readonly locate: LocateValue; readonly positionAt: ReturnType<typeof createPositions> }
>;

/** Finds the places of findings. Parses each file once. */
async function placeAll(found: readonly Found[]): Promise<readonly Finding[]> {
  const locators: Locators = new Map();
  for (const { config, entry } of found) {
    const file = config ?? entry?.config;
    if (!file || file.text === null || locators.has(locatorOf(file))) continue;
    const locate = await createLocator(file.text, file.client.format);
    locators.set(locatorOf(file), { locate, positionAt: createPositions(file.text) });
  }
  return found.map((one) => place(one, locators));
}

function locatorOf({ realFile, client }: ConfigPicture): string {
  return `${client.format} ${realFile}`;
}

function place({ code, message, note, fix, repair, ...where }: Found, locators: Locators): Finding {
  const { entry, config = entry?.config, path = entry?.path, key = entry?.key } = where;
  const file = config && locators.get(locatorOf(config));
  const offset = where.offset ?? (path && file?.locate(path));
  const { line = null, column = null } = (offset !== undefined && file?.positionAt(offset)) || {};
  const { severity, why } = findingKinds[code];
  return {
    code,
    severity,
    client: config?.client.id ?? where.client ?? null,
    file: config?.file ?? where.file ?? null,
    line,
    column,
    key: key ?? null,
    message: [message.trim(), why, ...(note ? [note] : [])].join(' '),
    fix,
    fixable: repair !== undefined,
  };
}

const severities = ['error', 'warning', 'info'];

/** By file, then by position. */
function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const order = findingTable.map(({ code }) => code);
  const rank = ({ file, client, line, severity, code }: Finding) =>
    [
      client ?? '~',
      file ?? '~',
      String(line ?? 0).padStart(9, '0'),
      severities.indexOf(severity),
      String(order.indexOf(code)).padStart(3, '0'),
    ].join('\0');
  return [...findings].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function summarize(picture: Picture): Pick<DoctorReport, 'looked' | 'totals' | 'notStarted'> {
  const { configs, entries, probes } = picture;
  const started = [...probes.values()].filter(({ state }) => state !== 'not started').length;
  const files = new Set(configs.map(({ realFile }) => realFile)).size;
  const slots = new Set(entries.map(({ config, path }) => JSON.stringify([config.realFile, path])));
  const totals = [...answeredByClient(picture)].map(([client, servers]) => ({
    client,
    servers: servers.length,
    tools: servers.reduce((sum, { tools }) => sum + tools.length, 0),
    tokens: tokensOf(client, servers),
  }));
  const notStarted = [...probes].flatMap(([{ config, key }, probe]) =>
    probe.state === 'not started' ? [{ client: config.client.id, key, reason: probe.reason }] : [],
  );
  return { looked: { files, entries: slots.size, started }, notStarted, totals };
}

/** Each repair once: a later round may repeat one that failed. */
function lastOf(repairs: readonly RepairReport[]): readonly RepairReport[] {
  return [...new Map(repairs.map((one) => [`${one.code} ${one.file} ${one.does}`, one])).values()];
}
