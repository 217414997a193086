import path from 'node:path';
import { statFile } from '../base/files/disk.js';
import { isRecord, isString, type UnknownRecord } from '../base/value-checks.js';
import type { WrapSource } from './wrap-source.js';

interface MovedEndpoint {
  readonly endpoint: UnknownRecord;
  /** Folder of this machine that the server does not run in, since its files are in the extension. */
  readonly droppedFolder?: string;
}

/**
 * Replaces folders in the paths of an endpoint by their copies in the extension. Paths of arguments and variables become
 * relative to the working directory, the others to the package.
 */
export function movePaths(endpoint: UnknownRecord, folders: WrapSource['folders']): MovedEndpoint {
  const { cwd, command, ...others } = endpoint;
  const origin = isString(cwd) ? cwd : Object.values(folders)[0];
  const inPackage = isString(cwd) ? moveText(cwd, folders) : undefined;
  const isInPackage = inPackage?.startsWith('./') === true;
  const folder = isInPackage ? normalFolder(inPackage) : undefined;
  const change = (text: string) => {
    const moved = moveText(origin === undefined ? text : resolveParts(text, origin), folders);
    return moved === text ? text : relateParts(moved, folder ?? '.', folders);
  };
  const moved = mapTexts(others, change);
  const isMoved = JSON.stringify(moved) !== JSON.stringify(others);
  const isDropped = isString(cwd) && !isInPackage && isMoved;
  return {
    endpoint: {
      ...(command !== undefined && { command: isString(command) ? moveText(command, folders) : command }),
      ...moved,
      ...(cwd !== undefined && !isDropped && { cwd: folder ?? cwd }),
    },
    ...(isDropped && { droppedFolder: cwd }),
  };
}

function mapTexts(value: UnknownRecord, change: (text: string) => string): UnknownRecord {
  const map = (one: unknown): unknown => {
    if (isString(one)) return change(one);
    if (Array.isArray(one)) return one.map(map);
    return isRecord(one) ? mapTexts(one, change) : one;
  };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, map(one)]));
}

/** Characters between the paths of a list, and between a flag and its path. */
const before = `(?<=^|[=:;,\\s"'(]|:-)`;
const after = `(?=$|[/\\\\=:;,\\s"')}])`;

/** Replaces folders at the start of the paths in a text. */
function moveText(text: string, folders: WrapSource['folders']): string {
  let moved = text;
  for (const [to, from] of Object.entries(folders)) {
    const escaped = from.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    moved = moved.replace(new RegExp(`${before}${escaped}${after}`, 'g'), () => `./${to}`);
  }
  return moved;
}

const relativePart = /(?<=^|[=:;,])\.{1,2}[\\/][^=:;,]*/g;

/** Makes the relative paths in a text absolute, if they exist. */
function resolveParts(text: string, folder: string): string {
  if (!path.isAbsolute(folder)) return text;
  return text.replace(relativePart, (part) => {
    const place = path.resolve(folder, part);
    return statFile(place) === undefined ? part : place;
  });
}

/** Makes moved paths relative to a folder of the package. */
function relateParts(text: string, folder: string, folders: WrapSource['folders']): string {
  const names = Object.keys(folders).join('|');
  const moved = new RegExp(`${before}\\./(?:${names})${after}[^=:;,\\s"')}]*`, 'g');
  return text.replace(moved, (part) => {
    const relative = path.posix.relative(folder, part.replaceAll('\\', '/')) || '.';
    return relative.startsWith('.') ? relative : `./${relative}`;
  });
}

function normalFolder(folder: string): string {
  return `./${path.posix.normalize(folder.replaceAll('\\', '/')).replace(/\/$/, '')}`;
}

/** Absolute paths of this machine in a text, which other machines do not have. */
export function machinePaths(text: string): readonly string[] {
  if (path.isAbsolute(text) && !/[:;,]/.test(text)) return [text];
  const parts = text.split(/[=:;,]/).filter((part) => path.isAbsolute(part) && !part.startsWith('//'));
  return parts.filter((part) => statFile(part) !== undefined);
}
