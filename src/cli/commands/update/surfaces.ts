import { realpathSync } from 'node:fs';
import path from 'node:path';
import { ownProgram, workspaceFolders } from '../../../engine/base/folders.js';
import { visibleLine, visibleText } from '../../../engine/base/visible-text.js';
import type { UpdateResult } from '../../../engine/packages/update.js';
import {
  checkSurfaces,
  outdateSurfaces,
  type SurfaceCheck,
} from '../../../engine/preflight/package-surfaces.js';
import { describeDifference } from '../../../engine/surface/surface-gate.js';
import { SurfaceRecords } from '../../../engine/surface/surface-records.js';
import type { Host } from '../../../host.js';
import { askYesNo } from '../../shared/ask-question.js';
import { withProgress } from '../../shared/progress.js';
import { type SurfaceOutcome, valueLines } from './text.js';

interface SurfaceOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Longest time for a server to list its items, in milliseconds. */
const timeoutMs = 30_000;

/** Starts the servers of a package and records their surfaces, if the user accepts the changes. */
export async function renewSurfaces(
  { plan: { before } }: UpdateResult,
  options: SurfaceOptions,
  host: Host,
): Promise<readonly SurfaceOutcome[]> {
  const records = new SurfaceRecords(workspaceFolders(host).dataFolder);
  const { cwd, env } = host;
  const checks = await withProgress(host, async (tell) => {
    const { signal } = new AbortController();
    tell(`Listing what the servers of ${before.name} show`);
    return await checkSurfaces(currentFolder(before.name, host), {
      records,
      program: ownProgram(),
      cwd,
      env,
      timeoutMs,
      signal,
    });
  });
  const outcomes: SurfaceOutcome[] = [];
  for (const check of checks) {
    const state = await settle(check, { ...options, records }, host);
    const { server, differences: changes, error } = check;
    outcomes.push({ server, state, changes, ...(error && { error: error.message }) });
    host.stderr.write(visibleText(outcomeLine(check, state)));
  }
  return outcomes;
}

async function settle(
  { server, surface, differences }: SurfaceCheck,
  { dryRun, yes, records }: SurfaceOptions & { readonly records: SurfaceRecords },
  host: Host,
): Promise<SurfaceOutcome['state']> {
  if (!surface) return 'failed';
  if (differences?.length === 0) return 'unchanged';
  for (const difference of differences ?? []) {
    const lines = difference.values.flatMap(valueLines).map((line) => `    ${visibleLine(line)}\n`);
    host.stderr.write(visibleText(`  ~ ${describeDifference(difference)}\n`) + lines.join(''));
  }
  if (dryRun) return 'changed';
  const consent =
    differences === undefined || yes || (await askYesNo(`Accept these changes of ${server}?`, host));
  if (!consent) return consent === undefined ? 'held' : 'declined';
  await records.write(surface);
  return 'recorded';
}

function outcomeLine({ server, surface, error }: SurfaceCheck, state: SurfaceOutcome['state']): string {
  const count = surface?.surface.items.tools.size ?? 0;
  const lines = {
    unchanged: `${server} shows the recorded items.`,
    changed: `${server} has changed since it was recorded.`,
    recorded: `Recorded the items that ${server} shows: ${count} tools.`,
    declined: `The record of ${server} stays as it is.`,
    held: `error: ${server} shows other items than the recorded ones. If that is right, use --yes.`,
    failed: `error: ${error?.message}`,
  };
  return `${lines[state]}\n`;
}

/** The user has confirmed the update, so the package is compared by its files until it is recorded again. */
export async function outdateRecords({ plan: { before } }: UpdateResult, host: Host): Promise<void> {
  const records = new SurfaceRecords(workspaceFolders(host).dataFolder);
  await outdateSurfaces(currentFolder(before.name, host), records);
}

/** Folder of the current version of an added package. */
function currentFolder(name: string, host: Host): string {
  return realpathSync(path.join(workspaceFolders(host).packagesFolder, name));
}
