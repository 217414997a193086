import { existsSync } from 'node:fs';
import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import { plainPackage } from '../../../engine/extension/plain-package.js';
import { findWorkspaceRoot, type WorkspaceRoot } from '../../../engine/npm/workspaces.js';
import type { Host } from '../../../host.js';
import { findExisting } from '../../shared/existing.js';
import { mayBeExisting } from '../../shared/may-be-existing.js';
import { findInstalledServer } from './installed-server.js';

/** A package folder. `word`: as the command line names it. */
interface PackageSubject {
  readonly directory: string;
  readonly word: string;
}

/** A package folder, or an existing server. */
export type Subject = PackageSubject | { readonly server: NamedReference };

export interface SubjectInput {
  readonly paths: readonly string[];
  readonly workspaces: boolean;
  /** Command of an existing server. */
  readonly command: readonly string[] | undefined;
  readonly load: boolean;
}

export interface Subjects {
  readonly subjects: readonly Subject[];
  /** Names of packages without an extension, among the packages that a pattern or the workspaces list. */
  readonly skipped: readonly string[];
}

/**
 * Finds the packages and servers of a command line, each once.
 * @throws AgentToolsError `usage` if a pattern matches no package, or `--no-load` forbids to start a server; `not-found` if
 * patterns match no extension
 */
export async function findSubjects(input: SubjectInput, host: Host): Promise<Subjects> {
  const { paths, workspaces, command, load } = input;
  const words = paths.length > 0 || command || workspaces ? paths : ['.'];
  const patterns = words.filter((word) => isPattern(word, host.cwd));
  const named = await Promise.all(
    [...new Set(words)].filter((word) => !patterns.includes(word)).map((word) => findNamed(word, host)),
  );
  const server = command && (await findExisting(undefined, command, host));
  const subjects = server ? [...named, { server }] : named;
  const servers = subjects.filter((one) => 'server' in one);
  if (servers.length > 0 && !load)
    throw new AgentToolsError(
      'usage',
      '--no-load starts nothing, and an existing server must be started to be checked. Leave it out.',
    );
  const listed = [
    ...(await Promise.all(patterns.map((pattern) => findMatches(pattern, host.cwd)))).flat(),
    ...(workspaces ? await findWorkspaces(host.cwd) : []),
  ];
  const { extensions, skipped } = await separate([...new Set(listed)]);
  if (listed.length > 0 && extensions.length === 0 && subjects.length === 0)
    throw new AgentToolsError(
      'not-found',
      `None of the ${listed.length} packages is an extension: no package.json has an "agenttools" field.`,
    );
  const directories = new Map<string, string>(
    subjects.flatMap((one) => ('directory' in one ? [[one.directory, one.word] as const] : [])),
  );
  for (const directory of extensions) if (!directories.has(directory)) directories.set(directory, directory);
  return {
    subjects: [...[...directories].map(([directory, word]) => ({ directory, word })), ...servers],
    skipped,
  };
}

async function findNamed(word: string, host: Host): Promise<Subject> {
  const server = mayBeExisting(word)
    ? await findExisting(word, undefined, host)
    : await findInstalledServer(word, host);
  return server ? { server } : { directory: path.resolve(host.cwd, word), word };
}

/** True for a glob pattern that is not a folder by itself. Addresses may have a `?`. */
function isPattern(word: string, cwd: string): boolean {
  if (!/[*?[\]{}]/.test(word) || /^[a-z]{2,}:/i.test(word)) return false;
  return !existsSync(path.resolve(cwd, word));
}

/** Loaded at first need, since a glob library takes as long to load as a small package to check. */
async function matchPackages(root: WorkspaceRoot): Promise<readonly string[]> {
  const { matchPackages: match } = await import('../../../engine/npm/match-packages.js');
  return await match(root);
}

async function findMatches(pattern: string, cwd: string): Promise<readonly string[]> {
  const found = await matchPackages({ directory: cwd, patterns: [pattern] });
  if (found.length > 0) return found;
  throw new AgentToolsError('usage', `No folder with a package.json matches ${pattern} in ${cwd}.`);
}

/** The workspaces at a folder or above, and the root if it is an extension. */
async function findWorkspaces(cwd: string): Promise<readonly string[]> {
  const root = await findWorkspaceRoot(cwd);
  const found = await matchPackages(root);
  const ofRoot = (await plainPackage(root.directory)) === undefined ? [root.directory] : [];
  if (found.length + ofRoot.length > 0) return [...ofRoot, ...found];
  throw new AgentToolsError(
    'usage',
    `The workspaces of ${root.directory} contain no package: ${root.patterns.join(', ')} match none.`,
  );
}

async function separate(
  directories: readonly string[],
): Promise<{ readonly extensions: readonly string[]; readonly skipped: readonly string[] }> {
  const named = await Promise.all(
    directories.map(async (directory) => ({ directory, plain: await plainPackage(directory) })),
  );
  return {
    extensions: named.filter(({ plain }) => plain === undefined).map(({ directory }) => directory),
    skipped: named.flatMap(({ plain }) => plain ?? []),
  };
}
