import { randomBytes } from 'node:crypto';
import {
  lstat,
  mkdir,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';
import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import { guardRead, guardWrite } from '../base/file-fault.js';
import { systemErrorCode } from '../base/files/file-error.js';
import { withLock } from '../base/files/lock.js';
import { retryWhileBusy } from '../base/files/retry-while-busy.js';
import { removeStaleTemporaries, temporaryFile } from '../base/files/temporary.js';
import { isPackageName, shortName } from '../extension/names.js';
import { type PackageRecord, readRecord, recordName } from './package-record.js';

/** A package added to the store. */
export interface AddedPackage {
  readonly name: string;
  /** Folder of the package, with symbolic links resolved. */
  readonly directory: string;
  /** Installation folder of npm: the package, its dependencies, the lockfile, the record. */
  readonly installation: string;
  readonly record: PackageRecord;
}

/**
 * Folder of added packages. Each package is installed into its own folder together with its dependencies, and
 * activated by a link in `node_modules`. The link is replaced atomically, so at any time, also after a crash,
 * a package is complete, in its old or new version. Installations without a link are inactive.
 */
export class PackageStore {
  readonly #links: string;
  readonly #installations: string;
  /** Former folder of installations, which may still contain some. */
  readonly #formerInstallations: string;
  readonly #lockFile: string;

  constructor(packagesFolder: string) {
    const folder = path.dirname(packagesFolder);
    this.#links = packagesFolder;
    // Next to that folder, not inside it: Node resolves imports from each `node_modules` above a package.
    this.#installations = path.join(folder, '../installed');
    this.#formerInstallations = path.join(folder, 'installed');
    this.#lockFile = path.join(folder, 'packages.lock');
  }

  /** All added packages, sorted by name. @throws AgentToolsError if the store cannot be read. */
  async all(): Promise<readonly AddedPackage[]> {
    const names = await guardRead(this.#links, () => this.#names());
    const found = await Promise.all(names.map((name) => this.find(name)));
    return found.filter((one) => one !== undefined);
  }

  /** Finds an added package by name; undefined if it was not added. */
  async find(name: string): Promise<AddedPackage | undefined> {
    const found = await this.findByFolder(path.join(this.#links, name));
    return found?.name === name ? found : undefined;
  }

  /** Returns an added package. @throws AgentToolsError with the added packages, if the name is unknown. */
  async require(name: string): Promise<AddedPackage> {
    const packages = await this.all();
    const found = packages.find((one) => one.name === name);
    if (found) return found;
    const names = packages.map((one) => one.name);
    const meant = didYouMean(name, names);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    const form = isPackageName(name) ? '' : ' Give the name of a package, without a version or a server.';
    const known = names.length === 0 ? 'No package was added.' : `Added packages: ${names.join(', ')}.`;
    throw new AgentToolsError(
      'not-installed',
      `${name} is not a package that was added.${hint}${form} ${known}`,
    );
  }

  /**
   * Finds the added package with an installation that contains a folder; undefined if the folder is in no
   * installation.
   */
  async findByFolder(folder: string): Promise<AddedPackage | undefined> {
    const [real, ...places] = await Promise.all(
      [folder, this.#installations, this.#formerInstallations].map((one) =>
        realpath(one).catch(() => undefined),
      ),
    );
    const installations = places.find((one) => one !== undefined && real?.startsWith(one + path.sep));
    if (installations === undefined || real === undefined) return undefined;
    const [first, ...rest] = path.relative(installations, real).split(path.sep);
    if (rest[0] !== 'node_modules') return undefined;
    const installation = path.join(installations, first!);
    const record = await readRecord(installation);
    if (!record) return undefined;
    const { name } = record;
    return { name, directory: path.join(installation, 'node_modules', name), installation, record };
  }

  /**
   * Names of links into the installation of a package other than its own link. Some other program or user
   * created them.
   */
  async foreignLinksTo({ name, directory, installation }: AddedPackage): Promise<readonly string[]> {
    const names = await guardRead(this.#links, () => this.#names());
    const targets = await Promise.all(
      names.map(async (one) => [one, await realpath(path.join(this.#links, one)).catch(() => '')] as const),
    );
    const inside = targets.filter(([, target]) => target.startsWith(installation + path.sep));
    return inside.flatMap(([one, target]) => (one === name && target === directory ? [] : [one]));
  }

  /** Creates a new installation folder. It is deleted later unless it is put into the store. */
  async makeInstallation(): Promise<string> {
    return await guardWrite(this.#installations, async () => {
      await mkdir(this.#installations, { recursive: true });
      await removeStaleTemporaries(this.#installations);
      const folder = temporaryFile(this.#installations);
      await mkdir(folder);
      return folder;
    });
  }

  /** Runs work under the lock of the store. All changes of the store require this lock. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    return await guardWrite(this.#links, () => withLock(this.#lockFile, work));
  }

  /**
   * Activates an installation. Keeps the previous one on disk for a week, for processes that use it. Requires
   * the lock, see {@link exclusively}.
   */
  async put(installation: string, record: PackageRecord): Promise<AddedPackage> {
    const { name, version } = record;
    await this.#clear();
    const link = path.join(this.#links, name);
    const present = await lstat(link).catch(() => undefined);
    if (present && !present.isSymbolicLink()) {
      const message = `${link} exists, but agenttools add did not create it. Move it away.`;
      throw new AgentToolsError('refused', message);
    }
    const plain = `${shortName(name)}-${version}`.replace(/[^\w.-]+/g, '_').slice(0, 80);
    const kept = path.join(this.#installations, `${plain}-${randomBytes(4).toString('hex')}`);
    await mkdir(path.dirname(link), { recursive: true });
    const before = await this.findByFolder(link);
    await retryWhileBusy(() => rename(installation, kept));
    const directory = path.join(kept, 'node_modules', name);
    await replaceLink(link, directory);
    if (before) await supersede(before);
    return { name, directory, installation: kept, record };
  }

  /**
   * Removes a package, also from disk, with its previous versions. Requires the lock, see
   * {@link exclusively}.
   */
  async delete({ name }: AddedPackage): Promise<void> {
    const link = path.join(this.#links, name);
    await retryWhileBusy(() => unlink(link));
    if (path.dirname(link) !== this.#links) await rmdir(path.dirname(link)).catch(() => undefined);
    await this.#clear({ gone: name });
  }

  /**
   * Removes inactive installations of AgentTools that no process is creating or may be running. Best effort:
   * if the links cannot be read, removes nothing.
   */
  async #clear(options: { readonly gone?: string } = {}): Promise<void> {
    await this.#clearAll(options).catch(() => undefined);
  }

  async #clearAll({ gone }: { readonly gone?: string }): Promise<void> {
    const links = await this.#names();
    const folders = new Set(links.map((name) => path.dirname(path.join(this.#links, name))));
    const places = [this.#installations, this.#formerInstallations];
    for (const folder of [this.#links, ...folders, ...places]) await removeStaleTemporaries(folder);
    for (const { folder, mayRun } of await this.inactive()) {
      const isGone = gone !== undefined && (await readRecord(folder))?.name === gone;
      if (isGone || !mayRun) await removeWhole(folder);
    }
    // Fails unless the folder is empty.
    await rmdir(this.#formerInstallations).catch(() => undefined);
  }

  /** Installations of AgentTools without a link: previous versions. `mayRun`: replaced so recently that servers may run it. */
  async inactive(): Promise<readonly { readonly folder: string; readonly mayRun: boolean }[]> {
    const found: { folder: string; mayRun: boolean }[] = [];
    const counting = await Promise.all(
      (await this.#names()).map((name) =>
        realpath(path.join(this.#links, name)).catch(ignoreCodes(unresolvedLinkCodes, '')),
      ),
    );
    for (const place of [this.#installations, this.#formerInstallations]) {
      const parent = await realpath(place).catch(ignoreCodes(['ENOENT'], place));
      for (const name of await visibleNames(parent)) {
        const folder = path.join(parent, name);
        if (counting.some((directory) => directory.startsWith(folder + path.sep))) continue;
        if (await isOurs(folder)) found.push({ folder, mayRun: await mayRun(folder) });
      }
    }
    return found;
  }

  /** Removes previous versions that no server may run. */
  async prune(): Promise<void> {
    await this.exclusively(async () => await this.#clearAll({}));
  }

  async #names(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const name of await visibleNames(this.#links)) {
      if (!name.startsWith('@')) names.push(name);
      else
        names.push(
          ...(await visibleNames(path.join(this.#links, name), unresolvedLinkCodes)).map(
            (inner) => `${name}/${inner}`,
          ),
        );
    }
    return names.sort();
  }
}

/** Folder name pattern of {@link PackageStore.put}. */
const installationName = /-[0-9a-f]{8}$/;

/** Entries of a folder after an npm installation. */
const installedEntries = ['package.json', 'package-lock.json', 'node_modules'];

/** True if AgentTools created the folder. Other folders are never removed, nor targets of links. */
async function isOurs(folder: string): Promise<boolean> {
  if (!installationName.test(path.basename(folder))) return false;
  const isFolder = (await lstat(folder).catch(() => undefined))?.isDirectory() ?? false;
  const names = isFolder ? await readdir(folder).catch(() => undefined) : undefined;
  if (names === undefined) return false;
  return names.includes(recordName) || names.every((name) => installedEntries.includes(name));
}

/**
 * Renames the folder first, so that a later command removes the rest of an incomplete removal as a stale
 * temporary.
 */
async function removeWhole(folder: string): Promise<void> {
  const temporary = temporaryFile(path.dirname(folder));
  try {
    await rename(folder, temporary);
    await rm(temporary, { recursive: true, force: true });
  } catch {
    // Folders in use stay until a later attempt.
  }
}

/** File in a previous installation. Its mtime is the time of the replacement. */
const supersededName = 'superseded';

/**
 * Time that a previous installation is kept, in milliseconds: running servers may still import parts of it.
 */
const keptMs = 7 * 24 * 60 * 60 * 1000;

/** If the file cannot be written, the installation is not kept. */
async function supersede({ installation }: AddedPackage): Promise<void> {
  await writeFile(path.join(installation, supersededName), '').catch(() => undefined);
}

async function mayRun(installation: string): Promise<boolean> {
  const superseded = await stat(path.join(installation, supersededName)).catch(() => undefined);
  return superseded !== undefined && Date.now() - superseded.mtimeMs < keptMs;
}

/**
 * Replaces a link atomically. On Windows, which has no atomic replacement, the link is missing for a moment.
 */
async function replaceLink(link: string, directory: string): Promise<void> {
  const isWindows = platform() === 'win32';
  const temporary = temporaryFile(path.dirname(link));
  await symlink(isWindows ? directory : path.relative(path.dirname(link), directory), temporary, 'junction');
  try {
    if (isWindows) await rm(link, { force: true });
    await retryWhileBusy(() => rename(temporary, link));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Ignores hidden names. */
async function visibleNames(
  folder: string,
  none: readonly string[] = ['ENOENT'],
): Promise<readonly string[]> {
  const names = await readdir(folder).catch(ignoreCodes<string[]>(none, []));
  return names.filter((name) => !name.startsWith('.'));
}

/**
 * System error codes for a path without a target: a broken or circular link, or a file instead of a folder.
 */
const unresolvedLinkCodes = ['ENOENT', 'ELOOP', 'ENOTDIR'];

/** Other read errors must not count as missing, or active installations would be removed. */
function ignoreCodes<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(systemErrorCode(error) ?? '')) return value;
    throw error;
  };
}
