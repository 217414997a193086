import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { contains, isFile, isLink, resolveFile } from './system-files.js';

/** A path in the sandbox that must lead to a file outside. */
export interface NeededFile {
  /** Absolute path with links resolved. */
  readonly source: string;
  /** Another path that leads to it, as a link. */
  readonly link?: string;
}

/** The file of a program: an absolute path, or the first one on the `PATH`; undefined without one. */
export function findProgram(command: string, searchPath: string, cwd: string): string | undefined {
  if (command.includes('/')) {
    const file = path.resolve(cwd, command);
    return isExecutable(file) ? file : undefined;
  }
  const folders = searchPath.split(':').filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, command)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false;
  }
}

/** Most interpreters in a row: a script that a script interprets. */
const maxDepth = 4;

/** The files that a program needs to start: itself, its link, the package of a script, and the interpreter of a script. */
export function programFiles(file: string, searchPath: string, depth = 0): readonly NeededFile[] {
  const source = resolveFile(file);
  if (source === undefined || depth > maxDepth) return [];
  const own: NeededFile[] = [
    { source, ...(source !== file && { link: file }) },
    ...packageOf(source).map((folder) => ({ source: folder })),
  ];
  const interpreters = interpretersOf(source, searchPath);
  return [...own, ...interpreters.flatMap((one) => programFiles(one, searchPath, depth + 1))];
}

/** Longest first line of a script that Linux reads. */
const maxFirstLine = 256;

/** `#!/usr/bin/env -S node --flag` names two programs. */
function interpretersOf(file: string, searchPath: string): readonly string[] {
  const bytes = Buffer.alloc(maxFirstLine);
  const descriptor = openSync(file, 'r');
  const length = readSync(descriptor, bytes);
  closeSync(descriptor);
  const [line = ''] = bytes.toString('latin1', 0, length).split('\n', 1);
  if (!line.startsWith('#!')) return [];
  const [interpreter, ...words] = line.slice(2).trim().split(/\s+/);
  if (interpreter === undefined || !path.isAbsolute(interpreter)) return [];
  const named = words.find((word) => !word.startsWith('-') && !word.includes('='));
  const isEnv = path.basename(interpreter) === 'env' && named !== undefined;
  const program = isEnv ? findProgram(named, searchPath, '/') : undefined;
  return [interpreter, ...(program === undefined ? [] : [program])];
}

/**
 * The folders with the code of a script: its package and the `node_modules` around it. A file that belongs to no package
 * has none.
 */
function packageOf(file: string): readonly string[] {
  const outermost = file.indexOf(`${path.sep}node_modules${path.sep}`);
  if (outermost !== -1) return [path.join(file.slice(0, outermost), 'node_modules')];
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (isFile(path.join(folder, 'package.json')) || isFile(path.join(folder, 'manifest.json')))
      return [folder, ...modulesAbove(folder)];
  }
  return [];
}

/** The `node_modules` of the folders above a package, with the dependencies that npm has hoisted. */
export function modulesAbove(folder: string): readonly string[] {
  const found: string[] = [];
  for (let above = path.dirname(folder); above !== path.dirname(above); above = path.dirname(above)) {
    const modules = path.join(above, 'node_modules');
    if (existsSync(modules)) found.push(modules);
  }
  return found;
}

interface ArgumentPlaces {
  readonly cwd: string;
  /** The only folders of the files. Undefined: any. */
  readonly folders?: readonly string[] | undefined;
}

/** The absolute paths of arguments that name files, and links on the way. */
export function argumentFiles(
  args: readonly string[],
  { cwd, folders: places }: ArgumentPlaces,
): readonly NeededFile[] {
  return args.flatMap((word) => {
    if (word.startsWith('-') || word.includes('\0')) return [];
    const file = path.resolve(cwd, word);
    const source = isFile(file) ? resolveFile(file) : undefined;
    if (source === undefined || (places && !isInOneOf(places, source))) return [];
    const isCode = /\.(?:[cm]?js|[cm]?ts|py|rb|php)$/.test(source);
    const folders = isCode ? packageOf(source) : [];
    const link = source !== file && isLink(file) ? { link: file } : {};
    return [{ source, ...link }, ...folders.map((folder) => ({ source: folder }))];
  });
}

/** True if code in one of the folders may start a program without a permission. */
export function isInOneOf(folders: readonly string[], file: string): boolean {
  const source = resolveFile(file) ?? file;
  return folders.some((folder) => contains(resolveFile(folder) ?? folder, source));
}

interface PrivateFolders {
  readonly home: string;
  readonly dataFolder: string;
}

/** The files without folders that contain the home folder of the user or the data folder of AgentTools. */
export function codeOf(
  files: readonly NeededFile[],
  { home, dataFolder }: PrivateFolders,
): readonly NeededFile[] {
  return files.filter(({ source }) => !contains(source, home) && !contains(source, dataFolder));
}
