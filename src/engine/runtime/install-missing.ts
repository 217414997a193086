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

/** Handling of missing packages. */
export interface InstallPolicy {
  /** Installs packages; undefined: packages stay missing. */
  readonly obtain: InstallMissing | undefined;
  /** Throw an error that lists the missing packages, and install nothing. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Receives one line per package, right after its installation. */
  readonly report: (line: string) => void;
}

/**
 * Finds a server, again after installing its package if that is missing.
 * @throws AgentToolsError if the package cannot be installed; MissingPackageError if there is no installer.
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

/** A server, composed with the packages that could be installed. */
export interface InstalledServer {
  readonly spec: ServerSpec;
  /** Reasons of failed installations as sentences, by package name. */
  readonly failures: ReadonlyMap<string, string>;
}

/**
 * Composes a server repeatedly, until the installation of every missing package was tried. `heed` receives the failures
 * of each round. It stops the rounds by throwing.
 */
export async function composeWithInstall(
  compose: () => Promise<ServerSpec>,
  obtaining: InstallPolicy,
  onFailures: (failures: InstalledServer['failures']) => void = () => {},
): Promise<InstalledServer> {
  const tried = new Set<string>();
  const failures = new Map<string, string>();
  for (;;) {
    const spec = await compose();
    const lacks = findMissingPackages(spec).filter(({ packageName }) => !tried.has(packageName));
    if (!obtaining.obtain || lacks.length === 0) return { spec, failures };
    for (const name of packagesIn(lacks)) tried.add(name);
    for (const [name, reason] of await installMissingPackages(lacks, obtaining)) failures.set(name, reason);
    onFailures(failures);
  }
}

/** @throws AgentToolsError if packages could not be installed, with the reasons */
export function requireInstalled(failures: InstalledServer['failures']): void {
  if (failures.size > 0) throw new AgentToolsError('not-installed', [...failures.values()].join('\n'));
}

/** Installs packages. Returns the reasons of failures by package name. @throws AgentToolsError on a dry run */
async function installMissingPackages(
  lacks: readonly MissingPackage[],
  { obtain, dryRun, signal, report }: InstallPolicy,
): Promise<InstalledServer['failures']> {
  const names = packagesIn(lacks);
  if (dryRun) {
    const lines = names.map((name) => `\n  ${name}, needed by ${describeDependents(name, lacks)}`).join('');
    throw new AgentToolsError(
      'not-installed',
      `Missing packages would be installed first, but --dry-run installs nothing:${lines}\nAdd them with: agenttools add ${names.join(' ')}`,
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
