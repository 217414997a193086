import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { AgentToolsError } from '../../../engine/base/errors.js';
import { ownProgram, workspaceFolders } from '../../../engine/base/folders.js';
import { visibleLine, visibleText } from '../../../engine/base/visible-text.js';
import type { UpdateResult } from '../../../engine/packages/update.js';
import {
  checkSurfaces,
  outdateSurfaces,
  type SurfaceCheck,
} from '../../../engine/preflight/package-surfaces.js';
import { surfaceTexts } from '../../../engine/surface/model-surface.js';
import { describeDifference } from '../../../engine/surface/surface-gate.js';
import { SurfaceRecords } from '../../../engine/surface/surface-records.js';
import {
  AllowedFindings,
  FindingsError,
  type FindingsRequest,
} from '../../../engine/text-checks/allowed-findings.js';
import { findTexts } from '../../../engine/text-checks/text-findings.js';
import type { Host } from '../../../host.js';
import { askYesNo } from '../../shared/ask-question.js';
import { withProgress } from '../../shared/progress.js';
import { findingLines, findingsData } from '../../shared/text/findings.js';
import { type SurfaceOutcome, valueLines } from './text.js';

interface SurfaceOptions {
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Codes of findings in texts that the user allows. */
  readonly allowFindings: readonly string[];
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
  const command = `agenttools update ${before.name} --load --allow-findings`;
  for (const check of checks) {
    const { server, differences: changes, surface } = check;
    const findings = surface ? findTexts(surfaceTexts(surface.surface)) : [];
    const { keepConsent, error = check.error } = await requireConsent(
      { subject: before.name, findings, codes: options.allowFindings, command },
      host,
    );
    const state = error ? 'failed' : await settle(check, { ...options, records }, host);
    if (state === 'recorded') await keepConsent?.();
    outcomes.push({
      server,
      state,
      changes,
      ...findingsData(findings),
      ...(error && { error: error.message }),
    });
    const warnings = findingLines(findings.filter(({ severity }) => severity === 'warning'));
    host.stderr.write([...warnings, ''].join('\n') + visibleText(outcomeLine({ ...check, error }, state)));
  }
  return outcomes;
}

/** Consent to the findings of a surface, or the error that stops its record. */
async function requireConsent(
  request: FindingsRequest,
  host: Host,
): Promise<{ readonly keepConsent?: () => Promise<void>; readonly error?: AgentToolsError }> {
  try {
    return { keepConsent: await new AllowedFindings(workspaceFolders(host).dataFolder).require(request) };
  } catch (error) {
    if (error instanceof FindingsError) return { error };
    throw error;
  }
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

function outcomeLine(
  { server, surface, error }: Omit<SurfaceCheck, 'error'> & { readonly error: AgentToolsError | undefined },
  state: SurfaceOutcome['state'],
): string {
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
