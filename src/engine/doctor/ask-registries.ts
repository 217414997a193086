import { forEachLimited } from '../base/concurrency.js';
import { isRecord, isString } from '../base/value-checks.js';
import { latestVersion } from '../npm/latest-version.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import { postJson, RegistryError } from '../npm/registry.js';
import { readNpmSettings } from '../npm/settings.js';
import { installedPackages, registryOf } from '../npm/signatures.js';
import type { RegistryFacts, UsedPackage, Vulnerability } from './picture.js';

interface AskOptions {
  readonly npm: NpmDeps;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** Facts without any question to a registry. */
export const noRegistryFacts: RegistryFacts = { newest: new Map(), vulnerable: new Map(), unavailable: [] };

/** Requests at a time. */
const maxAtOnce = 8;

/** Largest answer, in bytes. */
const maxBytes = 16 * 1024 * 1024;

/** Longest wait for data, in milliseconds. */
const timeoutMs = 10_000;

interface RegistryRequest {
  readonly settings: Awaited<ReturnType<typeof readNpmSettings>>;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Asks the npm registries of the user for newer versions and known vulnerabilities. Never rejects because of a registry. */
export async function askRegistries(
  packages: readonly UsedPackage[],
  { npm, signal, tell }: AskOptions,
): Promise<RegistryFacts> {
  if (packages.length === 0) return noRegistryFacts;
  const request = { settings: await readNpmSettings(npm), maxBytes, timeoutMs, signal };
  const unavailable = new Set<string>();
  tell('Asking the npm registry for newer versions …');
  const newest = await findNewest(packages, request, unavailable);
  tell('Asking the npm registry for known vulnerabilities …');
  const vulnerable = await audit(packages, request, unavailable);
  return { newest, vulnerable, unavailable: [...unavailable] };
}

/** The version of the tag `latest` of each package. */
async function findNewest(
  packages: readonly UsedPackage[],
  request: RegistryRequest,
  unavailable: Set<string>,
): Promise<RegistryFacts['newest']> {
  const newest = new Map<string, string>();
  await forEachLimited(new Set(packages.map(({ name }) => name)), maxAtOnce, async (name) => {
    const registry = registryOf(name, request.settings);
    const version = await latestVersion(name, request).catch((error: unknown) =>
      noteUnavailable(error, `Newer versions: not available. ${hostOf(registry)}`, unavailable),
    );
    if (version !== undefined) newest.set(name, version);
  });
  return newest;
}

/** A package that is not found is no fault of its registry. */
function noteUnavailable(error: unknown, label: string, unavailable: Set<string>): undefined {
  if (!(error instanceof RegistryError)) throw error;
  if (error.fault !== 'not-found') unavailable.add(`${label} ${reasons[error.fault] ?? 'does not answer'}.`);
}

const reasons: Readonly<Partial<Record<RegistryError['fault'], string>>> = {
  offline: 'cannot be reached',
  unauthorized: 'wants other credentials',
  unsupported: 'does not support this',
};

function hostOf(registry: string): string {
  return URL.canParse(registry) ? new URL(registry).host : 'The registry';
}

/**
 * Asks each registry once about all its packages in the lockfiles.
 * @see https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md, npm's `npm audit`
 */
async function audit(
  packages: readonly UsedPackage[],
  request: RegistryRequest,
  unavailable: Set<string>,
): Promise<RegistryFacts['vulnerable']> {
  const trees = new Map<UsedPackage, readonly { readonly name: string; readonly version: string }[]>();
  for (const used of packages) {
    const { folder } = used;
    const tree = folder === undefined ? [] : await installedPackages(folder).catch(() => []);
    trees.set(used, tree.length > 0 ? tree : [used]);
  }
  const questions = new Map<string, Map<string, Set<string>>>();
  for (const { name, version } of [...trees.values()].flat()) {
    const registry = registryOf(name, request.settings);
    const asked = questions.get(registry) ?? new Map<string, Set<string>>();
    questions.set(registry, asked.set(name, (asked.get(name) ?? new Set()).add(version)));
  }
  const known = new Map<string, readonly Omit<Vulnerability, 'name' | 'version'>[]>();
  for (const [registry, asked] of questions) {
    const body = Object.fromEntries([...asked].map(([name, versions]) => [name, [...versions]]));
    const label = `Known vulnerabilities: not available. ${hostOf(registry)}`;
    const answer = await postJson('/-/npm/v1/security/advisories/bulk', body, { ...request, registry }).catch(
      (error: unknown) => {
        // A registry without audits has no such path.
        if (error instanceof RegistryError && error.fault === 'not-found')
          unavailable.add(`${label} does not answer audits.`);
        return noteUnavailable(error, label, unavailable);
      },
    );
    for (const [name, list] of Object.entries(isRecord(answer) ? answer : {}))
      known.set(name, readAdvisories(list));
  }
  const found = [...trees].map(([used, tree]) => {
    const faults = tree.flatMap(({ name, version }) =>
      (known.get(name) ?? []).map((one) => ({ ...one, name, version })),
    );
    return [used, faults] as const;
  });
  return new Map(found);
}

function readAdvisories(list: unknown): readonly Omit<Vulnerability, 'name' | 'version'>[] {
  return (Array.isArray(list) ? list : []).flatMap((one) => {
    if (!isRecord(one) || !isString(one.title)) return [];
    return [{ title: one.title, severity: String(one.severity), url: isString(one.url) ? one.url : '' }];
  });
}
