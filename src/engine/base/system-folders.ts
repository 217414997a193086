import path from 'node:path';

/** Environment values that determine the folders. */
export interface FolderFacts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The running Node binary; the global npm folder is near it. */
  readonly execPath?: string;
}

/** Folder of packages, user servers and receipts. */
export function dataFolderOf(facts: FolderFacts): string {
  const { cwd, env } = facts;
  return env.AGENTTOOLS_HOME ? path.resolve(cwd, env.AGENTTOOLS_HOME) : dataFolders[systemOf(facts)](facts);
}

/** Folder of caches. It can be deleted at any time. */
export function cacheFolderOf(facts: FolderFacts): string {
  const { cwd, env } = facts;
  if (env.AGENTTOOLS_HOME) return path.resolve(cwd, env.AGENTTOOLS_HOME, 'cache');
  return cacheFolders[systemOf(facts)](facts);
}

function systemOf({ platform }: FolderFacts): keyof typeof dataFolders {
  return platform === 'darwin' || platform === 'win32' ? platform : 'others';
}

/**
 * Data folder on each system: the rules of env-paths, which itself supports only the current machine.
 * @see https://github.com/sindresorhus/env-paths#pathsdata,
 *   https://specifications.freedesktop.org/basedir-spec/latest/
 */
const dataFolders = {
  darwin: ({ home }) => path.join(home, 'Library', 'Application Support', 'agenttools'),
  win32: ({ home, env }) =>
    path.join(absolute(env.LOCALAPPDATA) ?? path.join(home, 'AppData', 'Local'), 'agenttools', 'Data'),
  others: ({ home, env }) =>
    path.join(absolute(env.XDG_DATA_HOME) ?? path.join(home, '.local', 'share'), 'agenttools'),
} as const satisfies Record<string, (facts: FolderFacts) => string>;

/** @see https://github.com/sindresorhus/env-paths#pathscache */
const cacheFolders = {
  darwin: ({ home }) => path.join(home, 'Library', 'Caches', 'agenttools'),
  win32: ({ home, env }) =>
    path.join(absolute(env.LOCALAPPDATA) ?? path.join(home, 'AppData', 'Local'), 'agenttools', 'Cache'),
  others: ({ home, env }) =>
    path.join(absolute(env.XDG_CACHE_HOME) ?? path.join(home, '.cache'), 'agenttools'),
} as const satisfies Record<keyof typeof dataFolders, (facts: FolderFacts) => string>;

/** Ignores relative paths in the environment. */
function absolute(folder: string | undefined): string | undefined {
  return folder && path.isAbsolute(folder) ? folder : undefined;
}
