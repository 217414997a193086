import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { forEachLimited } from '../base/concurrency.js';
import type { ClientEnvironment } from '../clients/client.js';
import { writableClients } from '../clients/table/index.js';

/** Files of a working copy, and files with credentials. */
const privateName =
  /^(?:\.git|\.DS_Store|\.env.*|\.npmrc|\.yarnrc\.yml|\.pypirc|[._]netrc|\.pgpass|\.htpasswd|\.git-credentials|\.ssh|\.gnupg|\.aws|\.kube|\.docker)$/i;

const keyName =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:p12|pfx|jks|keystore|kdbx|ppk)|(?:client_secret|service[_-]?account|credentials).*\.json)$/i;

/** True for a file or folder that no package contains. */
export function isPrivateFile(name: string): boolean {
  return privateName.test(name) || keyName.test(name);
}

/** True for a file that only holds keys. */
export function isKeyFile(name: string): boolean {
  return keyName.test(name);
}

/** A system without any client: the usual places of the config files below the home folder. */
const emptySystem: ClientEnvironment = {
  home: '/',
  env: {},
  platform: 'linux',
  exists: () => false,
  namesIn: () => [],
};

/** Folders of clients beside the folders of their config files. */
const otherFolders = ['.claude'];

/** Config files of clients and their folders, relative to a project. */
export const clientPlaces: ReadonlySet<string> = new Set([
  ...otherFolders,
  ...writableClients.flatMap(({ projectFiles = [], userFiles }) => [
    ...projectFiles.map(firstHidden),
    ...userFiles(emptySystem)
      .map((file) => firstHidden(path.posix.relative('/', file)))
      .filter((place) => place.startsWith('.')),
  ]),
]);

/** The folder with a dot that a path begins with, else the path. */
export function firstHidden(place: string): string {
  return place.startsWith('.') ? place.split('/')[0]! : place;
}

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Largest file that may be a key, in bytes. */
const maxKeyBytes = 64 * 1024;

/** Removes files with secrets or private keys from a new folder. Returns their paths, relative to the folder. */
export async function removeSecretFiles(
  folder: string,
  secrets: readonly string[],
): Promise<readonly string[]> {
  const removed: string[] = [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  await forEachLimited(files, 8, async ({ name, parentPath }) => {
    const mayBeKey = /\.(?:pem|key|p8|crt)$/i.test(name);
    if (!mayBeKey && secrets.length === 0) return;
    const file = path.join(parentPath, name);
    const bytes = await readFile(file);
    const isKey = mayBeKey && bytes.length <= maxKeyBytes && privateKey.test(bytes.toString('latin1'));
    if (!isKey && !secrets.some((secret) => bytes.includes(secret))) return;
    await rm(file);
    removed.push(path.relative(folder, file));
  });
  return removed.sort();
}
