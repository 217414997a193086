import { AgentToolsError } from '../../../engine/base/errors.js';
import { packageVersion, workspaceFolders } from '../../../engine/base/folders.js';
import { visibleLine, visibleText } from '../../../engine/base/visible-text.js';
import { resolveDeps } from '../../../engine/bridge/open-existing.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import {
  applyServerUpdate,
  discardServerUpdate,
  planServerUpdate,
  type ServerUpdateDeps,
  type ServerUpdatePlan,
  updatableServers,
} from '../../../engine/installation/update-servers.js';
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
  readonly state: 'current' | 'available' | 'updated' | 'declined' | 'held' | 'failed';
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
      const existing = existingDeps(host, { signal, tell, report: () => {} });
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
  const { next, error, differences } = plan;
  if (!next) return error ? { state: 'failed', error } : { state: 'current' };
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
  const isSeen = differences === undefined || differences.length > 0;
  const consent = yes || (await askYesNo(`Update ${plan.receipts[0].server} to ${next.version}?`, host));
  if (consent === false) return { state: 'declined' };
  if (consent === undefined && isSeen) return { state: 'held' };
  try {
    await applyServerUpdate(plan, deps);
    await keepConsent();
    return { state: 'updated' };
  } catch (fault) {
    if (fault instanceof AgentToolsError) return { state: 'failed', error: fault };
    throw fault;
  }
}

function changeLines({
  receipts: [{ server }],
  next,
  installed,
  differences,
  error,
}: ServerUpdatePlan): readonly string[] {
  if (!next) return [];
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
  return [`${server} → ${next.version}\n`, ...compared, ...unrun];
}

function outcomeLine({ plan: { receipts, next }, state, error }: ServerUpdateOutcome): string {
  const [{ server, reference }] = receipts;
  const clients = [...new Set(receipts.map(({ client }) => client))].join(', ');
  const lines = {
    current: `${server} is the newest version that ${reference} names.`,
    available: `${server}: ${next?.version} is available. Run: agenttools update ${reference}`,
    updated: `Updated ${server} to ${next?.version} in ${clients}. Restart the client, or its server.`,
    declined: `${server} stays.`,
    held: `error: ${server} stays, because the model might see something else. Compare with --load, or update with: agenttools update ${reference} --yes`,
    failed: `error: ${server} stays: ${error?.message}`,
  };
  return lines[state];
}

/** JSON output for one existing server. */
export function serverUpdateData({ plan, state, error }: ServerUpdateOutcome): object {
  const { receipts, next, differences } = plan;
  const [{ reference, kind, serverVersion }] = receipts;
  return {
    name: reference,
    kind,
    previous: serverVersion ?? null,
    version: next?.version ?? serverVersion ?? null,
    state,
    clients: [...new Set(receipts.map(({ client }) => client))],
    ...(differences && { changes: differences }),
    ...(error && { error: failureData(error) }),
  };
}
