import { AgentToolsError } from '../base/errors.js';
import { isRecord, isString, type UnknownRecord } from '../base/value-checks.js';
import { shortenText } from '../base/visible-text.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { ExistingServer } from './existing-server.js';
import { programFile } from './npm-program.js';
import { shortServerName } from './server-name.js';
import type { NpmReference } from './server-reference.js';

export interface NpmLookup {
  readonly npm: NpmDeps;
  readonly signal: AbortSignal;
}

const maxVersionBytes = 5 * 1024 * 1024;

/**
 * Looks up an npm package with an MCP server. Downloads no code.
 * @throws AgentToolsError if the registry has no such version, or the package is an extension or has no program
 */
export async function resolveNpm(reference: NpmReference, lookup: NpmLookup): Promise<ExistingServer> {
  const { name, bin } = reference;
  const published = await fetchVersion(reference, lookup);
  const { version, description, homepage, deprecated, agenttools } = published;
  if (published.name !== name || !isString(version))
    throw new AgentToolsError('failed', `The registry answers with another package than ${name}.`);
  if (agenttools !== undefined) {
    const message = `The npm package ${name} is an AgentTools extension. Name it without "npm:", as in: agenttools install <client> ${name}`;
    throw new AgentToolsError('refused', message);
  }
  // Checks the choice before anything is downloaded.
  programFile(published, name, bin);
  const repository = isRecord(published.repository) ? published.repository.url : published.repository;
  const publisher = publisherOf(published);
  return {
    source: 'npm',
    reference: `npm:${name}@${version}${bin === undefined ? '' : `#${bin}`}`,
    name: shortServerName(name),
    ...(isString(description) && { description: shortenText(description, 1000) }),
    version,
    ...(publisher !== undefined && { publisher }),
    ...(isString(homepage) && { websiteUrl: homepage }),
    ...(isString(repository) && { repository }),
    inputs: [],
    template: {
      kind: 'program',
      runner: { by: 'npm', name, version, ...(bin !== undefined && { bin }) },
      args: [],
      env: {},
    },
    notes:
      isString(deprecated) && deprecated !== ''
        ? [`${name}@${version} is deprecated: ${shortenText(deprecated, 300)}`]
        : [],
  };
}

/** The version that a reference means now. Downloads no code. @throws AgentToolsError if the registry has no such version */
export async function publishedVersion(reference: NpmReference, lookup: NpmLookup): Promise<string> {
  const { version } = await fetchVersion(reference, lookup);
  if (isString(version)) return version;
  throw new AgentToolsError('failed', `The registry answers without a version of ${reference.name}.`);
}

/** Program and install scripts of a published package. */
export interface PublishedProgram {
  /** Relative to the folder of the package. */
  readonly file: string;
  readonly scripts: Readonly<Record<string, unknown>>;
}

/**
 * Reads from the registry where the program of a package will be. Downloads no code.
 * @throws AgentToolsError if the registry has no such version, or the package has no such program
 */
export async function publishedProgram(
  reference: NpmReference,
  lookup: NpmLookup,
): Promise<PublishedProgram> {
  const published = await fetchVersion(reference, lookup);
  const { scripts } = published;
  const file = programFile(published, reference.name, reference.bin);
  return { file, scripts: isRecord(scripts) ? scripts : {} };
}

/**
 * Replaces a missing version, a tag or a range of an npm server by the exact version. Others are returned as they are.
 * @throws AgentToolsError as {@link resolveNpm}
 */
export async function pinNpm(server: ExistingServer, lookup: NpmLookup): Promise<ExistingServer> {
  const { template } = server;
  if (template.kind !== 'program' || template.runner.by !== 'npm') return server;
  const { name, version, bin } = template.runner;
  if (isExact(version)) return server;
  const reference = { kind: 'npm', name, version, ...(bin !== undefined && { bin }) } as const;
  const found = await resolveNpm(reference, lookup);
  const runner = { ...template.runner, version: found.version! };
  return { ...server, template: { ...template, runner }, notes: [...server.notes, ...found.notes] };
}

/** False for tags and ranges. */
function isExact(version: string): boolean {
  return /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version);
}

/** Tags are no ranges: npm refuses to publish `1.x`, `v1` or `x` as a tag. */
function isTag(version: string): boolean {
  return /^[a-z_][\w.-]*$/i.test(version) && !/^(?:v\d|x$|x\.)/i.test(version);
}

function publisherOf({ _npmUser: user, maintainers }: UnknownRecord): string | undefined {
  const [first] = Array.isArray(maintainers) ? (maintainers as unknown[]) : [];
  const names = [user, first].map((one) => (isRecord(one) ? one.name : undefined));
  const found = names.find((name) => isString(name) && name !== '');
  return isString(found) ? shortenText(found, 100) : undefined;
}

/** Versions and tags are paths of the registry. The user's npm resolves ranges. */
async function fetchVersion(reference: NpmReference, { npm, signal }: NpmLookup): Promise<UnknownRecord> {
  const { name, version = 'latest' } = reference;
  const [{ readNpmSettings }, { getJson, RegistryError }] = await Promise.all([
    import('../npm/settings.js'),
    import('../npm/registry.js'),
  ]);
  const settings = await readNpmSettings(npm);
  const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined;
  const registry =
    settings.registries.find((one) => scope !== undefined && one.scope === scope) ?? settings.registries[0];
  const exact = isExact(version) || isTag(version) ? version : await resolveRange(reference, { npm, signal });
  const path = `/${encodeURIComponent(name).replace(/^%40/, '@')}/${encodeURIComponent(exact)}`;
  try {
    const found = await getJson(path, {
      settings,
      registry: registry.url,
      maxBytes: maxVersionBytes,
      signal,
    });
    return isRecord(found) ? found : {};
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RegistryError)) throw error;
    const what = `the npm package ${name}${reference.version === undefined ? '' : `@${version}`}`;
    if (error.fault === 'not-found')
      throw new AgentToolsError('not-found', `The registry does not have ${what}.`, { cause: error });
    throw new AgentToolsError(
      'failed',
      `${what[0]!.toUpperCase()}${what.slice(1)} cannot be looked up: ${error.message}`,
      { cause: error },
    );
  }
}

/** The highest version in a range, such as `^1.2`. */
async function resolveRange({ name, version }: NpmReference, { npm, signal }: NpmLookup): Promise<string> {
  const [{ runNpm }, { mkdtemp, rm }, { tmpdir }, path] = await Promise.all([
    import('../npm/run-npm.js'),
    import('node:fs/promises'),
    import('node:os'),
    import('node:path'),
  ]);
  const folder = await mkdtemp(path.join(tmpdir(), 'agenttools-'));
  try {
    const { stdout } = await runNpm(['view', '--', `${name}@${version}`, 'version'], {
      folder,
      setting: npm,
      signal,
    });
    // One line: `1.2.0`. Several: `acme@1.2.0 '1.2.0'`, in ascending order.
    const last = stdout.trim().split('\n').at(-1) ?? '';
    const [found] = /[^\s@']+(?='?$)/.exec(last) ?? [];
    if (found !== undefined) return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  throw new AgentToolsError('not-found', `The npm package ${name} has no version in the range ${version}.`);
}
