import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** Library and data folders of the system that programs read. None contains programs of a `PATH`. */
const libraries = [
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libx32',
  '/usr/share',
  '/usr/local/lib',
  '/usr/local/lib64',
  '/usr/local/share',
  '/nix/store',
  '/gnu/store',
];

/** Folders that are links to folders of `/usr` on most systems. */
const topFolders = ['/lib', '/lib32', '/lib64', '/libx32', '/bin', '/sbin'];

/** Settings of the system without secrets. `/etc/ssl/private` stays out. */
const settings = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/nsswitch.conf',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/protocols',
  '/etc/services',
  '/etc/ssl/cert.pem',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];

/** Words of bubblewrap that make libraries and settings of the system readable. */
export function systemWords(): readonly string[] {
  const tops = topFolders.flatMap((folder) => {
    if (isLink(folder)) return ['--symlink', readlinkSync(folder), folder];
    return folder.startsWith('/lib') ? ['--ro-bind-try', folder, folder] : [];
  });
  return [...[...libraries, ...settings].flatMap((one) => ['--ro-bind-try', one, one]), ...tops];
}

/** True if every sandbox has a file anyway. */
export function isSystemFile(file: string): boolean {
  return [...libraries, ...topFolders.filter((folder) => folder.startsWith('/lib'))].some(
    (folder) => file === folder || file.startsWith(`${folder}/`),
  );
}

/** A file or folder with its links resolved; undefined if it does not exist. */
export function resolveFile(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/** True for a regular file. Any text can be asked about, also one that is too long for a path. */
export function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** True if a path is a symbolic link. */
export function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** True for a folder, and for everything in it. */
export function contains(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(relative === '..' || relative.startsWith('../') || path.isAbsolute(relative));
}
