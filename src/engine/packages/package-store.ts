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

/** A package that was added. */
export interface AddedPackage {
  readonly name: string;
  /** Its own folder, symbolic links resolved. */
  readonly directory: string;
  /** What npm installed for it: itself, its dependencies, the lockfile, our record. */
  readonly installation: string;
  readonly record: PackageRecord;
}

/**
 * The folder of added packages. Each is installed into a folder of its own, together with its dependencies, and is made
 * the one that counts by a link in `node_modules`: that link is replaced in one step, so that at every moment, also
 * after a crash, a package is there whole, in its old or its new version. What no link leads to counts for nothing.
 */
export class PackageStore {
  readonly #links: string;
  readonly #installations: string;
  /** Where packages were installed once; some may be there still. */
  readonly #formerInstallations: string;
  readonly #lockFile: string;

  constructor(packagesFolder: string) {
    const folder = path.dirname(packagesFolder);
    this.#links = packagesFolder;
    // Beside that folder, not in it: Node looks for imports in every `node_modules` above a package.
    this.#installations = path.join(folder, '../installed');
    this.#formerInstallations = path.join(folder, 'installed');
    this.#lockFile = path.join(folder, 'packages.lock');
  }

  /** Every package that was added, by name. @throws AgentToolsError if that cannot be told. */
  async all(): Promise<readonly AddedPackage[]> {
    const names = await guardRead(this.#links, () => this.#names());
    const found = await Promise.all(names.map((name) => this.find(name)));
    return found.filter((one) => one !== undefined);
  }

  /** A package that was added; undefined if there is none of that name. */
  async find(name: string): Promise<AddedPackage | undefined> {
    const found = await this.around(path.join(this.#links, name));
    return found?.name === name ? found : undefined;
  }

  /** A package that was added. @throws AgentToolsError saying which there are, if it is none of them. */
  async require(name: string): Promise<AddedPackage> {
    const packages = await this.all();
    const found = packages.find((one) => one.name === name);
    if (found) return found;
    const names = packages.map((one) => one.name);
    const meant = didYouMean(name, names);
    const hint = meant ? ` Did you mean "${meant}"?` : '';
    const form = isPackageName(name) ? '' : ' Give the name of a package, without a version or a server.';
    const known = names.length === 0 ? 'No package was added.' : `Added packages: ${names.join(', ')}.`;
    throw new AgentToolsError('not-found', `${name} is not a package that was added.${hint}${form} ${known}`);
  }

  /** The package that was added and with which npm installed what is in a folder; undefined if there is none. */
  async around(folder: string): Promise<AddedPackage | undefined> {
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

  /** Names by which something in a package is found, and which are not its own. Somebody has set their links otherwise. */
  async strangeNamesOf({ name, directory, installation }: AddedPackage): Promise<readonly string[]> {
    const names = await guardRead(this.#links, () => this.#names());
    const targets = await Promise.all(
      names.map(async (one) => [one, await realpath(path.join(this.#links, one)).catch(() => '')] as const),
    );
    const inside = targets.filter(([, target]) => target.startsWith(installation + path.sep));
    return inside.flatMap(([one, target]) => (one === name && target === directory ? [] : [one]));
  }

  /** A new folder to install something into. It is gone later if nobody puts it on the shelf. */
  async makeInstallation(): Promise<string> {
    return await guardWrite(this.#installations, async () => {
      await mkdir(this.#installations, { recursive: true });
      await removeStaleTemporaries(this.#installations);
      const folder = temporaryFile(this.#installations);
      await mkdir(folder);
      return folder;
    });
  }

  /** Does work that only one at a time may do. What is on the shelf changes in no other way. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    return await guardWrite(this.#links, () => withLock(this.#lockFile, work));
  }

  /**
   * Makes what is installed in a folder the package that counts. What counted before stays on the disk for a week, for
   * those who are running it. To be done {@link exclusively}.
   */
  async put(installation: string, record: PackageRecord): Promise<AddedPackage> {
    const { name, version } = record;
    await this.#clear();
    const link = path.join(this.#links, name);
    const present = await lstat(link).catch(() => undefined);
    if (present && !present.isSymbolicLink()) {
      const message = `${link} is there, but not by agenttools add. Move it away.`;
      throw new AgentToolsError('refused', message);
    }
    const plain = `${shortName(name)}-${version}`.replace(/[^\w.-]+/g, '_').slice(0, 80);
    const kept = path.join(this.#installations, `${plain}-${randomBytes(4).toString('hex')}`);
    await mkdir(path.dirname(link), { recursive: true });
    const before = await this.around(link);
    await retryWhileBusy(() => rename(installation, kept));
    const directory = path.join(kept, 'node_modules', name);
    await replaceLink(link, directory);
    if (before) await supersede(before);
    return { name, directory, installation: kept, record };
  }

  /** Takes a package off, and off the disk, with the versions before. To be done {@link exclusively}. */
  async takeOff({ name }: AddedPackage): Promise<void> {
    const link = path.join(this.#links, name);
    await retryWhileBusy(() => unlink(link));
    if (path.dirname(link) !== this.#links) await rmdir(path.dirname(link)).catch(() => undefined);
    await this.#clear({ gone: name });
  }

  /**
   * Removes what we put there, no link leads to and nobody works on or may be running; as far as that is possible. Where
   * it cannot be told what counts, everything stays.
   */
  async #clear(options: { readonly gone?: string } = {}): Promise<void> {
    await this.#clearAll(options).catch(() => undefined);
  }

  async #clearAll({ gone }: { readonly gone?: string }): Promise<void> {
    const links = await this.#names();
    const folders = new Set(links.map((name) => path.dirname(path.join(this.#links, name))));
    const places = [this.#installations, this.#formerInstallations];
    for (const folder of [this.#links, ...folders, ...places]) await removeStaleTemporaries(folder);
    const counting = await Promise.all(
      links.map((name) => realpath(path.join(this.#links, name)).catch(ignoreCodes(leadsNowhere, ''))),
    );
    for (const folder of await Promise.all(
      places.map((one) => realpath(one).catch(ignoreCodes(['ENOENT'], one))),
    )) {
      for (const name of await visibleNames(folder)) {
        const installation = path.join(folder, name);
        if (counting.some((directory) => directory.startsWith(installation + path.sep))) continue;
        if (!(await isOurs(installation))) continue;
        const isGone = gone !== undefined && (await readRecord(installation))?.name === gone;
        if (!isGone && (await mayRun(installation))) continue;
        await removeWhole(installation);
      }
    }
    // Only if nothing is left in it.
    await rmdir(this.#formerInstallations).catch(() => undefined);
  }

  async #names(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const name of await visibleNames(this.#links)) {
      if (!name.startsWith('@')) names.push(name);
      else
        names.push(
          ...(await visibleNames(path.join(this.#links, name), leadsNowhere)).map(
            (inner) => `${name}/${inner}`,
          ),
        );
    }
    return names.sort();
  }
}

/** As {@link PackageStore.put} names a folder. */
const installationName = /-[0-9a-f]{8}$/;

/** What a folder holds that npm has installed something into. */
const installedEntries = ['package.json', 'package-lock.json', 'node_modules'];

/** Whether we made a folder: nobody else's is removed, nor is what a link leads to. */
async function isOurs(folder: string): Promise<boolean> {
  if (!installationName.test(path.basename(folder))) return false;
  const isFolder = (await lstat(folder).catch(() => undefined))?.isDirectory() ?? false;
  const names = isFolder ? await readdir(folder).catch(() => undefined) : undefined;
  if (names === undefined) return false;
  return names.includes(recordName) || names.every((name) => installedEntries.includes(name));
}

/** What cannot be removed at once is left behind for the next command, and is not taken for somebody else's. */
async function removeWhole(folder: string): Promise<void> {
  const temporary = temporaryFile(path.dirname(folder));
  try {
    await rename(folder, temporary);
    await rm(temporary, { recursive: true, force: true });
  } catch {
    // Where it is in use, it stays for as long.
  }
}

/** In the folder of what counted before; its time tells since when it does not. */
const supersededName = 'superseded';

/** How long what counted before is kept: servers that were started with it may still import a part of it. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

/** If that cannot be noted, it is not kept. */
async function supersede({ installation }: AddedPackage): Promise<void> {
  await writeFile(path.join(installation, supersededName), '').catch(() => undefined);
}

async function mayRun(installation: string): Promise<boolean> {
  const superseded = await stat(path.join(installation, supersededName)).catch(() => undefined);
  return superseded !== undefined && Date.now() - superseded.mtimeMs < keptMs;
}

/** Replaces a link in one step. Only on Windows it is missing for a moment, where nothing can replace it. */
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

/** Names that are hidden are nobody's. */
async function visibleNames(
  folder: string,
  none: readonly string[] = ['ENOENT'],
): Promise<readonly string[]> {
  const names = await readdir(folder).catch(ignoreCodes<string[]>(none, []));
  return names.filter((name) => !name.startsWith('.'));
}

/** What the system says of a path at which there is nothing: a link is broken or leads to itself, a folder is a file. */
const leadsNowhere = ['ENOENT', 'ELOOP', 'ENOTDIR'];

/** What cannot be read is not taken to be absent: that would clear away what counts. */
function ignoreCodes<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(systemErrorCode(error) ?? '')) return value;
    throw error;
  };
}
