import { AgentToolsError } from '../base/errors.js';
import type { InstallMissing, InstallOutcome } from '../extension/installer.js';
import { type FoundServer, MissingPackageError } from '../extension/workspace.js';
import type { ServerSpec } from './compose-server.js';
import {
  describeDependents,
  findMissingPackages,
  type MissingPackage,
  packagesIn,
} from './missing-packages.js';

/** What may be done about packages that are not here. */
export interface InstallPolicy {
  /** Gets them; absent: they stay missing. */
  readonly obtain: InstallMissing | undefined;
  /** Only say what would be got. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Takes a line about what was added, as soon as it was. */
  readonly report: (line: string) => void;
}

/**
 * A server, looked for once more when its package has been obtained.
 * @throws AgentToolsError if it cannot be had; what was missing, if nothing may be done.
 */
export async function findOrInstall(
  find: () => Promise<FoundServer>,
  obtaining: InstallPolicy,
): Promise<FoundServer> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof MissingPackageError) || !obtaining.obtain) throw error;
    const { packageName, server } = error;
    const failures = await installMissingPackages(
      [{ packageName, kinds: [], neededBy: `the server ${server}` }],
      obtaining,
    );
    requireInstalled(failures);
    return await find();
  }
}

/** A server with what could be had of what it refers to. */
export interface InstalledServer {
  readonly spec: ServerSpec;
  /** Why packages could not be had, by their names, in sentences. */
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * A server, composed again and again until the packages that it refers to have been asked for. `heed` is told of each
 * round and ends them all by throwing.
 */
export async function composeWithInstall(
  compose: () => Promise<ServerSpec>,
  obtaining: InstallPolicy,
  heed: (failures: InstalledServer['failures']) => void = () => {},
): Promise<InstalledServer> {
  const tried = new Set<string>();
  const failures = new Map<string, string>();
  for (;;) {
    const spec = await compose();
    const lacks = findMissingPackages(spec).filter(({ packageName }) => !tried.has(packageName));
    if (!obtaining.obtain || lacks.length === 0) return { spec, failures };
    for (const name of packagesIn(lacks)) tried.add(name);
    for (const [name, reason] of await installMissingPackages(lacks, obtaining)) failures.set(name, reason);
    heed(failures);
  }
}

/** @throws AgentToolsError if packages could not be had, with the reasons */
export function requireInstalled(failures: InstalledServer['failures']): void {
  if (failures.size > 0) throw new AgentToolsError('failed', [...failures.values()].join('\n'));
}

/** Gets packages; tells why some could not be had, by their names. */
async function installMissingPackages(
  lacks: readonly MissingPackage[],
  { obtain, dryRun, signal, report }: InstallPolicy,
): Promise<InstalledServer['failures']> {
  const names = packagesIn(lacks);
  if (dryRun) {
    const lines = names.map((name) => `\n  ${name}, needed by ${describeDependents(name, lacks)}`).join('');
    throw new AgentToolsError(
      'refused',
      `What is not here would be installed first, and --dry-run installs nothing:${lines}\nAdd it with: agenttools add ${names.join(' ')}`,
    );
  }
  const onSettled = (one: InstallOutcome) => {
    if ('version' in one)
      report(`Added ${one.name} ${one.version}, needed by ${describeDependents(one.name, lacks)}.`);
  };
  const failures = (await obtain?.(names, { signal, onSettled })) ?? new Map<string, string>();
  return new Map(
    [...failures].map(([name, reason]) => [
      name,
      `The package ${name} could not be installed: ${reason.replace(/\.$/, '')}. Needed by ${describeDependents(name, lacks)}.`,
    ]),
  );
}
