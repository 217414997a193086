import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { ancestorFolders } from '../base/files/ancestor-folders.js';
import { readTextFileSync, statFile } from '../base/files/disk.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord, isString } from '../base/value-checks.js';

/** A folder with the packages of a monorepo. */
export interface WorkspaceRoot {
  readonly directory: string;
  /** Patterns of folders, relative to it. One that begins with `!` excludes folders. */
  readonly patterns: readonly string[];
}

/** File with the workspaces of pnpm. @see https://pnpm.io/pnpm-workspace_yaml */
const pnpmFile = 'pnpm-workspace.yaml';

/** Returns true if a folder is the root of workspaces. A file that cannot be read counts as none. */
export function isWorkspaceRoot(directory: string): boolean {
  return statFile(path.join(directory, pnpmFile)) !== undefined || readWorkspaces(directory) !== undefined;
}

/**
 * Finds the nearest root of workspaces from a folder upwards.
 * @throws AgentToolsError `usage` if there is no root, or its file cannot be read
 */
export async function findWorkspaceRoot(from: string): Promise<WorkspaceRoot> {
  for (const directory of ancestorFolders(from)) {
    const pnpm = path.join(directory, pnpmFile);
    const patterns = statFile(pnpm) ? await readPnpmPatterns(pnpm) : readWorkspaces(directory);
    if (patterns) return { directory, patterns };
  }
  const message = `There are no workspaces at ${from} or above: neither "workspaces" in a package.json nor ${pnpmFile}. Name the packages instead, such as 'packages/*'.`;
  throw new AgentToolsError('usage', message);
}

/** `workspaces` of npm and Yarn: a list, or an object with the list as `packages`. */
function readWorkspaces(directory: string): readonly string[] | undefined {
  const file = path.join(directory, 'package.json');
  if (!statFile(file)?.isFile()) return undefined;
  try {
    const text = readTextFileSync(file);
    if (!text.includes('"workspaces"')) return undefined;
    const { workspaces } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const list = isRecord(workspaces) ? workspaces.packages : workspaces;
    return Array.isArray(list) ? list.filter(isString) : undefined;
  } catch {
    return undefined;
  }
}

async function readPnpmPatterns(file: string): Promise<readonly string[]> {
  const { default: yaml } = await import('yaml');
  try {
    const content = yaml.parse(readTextFileSync(file)) as { readonly packages?: unknown } | null;
    return Array.isArray(content?.packages) ? content.packages.filter(isString) : [];
  } catch (error) {
    throw new AgentToolsError('usage', `${file} cannot be read: ${errorMessage(error)}`);
  }
}
