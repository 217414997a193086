import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { guardWrite } from '../base/file-fault.js';
import { FileAccessError, systemErrorCode } from '../base/files/file-error.js';
import { withLock } from '../base/files/lock.js';
import { temporaryFile } from '../base/files/temporary.js';
import { isRecord, isString } from '../base/value-checks.js';
import { isPublishedName } from '../extension/names.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import { checkOrigin, isProvenance, type Provenance } from '../npm/provenance.js';
import { runNpm } from '../npm/run-npm.js';
import { checkInstalled, type SignatureState } from '../npm/signatures.js';
import { programFile } from './npm-program.js';
import { publishedProgram } from './resolve-npm.js';
import { findScripted, readJson, type ScriptedPackage, scriptsOf } from './scripted-packages.js';

/** An npm server in its own folder. */
export interface InstalledNpmServer {
  readonly name: string;
  readonly version: string;
  /** Folder with the package, its dependencies and the lockfile. */
  readonly folder: string;
  /** Absolute path of the program's script. */
  readonly file: string;
  readonly scripted: readonly ScriptedPackage[];
  /** Verified provenance. Absent: it has none, or nothing is installed. */
  readonly provenance?: Provenance;
  /** Absent in older folders, or nothing is installed. */
  readonly signature?: SignatureState;
}

export interface NpmServerRequest {
  readonly name: string;
  /** Exact version. */
  readonly version: string;
  /** Program of the package. Default: the only one, or the one with the name of the package. */
  readonly bin?: string | undefined;
  /** Packages that may run their install scripts. */
  readonly allowScripts: readonly string[];
  /** Refuses a package without a verified provenance. Default: false. */
  readonly requireProvenance?: boolean;
}

export interface NpmServerDeps {
  /** Data folder of AgentTools. */
  readonly dataFolder: string;
  readonly npm: NpmDeps;
  readonly signal: AbortSignal;
}

/** Our record in the folder of a server. Its presence means that the folder is complete. */
const recordFile = 'agenttools-server.json';

/** As for extensions: exact versions, integrity in the lockfile, nothing for development. */
const flags = [
  '--save',
  '--save-exact',
  '--omit=dev',
  '--no-engine-strict',
  '--no-omit-lockfile-registry-resolved',
] as const;

/** Folder of all npm servers. */
export function npmServersFolder(dataFolder: string): string {
  return path.join(dataFolder, 'npm-servers');
}

/**
 * Installs an npm server into a separate folder, or finds it there. Install scripts run only for allowed packages.
 * @throws AgentToolsError if npm fails, or the package has no such program
 */
export async function installNpmServer(
  request: NpmServerRequest,
  deps: NpmServerDeps,
): Promise<InstalledNpmServer> {
  const { name, version } = request;
  if (!isPublishedName(name))
    throw new AgentToolsError('refused', `"${name}" is not a name that a package in a registry can have.`);
  const all = npmServersFolder(deps.dataFolder);
  const folder = path.join(all, folderName(request));
  await guardWrite(all, () => mkdir(all, { recursive: true, mode: 0o700 }));
  return await withLock(
    lockOf(folder),
    async () => {
      const record = await readRecord(folder);
      const isBuilt = record?.provenance !== undefined || !request.requireProvenance;
      const isEnough = record && isBuilt && request.allowScripts.every((one) => record.allowed.includes(one));
      if (!isEnough) await installAnew(folder, { ...request, earlier: record?.allowed ?? [] }, deps);
      return await describe(folder, request);
    },
    { signal: deps.signal },
  ).catch((error: unknown) => {
    deps.signal.throwIfAborted();
    throw error instanceof AgentToolsError
      ? error
      : new AgentToolsError('failed', `${name}@${version} cannot be installed: ${(error as Error).message}`, {
          cause: error,
        });
  });
}

/**
 * The server that {@link installNpmServer} would install. Writes nothing. Install scripts of dependencies are unknown until
 * the installation.
 * @throws AgentToolsError if the registry has no such version, or the package has no such program
 */
export async function planNpmServer(
  request: NpmServerRequest,
  { dataFolder, ...lookup }: NpmServerDeps,
): Promise<InstalledNpmServer> {
  const { name, version, bin, allowScripts } = request;
  const folder = npmServerFolder(dataFolder, request);
  if (await readRecord(folder)) return await describe(folder, request);
  const reference = { kind: 'npm', name, version, ...(bin !== undefined && { bin }) } as const;
  const { file, scripts } = await publishedProgram(reference, lookup);
  const said = scriptsOf(scripts);
  return {
    name,
    version,
    folder,
    file: path.resolve(folder, 'node_modules', name, file),
    scripted:
      said.length > 0 ? [{ name, version, scripts: said, isAllowed: allowScripts.includes(name) }] : [],
  };
}

/** Folder of one npm server. */
export function npmServerFolder(
  dataFolder: string,
  server: Pick<NpmServerRequest, 'name' | 'version'>,
): string {
  return path.join(npmServersFolder(dataFolder), folderName(server));
}

/** Names of scopes contain a slash. */
function folderName({ name, version }: Pick<NpmServerRequest, 'name' | 'version'>): string {
  return `${name.replace('/', '+')}@${version.replace(/[^\w.+-]/g, '_')}`;
}

/** Lock for the changes of a folder. */
function lockOf(folder: string): string {
  return `${folder}.lock`;
}

interface NewFolder extends NpmServerRequest {
  /** Packages with scripts that were allowed in the folder before. */
  readonly earlier: readonly string[];
}

async function installAnew(
  folder: string,
  request: NewFolder,
  { npm, dataFolder, signal }: NpmServerDeps,
): Promise<void> {
  const { name, version, requireProvenance = false } = request;
  // A stale one is removed by the next process that takes the lock.
  const staged = temporaryFile(path.dirname(folder));
  try {
    await guardWrite(staged, async () => {
      await mkdir(staged, { mode: 0o700 });
      await writeFile(path.join(staged, 'package.json'), '{ "private": true }\n');
    });
    await runNpm(['install', ...flags, '--', `${name}@${version}`], { folder: staged, setting: npm, signal });
    const signature = (await checkInstalled(staged, { npm, signal })).get(`${name}@${version}`);
    const origin = await checkOrigin(name, staged, { npm, dataFolder, requireProvenance, signal });
    const allowed = await chooseAllowed(staged, request);
    for (const one of allowed) {
      // Scripts of the named package alone: its dependencies are other packages.
      await runNpm(['rebuild', '--', one], {
        folder: staged,
        setting: npm,
        signal,
        withScripts: true,
      });
    }
    const provenance = origin?.provenance ?? undefined;
    const record = {
      format: 1,
      name,
      version,
      allowed,
      ...(signature && { signature }),
      ...(provenance && { provenance }),
    };
    await guardWrite(staged, () => writeFile(path.join(staged, recordFile), `${JSON.stringify(record)}\n`));
    await guardWrite(folder, () => putInPlace(staged, folder));
  } finally {
    await rm(staged, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

/**
 * Packages of a tree that may run their scripts.
 * @throws AgentToolsError if the user allows scripts of a package that has none
 */
async function chooseAllowed(
  folder: string,
  { name, version, allowScripts, earlier }: NewFolder,
): Promise<readonly string[]> {
  const wanted = [...new Set([...allowScripts, ...earlier])];
  if (wanted.length === 0) return [];
  const scripted = new Set((await findScripted(folder, [])).map((one) => one.name));
  const unknown = allowScripts.find((one) => !scripted.has(one));
  if (unknown === undefined) return wanted.filter((one) => scripted.has(one));
  const has = scripted.size === 0 ? 'No package' : `Only ${[...scripted].toSorted().join(', ')}`;
  const message = `${name}@${version} installs no package "${unknown}" with install scripts. ${has} has some. See --allow-scripts.`;
  throw new AgentToolsError('not-found', message);
}

/** Replaces a folder. A running server keeps the files that it has opened. */
async function putInPlace(staged: string, folder: string): Promise<void> {
  const old = temporaryFile(path.dirname(folder));
  await rename(folder, old).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  });
  await rename(staged, folder);
  await rm(old, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}

interface ServerRecord {
  readonly allowed: readonly string[];
  readonly provenance?: Provenance;
  readonly signature?: SignatureState;
}

/** Proofs of the origin of an installed server; undefined if it is not installed. */
export async function readNpmServerOrigin(
  dataFolder: string,
  server: Pick<NpmServerRequest, 'name' | 'version'>,
): Promise<Pick<InstalledNpmServer, 'provenance' | 'signature'> | undefined> {
  return await readRecord(npmServerFolder(dataFolder, server));
}

/** The record of a complete folder; undefined for a missing or incomplete one. */
async function readRecord(folder: string): Promise<ServerRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(path.join(folder, recordFile), 'utf8'));
    if (!isRecord(record) || record.format !== 1 || !Array.isArray(record.allowed)) return undefined;
    const { provenance, signature } = record;
    return {
      allowed: record.allowed.filter(isString),
      ...(isProvenance(provenance) && { provenance }),
      ...((signature === 'verified' || signature === 'unsigned') && { signature }),
    };
  } catch {
    return undefined;
  }
}

async function describe(folder: string, { name, bin }: NpmServerRequest): Promise<InstalledNpmServer> {
  const directory = path.join(folder, 'node_modules', name);
  const packageJson = await readJson(path.join(directory, 'package.json'));
  const file = path.resolve(directory, programFile(packageJson, name, bin));
  const record = await readRecord(folder);
  return {
    name,
    version: String(packageJson.version),
    folder,
    file,
    scripted: await findScripted(folder, record?.allowed ?? []),
    ...(record?.provenance && { provenance: record.provenance }),
    ...(record?.signature && { signature: record.signature }),
  };
}

/**
 * Removes the folders of npm servers that no text of `used` mentions a file of, except those that a process installs at the moment.
 * Returns their names. `among`: only these folders; absent: all.
 */
export async function removeUnusedNpmServers(
  dataFolder: string,
  used: readonly string[],
  among?: readonly string[],
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const folder of await findUnusedNpmServers(dataFolder, used)) {
    if (among && !among.includes(folder)) continue;
    if (await removeUnlessLocked(folder)) removed.push(path.basename(folder));
  }
  return removed;
}

/** Folders of npm servers that no text of `used` mentions a file of. */
export async function findUnusedNpmServers(
  dataFolder: string,
  used: readonly string[],
): Promise<readonly string[]> {
  const all = npmServersFolder(dataFolder);
  const names = await readdir(all).catch((): string[] => []);
  return names
    .filter((name) => /@[^@]+$/.test(name) && !/\.(?:lock|takeover)$/.test(name))
    .map((name) => path.join(all, name))
    .filter((folder) => !used.some((text) => text.includes(folder + path.sep)));
}

async function removeUnlessLocked(folder: string): Promise<boolean> {
  try {
    await withLock(lockOf(folder), () => rm(folder, { recursive: true, force: true, maxRetries: 3 }), {
      waitMs: 0,
    });
    return true;
  } catch (error) {
    if (error instanceof FileAccessError && error.reason === 'locked') return false;
    throw error;
  }
}
