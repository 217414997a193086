import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { cacheFolderOf, dataFolderOf, type FolderFacts } from './system-folders.js';

export type { FolderFacts } from './system-folders.js';

/** Folders for lookup and storage. Each is absolute; none has to exist. */
export interface WorkspaceFolders {
  readonly homeDirectory: string;
  /** Bundled extensions, one per folder. */
  readonly builtinFolder: string;
  /** The `node_modules` of the package store. */
  readonly packagesFolder: string;
  /** The `node_modules` of `npm install --global`. */
  readonly globalFolder: string;
  /** The `node_modules` that holds this program, if any. */
  readonly siblingsFolder?: string;
  /** The extension that holds the user servers. */
  readonly userServersFolder: string;
  /** Persistent data: packages, user servers, receipts. */
  readonly dataFolder: string;
  /** Data that can be fetched again. */
  readonly cacheFolder: string;
}

export function workspaceFolders(facts: FolderFacts): WorkspaceFolders {
  const dataFolder = dataFolderOf(facts);
  return {
    homeDirectory: facts.home,
    builtinFolder: path.join(packageRoot(), 'src', 'builtin'),
    packagesFolder: path.join(dataFolder, 'packages', 'node_modules'),
    globalFolder: resolveGlobalFolder(facts),
    ...resolveSiblingsFolder(packageRoot()),
    userServersFolder: path.join(dataFolder, 'servers'),
    dataFolder,
    cacheFolder: cacheFolderOf(facts),
  };
}

/** Packages installed next to this one must be found too, also below a prefix other than npm's. */
function resolveSiblingsFolder(root: string): Pick<WorkspaceFolders, 'siblingsFolder'> {
  const folder = path.dirname(root);
  return path.basename(folder) === 'node_modules' ? { siblingsFolder: folder } : {};
}

/**
 * Folder of global npm packages. Follows npm's own rules, since running npm would take half a second.
 * @see https://docs.npmjs.com/cli/configuring-npm/folders, https://docs.npmjs.com/cli/using-npm/config#prefix
 */
function resolveGlobalFolder({ env, home, platform, execPath = process.execPath }: FolderFacts): string {
  const prefix = env.npm_config_prefix || env.NPM_CONFIG_PREFIX || env.PREFIX || prefixInNpmrc(home, env);
  if (platform === 'win32') {
    const folder = prefix || path.join(env.APPDATA || path.join(home, 'AppData', 'Roaming'), 'npm');
    return path.join(folder, 'node_modules');
  }
  return path.join(prefix || path.resolve(path.dirname(execPath), '..'), 'lib', 'node_modules');
}

/** The `prefix` of the user's npm configuration. */
function prefixInNpmrc(home: string, env: FolderFacts['env']): string | undefined {
  const text = readTextIfPresent(env.npm_config_userconfig || path.join(home, '.npmrc'));
  const [, value] = text?.match(/^[ \t]*prefix[ \t]*=[ \t]*(.*?)[ \t]*$/m) ?? [];
  if (!value) return undefined;
  const plain = value
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/\$\{(\w+)\}/g, (whole, name: string) => env[name] ?? whole);
  return path.resolve(home, plain.replace(/^~(?=$|[\\/])/, home));
}

let root: string | undefined;

/** Folder of this package, for any location of the running bundle in it. */
export function packageRoot(): string {
  root ??= nearestPackage(path.dirname(fileURLToPath(import.meta.url)));
  return root;
}

function nearestPackage(folder: string): string {
  const text = readTextIfPresent(path.join(folder, 'package.json'));
  if (text !== undefined && (JSON.parse(text) as { name?: unknown }).name === 'agenttools') return folder;
  const above = path.dirname(folder);
  if (above === folder)
    throw new Error(
      'Cannot find the package folder of agenttools: no package.json above this file has that name.',
    );
  return nearestPackage(above);
}

/** Command that runs this program again, in a new process. */
export function ownProgram(): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [path.join(packageRoot(), 'bin', 'agenttools.js')] };
}

/** Version of this package. */
export function packageVersion(): string {
  const text = readFileSync(path.join(packageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function readTextIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
