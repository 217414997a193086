import { AgentToolsError } from '../../../engine/base/errors.js';
import { packageVersion, workspaceFolders } from '../../../engine/base/folders.js';
import { visibleLine, visibleText } from '../../../engine/base/visible-text.js';
import { resolveDeps } from '../../../engine/bridge/open-existing.js';
import { clientName } from '../../../engine/clients/client-name.js';
import type { Receipt } from '../../../engine/clients/receipt.js';
import { NoVersionsError } from '../../../engine/existing-servers/package-index.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import {
  applyServerUpdate,
  discardServerUpdate,
  planServerUpdate,
  type ServerUpdateDeps,
  type ServerUpdatePlan,
  updatableServers,
} from '../../../engine/installation/update-servers.js';
import { isFollowing, isFrozen } from '../../../engine/installation/updated-entry.js';
import { describeDifference } from '../../../engine/surface/surface-gate.js';
import { AllowedFindings } from '../../../engine/text-checks/allowed-findings.js';
import type { Host } from '../../../host.js';
import { askYesNo } from '../../shared/ask-question.js';
import { existingDeps } from '../../shared/existing.js';
import { failureData } from '../../shared/failure.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { valueLines } from './text.js';

interface ServerUpdateInput {
  /** Keys and references. Empty: all. */
  readonly names: readonly string[];
  readonly dryRun: boolean;
  readonly load: boolean;
  readonly yes: boolean;
  readonly requireProvenance: boolean;
  /** Codes of findings in texts that the user allows. */
  readonly allowFindings: readonly string[];
}

/** Outcome for one existing server. */
export interface ServerUpdateOutcome {
  readonly plan: ServerUpdatePlan;
  readonly state: 'current' | 'available' | 'updated' | 'declined' | 'held' | 'failed' | 'unknown';
  /** True if open sessions through AgentTools follow. */
  readonly isFollowed?: boolean;
  readonly error?: AgentToolsError | undefined;
}

/** Shows newer versions of installed existing servers, and writes them into the entries. */
export async function updateServers(
  input: ServerUpdateInput,
  host: Host,
): Promise<readonly ServerUpdateOutcome[]> {
  const { receipts } = installationFolders(host);
  const groups = await updatableServers(input.names, receipts);
  const outcomes: ServerUpdateOutcome[] = [];
  for (const group of groups) {
    const outcome = await runWithProgress(host, async (signal, tell) => {
      const existing = existingDeps(host, {
        refresh: true,
        ignoresProject: true,
        signal,
        tell,
        report: () => {},
      });
      const deps: ServerUpdateDeps = {
        receipts,
        dataFolder: workspaceFolders(host).dataFolder,
        resolve: resolveDeps(existing),
        version: packageVersion(),
        now: () => new Date(),
        tell,
      };
      const plan = await planServerUpdate(group, input, deps);
      tell('');
      host.stderr.write(visibleText(changeLines(plan).join('')));
      const state = await settle(plan, input, host, deps);
      if (state.state !== 'updated') await discardServerUpdate(plan, deps);
      return { plan, ...state };
    });
    host.stderr.write(visibleText(`${outcomeLine(outcome)}\n`));
    outcomes.push(outcome);
  }
  return outcomes;
}

async function settle(
  plan: ServerUpdatePlan,
  { dryRun, yes, allowFindings: codes }: ServerUpdateInput,
  host: Host,
  deps: ServerUpdateDeps,
): Promise<Omit<ServerUpdateOutcome, 'plan'>> {
  const { next, error, differences, record, origin = [] } = plan;
  if (error instanceof NoVersionsError) return { state: 'unknown', error };
  if (!next && error) return { state: 'failed', error };
  if (!next && !differences && !record) return { state: 'current' };
  // Without a record of its items, an entry with --frozen would serve nothing.
  if (error && plan.receipts.some(isFrozen)) return { state: 'failed', error };
  const [{ reference }] = plan.receipts;
  const command = `agenttools update ${reference} --load --allow-findings`;
  const asked = { subject: reference, findings: plan.findings, codes, command };
  let keepConsent: () => Promise<void>;
  try {
    keepConsent = await new AllowedFindings(deps.dataFolder).require(asked);
  } catch (fault) {
    if (fault instanceof AgentToolsError) return { state: 'failed', error: fault };
    throw fault;
  }
  if (dryRun) return { state: 'available' };
  const isSeen = differences === undefined || differences.length > 0 || origin.length > 0;
  const consent = yes || (await askYesNo(question(plan), host));
  if (consent === false) return { state: 'declined' };
  if (consent === undefined && isSeen) return { state: 'held' };
  try {
    const isFollowed = await applyServerUpdate(plan, deps);
    await keepConsent();
    return { state: 'updated', isFollowed };
  } catch (fault) {
    if (fault instanceof AgentToolsError) return { state: 'failed', error: fault };
    throw fault;
  }
}

/** Version, or the change without one. */
function nextLabel({ next, remoteVersion, receipts: [{ serverVersion }] }: ServerUpdatePlan): string {
  const version = next?.version ?? remoteVersion;
  if (version === undefined) return next ? 'another file' : 'other items';
  return next && version === serverVersion ? `${version}, another file` : version;
}

function question(plan: ServerUpdatePlan): string {
  const [{ server }] = plan.receipts;
  return plan.next ? `Update ${server} to ${nextLabel(plan)}?` : `Accept these changes of ${server}?`;
}

function changeLines(plan: ServerUpdatePlan): readonly string[] {
  const { receipts, next, installed, differences, error, origin = [] } = plan;
  if (!next && !differences) return [];
  const [{ server }] = receipts;
  const scripts = installed?.scripted.filter(({ isAllowed }) => !isAllowed) ?? [];
  const compared =
    differences === undefined
      ? [
          `  ${error ? `The items cannot be compared: ${error.message}` : 'Compare the items that the model sees with --load.'}\n`,
        ]
      : differences.length === 0
        ? ['  The model sees the same items.\n']
        : differences.flatMap((one) => [
            `  ~ ${describeDifference(one)}\n`,
            ...one.values.flatMap(valueLines).map((line) => `      ${visibleLine(line)}\n`),
          ]);
  const unrun = scripts.map(({ name }) => `  ${name} has install scripts, which are not run.\n`);
  const proofs = origin.map((sentence) => `  ~ ${sentence}\n`);
  return [`${server} → ${nextLabel(plan)}\n`, ...proofs, ...compared, ...unrun];
}

function outcomeLine({ plan, state, error, isFollowed = false }: ServerUpdateOutcome): string {
  const { receipts, next } = plan;
  const [{ server, reference }] = receipts;
  const lines = {
    current: () => `${server} is the newest version that ${reference} names.`,
    available: () => `${server}: ${nextLabel(plan)} is available. Run: agenttools update ${reference}`,
    updated: () =>
      next
        ? `Updated ${server} to ${nextLabel(plan)} in ${names(receipts)}. ${restartAdvice(receipts, isFollowed)}`
        : `Recorded the items of ${server}.`,
    declined: () => `${server} stays.`,
    held: () =>
      `error: ${server} stays, because ${plan.origin?.length ? 'its origin is not as before' : 'the model might see something else'}. Compare with --load, or update with: agenttools update ${reference}${next ? '' : ' --load'} --yes`,
    failed: () => `error: ${server} stays: ${error?.message}`,
    unknown: () => `${server} stays. ${error?.message}`,
  } satisfies Record<ServerUpdateOutcome['state'], () => string>;
  return lines[state]();
}

/** Advice for the clients: a restart, or none if their open sessions switch to the new version. */
function restartAdvice(receipts: readonly Receipt[], isFollowed: boolean): string {
  const isSwapped = (receipt: Receipt) => isFollowed && isFollowing(receipt);
  const swapped = receipts.filter(isSwapped);
  const others = receipts.filter((receipt) => !isSwapped(receipt));
  return [
    ...(others.length > 0 ? [`Restart ${names(others)}, or the server there.`] : []),
    ...(swapped.length > 0 ? [`Open sessions of ${names(swapped)} switch to it.`] : []),
  ].join(' ');
}

function names(receipts: readonly Receipt[]): string {
  return [...new Set(receipts.map(({ client }) => clientName(client)))].join(', ');
}

/** JSON output for one existing server. */
export function serverUpdateData({ plan, state, error }: ServerUpdateOutcome): object {
  const { receipts, next, differences, remoteVersion, origin = [] } = plan;
  const [{ reference, kind, serverVersion }] = receipts;
  return {
    name: reference,
    kind,
    previous: serverVersion ?? null,
    version: next?.version ?? remoteVersion ?? serverVersion ?? null,
    state,
    clients: [...new Set(receipts.map(({ client }) => client))],
    ...(differences && { changes: differences }),
    ...(origin.length > 0 && { origin }),
    ...(error && { error: failureData(error) }),
  };
}
