import { visibleLine } from '../base/visible-text.js';

/** Longest name of a file or folder, in bytes, on all usual disks. */
const longestName = 255;

const longestPath = 1024;

/** Names of devices on Windows, also with an extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?: *\.|$)/i;

/** Checks of a whole path, each with the reason against it. */
const pathChecks: readonly (readonly [(path: string) => boolean, string])[] = [
  [(path) => path === '', 'has no name'],
  [(path) => path.includes('\0'), 'contains a NUL character'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  [(path) => /[\u0001-\u001f\u007f\ufffd]/.test(path), 'contains a control or undecodable character'],
  [(path) => path.includes('\\'), 'contains a backslash'],
  [(path) => /^[a-z]:/i.test(path), 'begins with a drive letter'],
  [(path) => path.startsWith('/'), 'is an absolute path'],
  [(path) => path.length > longestPath, `is longer than ${longestPath} characters`],
];

/** Checks of each name between slashes. */
const nameChecks: readonly (readonly [(name: string) => boolean, string])[] = [
  [(name) => name === '..', 'leaves the folder by ".."'],
  [(name) => name === '' || name === '.', 'contains an empty or "." segment'],
  [(name) => name.includes(':'), 'contains a colon, which names a stream on Windows'],
  [(name) => deviceName.test(name), 'is the name of a device on Windows'],
  [(name) => /[. ]$/.test(name), 'has a name that ends with a dot or blank, which Windows removes'],
  [(name) => Buffer.byteLength(name) > longestName, `has a name of more than ${longestName} bytes`],
];

/** Reason against the path of an archive entry; undefined if every system can create it inside a folder. */
export function entryPathFault(entryPath: string): string | undefined {
  const fault = pathChecks.find(([isFaulty]) => isFaulty(entryPath))?.[1];
  if (fault !== undefined) return fault;
  const names = entryPath.replace(/\/$/, '').split('/');
  return nameChecks.find(([isFaulty]) => names.some(isFaulty))?.[1];
}

/** Finds entries that would share a file or folder on a disk that ignores case. */
export class PathCollisions {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();

  /** Adds a path without fault. Returns the reason against it, if it collides with an earlier one. */
  add(entryPath: string): string | undefined {
    const isFolder = entryPath.endsWith('/');
    const names = entryPath.replace(/\/$/, '').split('/');
    const folders = isFolder ? names : names.slice(0, -1);
    for (let length = 1; length <= folders.length; length++) {
      const fault = this.#addFolder(folders.slice(0, length).join('/'));
      if (fault !== undefined) return fault;
    }
    return isFolder ? undefined : this.#addFile(entryPath);
  }

  #addFolder(folder: string): string | undefined {
    const key = foldCase(folder);
    const file = this.#files.get(key);
    if (file !== undefined) return `needs a folder in place of the file "${visibleLine(file)}"`;
    const held = this.#folders.get(key) ?? folder;
    this.#folders.set(key, held);
    return held === folder ? undefined : differsByCase(held);
  }

  #addFile(file: string): string | undefined {
    const key = foldCase(file);
    if (this.#folders.has(key)) return 'is both a file and a folder';
    const held = this.#files.get(key);
    if (held !== undefined) return held === file ? 'is a duplicate' : differsByCase(held);
    this.#files.set(key, file);
    return undefined;
  }
}

function differsByCase(held: string): string {
  return `differs from "${visibleLine(held)}" only in the case or the composition of letters`;
}

/** Both steps are necessary: some letters have several capital or small forms. */
function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase();
}
