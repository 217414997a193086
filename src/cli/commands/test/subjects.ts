import { existsSync } from 'node:fs';
import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import { Extension } from '../../../engine/extension/extension.js';
import { serverNames } from '../../../engine/extension/workspace.js';
import type { Host } from '../../../host.js';
import { findExisting, type InputOptions } from '../../shared/existing.js';
import { mayBeExisting } from '../../shared/may-be-existing.js';
import { refuseExistingFlags } from '../../shared/not-existing.js';
import { findPackageFolders, isPattern, requireExtensions } from '../../shared/package-folders.js';

/** A package, or an existing server with a folder for its cases. */
export type Subject = { readonly directory: string } & (
  | { readonly package: string }
  | { readonly server: NamedReference }
);

export interface SubjectInput {
  /** Package folders and patterns, or one existing server. Empty: the working directory. */
  readonly paths: readonly string[];
  readonly workspaces: boolean;
  /** Command of an existing server. */
  readonly command: readonly string[] | undefined;
  /** Folder of the cases. */
  readonly cases: string | undefined;
  readonly existing: InputOptions;
}

export interface Subjects {
  readonly subjects: readonly Subject[];
  /** Names of listed packages without a server. */
  readonly skipped: readonly string[];
  /** True if the command line can mean several packages. */
  readonly isList: boolean;
}

/** @throws AgentToolsError if there is no such package or server */
export async function findSubjects(input: SubjectInput, host: Host): Promise<Subjects> {
  const { paths, workspaces, command, cases, existing } = input;
  const patterns = paths.filter((word) => isPattern(word, host.cwd));
  const words = paths.filter((word) => !patterns.includes(word));
  const [word] = words;
  const isList = workspaces || paths.length > 1 || patterns.length > 0;
  const mayBeServer = command !== undefined || (!isList && word !== undefined && mayBeExisting(word));
  const server = mayBeServer ? await findExisting(word, command, host) : undefined;
  const folder = cases === undefined ? undefined : path.resolve(host.cwd, cases);
  if (server) return { subjects: [{ directory: folder ?? host.cwd, server }], skipped: [], isList: false };
  refuseExistingFlags(existing.flags, { command: 'test', server: word });
  if (!isList) {
    const root = requirePackage(word ?? '.', host.cwd);
    return { subjects: [{ directory: folder ?? root, package: root }], skipped: [], isList };
  }
  const named = words.map((one) => requirePackage(one, host.cwd));
  const listed = await findPackageFolders({ patterns, workspaces }, host.cwd);
  if (named.length === 0) requireExtensions(listed);
  const opened = await Promise.all(listed.extensions.map(async (one) => await Extension.open(one)));
  const served = opened.filter((extension) => serverNames(extension).length > 0);
  const idle = opened.filter((extension) => !served.includes(extension));
  const roots = new Set([...named, ...served.map(({ manifest }) => manifest.directory)]);
  return {
    subjects: [...roots].map((root) => ({ directory: root, package: root })),
    skipped: [...listed.skipped, ...idle.map(({ name }) => name)],
    isList,
  };
}

/** @throws AgentToolsError `usage` */
function requirePackage(word: string, cwd: string): string {
  const root = path.resolve(cwd, word);
  if (!existsSync(root)) throw new AgentToolsError('usage', `There is no folder ${root}.`);
  if (existsSync(path.join(root, 'package.json'))) return root;
  const message = `There is no package.json in ${root}. Give the folder of an extension.`;
  throw new AgentToolsError('usage', message);
}
