import { existsSync } from 'node:fs';
import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import { withScope } from '../../../engine/extension/names.js';
import type { Host } from '../../../host.js';
import { findExisting } from '../../shared/existing.js';
import { mayBeExisting } from '../../shared/may-be-existing.js';
import { findPackageFolders, isPattern, requireExtensions } from '../../shared/package-folders.js';
import { openWorkspace } from '../../shared/workspace.js';
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
  const listed = await findPackageFolders({ patterns, workspaces }, host.cwd);
  if (subjects.length === 0) requireExtensions(listed);
  const { extensions, skipped } = listed;
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
  const directory = existsSync(path.resolve(host.cwd, word)) ? undefined : await findPackage(word, host);
  if (directory !== undefined) return { directory, word };
  const server = mayBeExisting(word)
    ? await findExisting(word, undefined, host)
    : await findInstalledServer(word, host);
  return server ? { server } : { directory: path.resolve(host.cwd, word), word };
}

/** Folder of an installed extension, by the name of its package, also without `@`. */
async function findPackage(word: string, host: Host): Promise<string | undefined> {
  const workspace = openWorkspace(host);
  const found =
    (await workspace.findPackage(word).catch(() => undefined)) ??
    (await workspace.findPackage(withScope(word) ?? '').catch(() => undefined));
  return found?.manifest.directory;
}
