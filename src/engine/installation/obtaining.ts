import { AgentToolsError } from '../errors.js';
import type { Obtain } from '../extension/obtain.js';
import { type FoundServer, MissingPackageError } from '../extension/workspace.js';
import { type Lack, lacksOf, packagesIn, whoNeeds } from '../items/lacks.js';
import type { ServerSpec } from '../items/server.js';

/** What may be done about packages that are not here. */
export interface Obtaining {
  /** Gets them; absent: they stay missing. */
  readonly obtain: Obtain | undefined;
  /** Only say what would be got. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/**
 * A server, looked for once more when its package has been obtained.
 * @throws AgentToolsError if it cannot be had; what was missing, if nothing may be done.
 */
export async function findOrObtain(
  find: () => Promise<FoundServer>,
  obtaining: Obtaining,
): Promise<FoundServer> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof MissingPackageError) || !obtaining.obtain) throw error;
    const { packageName, server } = error;
    await obtainLacking([{ packageName, kinds: [], neededBy: `the server ${server}` }], obtaining);
    return await find();
  }
}

/**
 * A server, composed again and again until the packages that it refers to have been obtained.
 * @throws AgentToolsError if one cannot be had
 */
export async function composeOrObtain(
  compose: () => Promise<ServerSpec>,
  obtaining: Obtaining,
): Promise<ServerSpec> {
  const tried = new Set<string>();
  for (;;) {
    const spec = await compose();
    const lacks = lacksOf(spec).filter(({ packageName }) => !tried.has(packageName));
    if (!obtaining.obtain || lacks.length === 0) return spec;
    for (const name of packagesIn(lacks)) tried.add(name);
    await obtainLacking(lacks, obtaining);
  }
}

async function obtainLacking(lacks: readonly Lack[], { obtain, dryRun, signal }: Obtaining): Promise<void> {
  const names = packagesIn(lacks);
  if (dryRun) {
    const lines = names.map((name) => `\n  ${name}, needed by ${whoNeeds(name, lacks)}`).join('');
    throw new AgentToolsError(
      'refused',
      `What is not here would be installed first, and --dry-run installs nothing:${lines}\nAdd it with: agenttools add ${names.join(' ')}`,
    );
  }
  const failures = (await obtain?.(names, { signal })) ?? new Map<string, string>();
  if (failures.size === 0) return;
  const lines = [...failures].map(
    ([name, reason]) =>
      `The package ${name} could not be installed: ${reason.replace(/\.$/, '')}. Needed by ${whoNeeds(name, lacks)}.`,
  );
  throw new AgentToolsError('failed', lines.join('\n'));
}
