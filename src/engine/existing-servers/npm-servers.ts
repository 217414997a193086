import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { guardRead, guardWrite } from '../base/file-fault.js';
import { withLock } from '../base/files/lock.js';
import { pathFault } from '../base/files/path-containment.js';
import { isRecord, isString } from '../base/value-checks.js';
import { isPublishedName, shortName } from '../extension/names.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import { runNpm } from '../npm/run-npm.js';

/** A package of the installed tree with scripts that npm would run. */
interface ScriptedPackage {
  readonly name: string;
  readonly version: string;
  /** Scripts by event: `postinstall: node install.js`. */
  readonly scripts: readonly string[];
  /** True if the user allowed its scripts, and they ran. */
  readonly isAllowed: boolean;
}

/** An npm server in its own folder. */
export interface InstalledNpmServer {
  readonly name: string;
  readonly version: string;
  /** Folder with the package, its dependencies and the lockfile. */
  readonly folder: string;
  /** Absolute path of the program's script. */
  readonly file: string;
  readonly scripted: readonly ScriptedPackage[];
}

export interface NpmServerRequest {
  readonly name: string;
  /** Exact version. */
  readonly version: string;
  /** Program of the package. Default: the only one, or the one with the name of the package. */
  readonly bin?: string | undefined;
  /** Packages that may run their install scripts. */
  readonly allowScripts: readonly string[];
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
function npmServersFolder(dataFolder: string): string {
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
    path.join(all, `${path.basename(folder)}.lock`),
    async () => {
      const record = await readRecord(folder);
      const isEnough = record && request.allowScripts.every((one) => record.allowed.includes(one));
      if (!isEnough)
        await installAnew(
          folder,
          { ...request, allowScripts: [...new Set([...request.allowScripts, ...(record?.allowed ?? [])])] },
          deps,
        );
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

/** Names of scopes contain a slash. */
function folderName({ name, version }: Pick<NpmServerRequest, 'name' | 'version'>): string {
  return `${name.replace('/', '+')}@${version.replace(/[^\w.+-]/g, '_')}`;
}

async function installAnew(
  folder: string,
  request: NpmServerRequest,
  { npm, signal }: NpmServerDeps,
): Promise<void> {
  const { name, version, allowScripts } = request;
  const staged = `${folder}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await guardWrite(staged, async () => {
      await mkdir(staged, { mode: 0o700 });
      await writeFile(path.join(staged, 'package.json'), '{ "private": true }\n');
    });
    await runNpm(['install', ...flags, '--', `${name}@${version}`], { folder: staged, setting: npm, signal });
    for (const one of allowScripts) {
      // Scripts of the named package alone: its dependencies are other packages.
      await runNpm(['rebuild', '--', one], {
        folder: staged,
        setting: npm,
        signal,
        withScripts: true,
      });
    }
    const record = { format: 1, name, version, allowed: allowScripts };
    await guardWrite(staged, () => writeFile(path.join(staged, recordFile), `${JSON.stringify(record)}\n`));
    await guardWrite(folder, async () => {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      await rename(staged, folder);
    });
  } finally {
    await rm(staged, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

interface ServerRecord {
  readonly allowed: readonly string[];
}

/** The record of a complete folder; undefined for a missing or incomplete one. */
async function readRecord(folder: string): Promise<ServerRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(path.join(folder, recordFile), 'utf8'));
    if (!isRecord(record) || record.format !== 1 || !Array.isArray(record.allowed)) return undefined;
    return { allowed: record.allowed.filter(isString) };
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
  };
}

/**
 * File of a program of a package: the named one, else the only one, else the one with the name of the package.
 * @throws AgentToolsError with the programs that it has
 */
export function programFile(
  packageJson: Readonly<Record<string, unknown>>,
  name: string,
  wanted: string | undefined,
): string {
  const programs = programsOf(packageJson, name);
  const names = Object.keys(programs);
  if (names.length === 0) {
    const message = `The npm package ${name} has no program ("bin"), so it is not an MCP server that can be started.`;
    throw new AgentToolsError('refused', message);
  }
  const meant = wanted ?? (names.length === 1 ? names[0]! : shortName(name));
  const file = Object.hasOwn(programs, meant) ? programs[meant]! : undefined;
  if (file !== undefined && !pathFault(file)) return file;
  const choices = names.map((one) => `npm:${name}#${one}`).join(', ');
  const what = wanted === undefined ? 'has several programs' : `has no program "${wanted}"`;
  throw new AgentToolsError('ambiguous', `The npm package ${name} ${what}. Choose one: ${choices}`);
}

function programsOf(
  { bin }: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, string>> {
  if (isString(bin)) return { [shortName(name)]: bin };
  const entries = Object.entries(isRecord(bin) ? bin : {});
  return Object.fromEntries(entries.filter((pair): pair is [string, string] => isString(pair[1])));
}

/** Events for which npm runs scripts of installed packages. */
const events = ['preinstall', 'install', 'postinstall'] as const;

/** Packages with install scripts, from the lockfile and their package.json. */
async function findScripted(folder: string, allowed: readonly string[]): Promise<readonly ScriptedPackage[]> {
  const { packages } = await readJson(path.join(folder, 'package-lock.json'));
  const places = Object.entries(isRecord(packages) ? packages : {}).filter(
    ([place, entry]) => place !== '' && isRecord(entry) && entry.hasInstallScript === true,
  );
  return await Promise.all(
    places.map(async ([place, entry]) => {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const { scripts } = await readJson(path.join(folder, place, 'package.json')).catch(() => ({
        scripts: {},
      }));
      const said = events.flatMap((event) => {
        const script = isRecord(scripts) ? scripts[event] : undefined;
        return isString(script) ? [`${event}: ${script}`] : [];
      });
      return {
        name,
        version: String((entry as { readonly version?: unknown }).version),
        // npm builds a package with a binding.gyp and without scripts.
        scripts: said.length > 0 ? said : ['install: node-gyp rebuild'],
        isAllowed: allowed.includes(name),
      };
    }),
  );
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  const value: unknown = JSON.parse(await guardRead(file, () => readFile(file, 'utf8')));
  return isRecord(value) ? value : {};
}

/** Removes the folders of npm servers that no path of `used` is in. Returns their names. */
export async function removeUnusedNpmServers(
  dataFolder: string,
  used: readonly string[],
): Promise<readonly string[]> {
  const all = npmServersFolder(dataFolder);
  const names = await readdir(all).catch((): string[] => []);
  const unused = names.filter((name) => {
    const folder = path.join(all, name) + path.sep;
    return /@[^@]+$/.test(name) && !name.endsWith('.lock') && !used.some((file) => file.startsWith(folder));
  });
  for (const name of unused) await rm(path.join(all, name), { recursive: true, force: true, maxRetries: 3 });
  return unused;
}
