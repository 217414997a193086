import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { packageVersion, workspaceFolders } from '../../../engine/base/folders.js';
import { findClient } from '../../../engine/clients/locate-config.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { removeUnusedRecords, removeUnusedServers } from '../../../engine/installation/unused-servers.js';
import { findSet, readSet } from '../../../engine/sync/server-set.js';
import { syncClients } from '../../../engine/sync/sync-clients.js';
import { failedActions, settledActions } from '../../../engine/sync/sync-row.js';
import { type SyncResult, syncSet } from '../../../engine/sync/sync-set.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { installDeps } from '../../shared/install-deps.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { renderJson } from '../../shared/text/json.js';
import { driftLines, syncData, syncDiff, syncLines } from './text.js';

export interface SyncInput {
  readonly keys: readonly string[];
  readonly file: string | undefined;
  readonly from: string | undefined;
  readonly to: readonly string[];
  readonly project: string | undefined;
  readonly leaveOut: readonly string[];
  readonly check: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly verifyTimeoutMs: number | undefined;
  readonly autoInstall: boolean;
  readonly mcpRegistry: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Keeps the same servers in several clients. Prints data to stdout and the report to stderr. */
export async function syncCommand(input: SyncInput, host: Host): Promise<ExitCode> {
  const { check, dryRun, json } = input;
  const result =
    input.from === undefined ? await fromSet(input, host) : await fromClient(input, input.from, host);
  const { rows } = result;
  const removed = rows.flatMap(({ action, server }) => (action === 'remove' ? [server] : []));
  if (!check && !dryRun && removed.length > 0) {
    const { receipts } = installationFolders(host);
    const { dataFolder } = workspaceFolders(host);
    await removeUnusedServers(receipts, dataFolder);
    await removeUnusedRecords(removed, receipts, dataFolder);
  }
  for (const note of result.notes) host.stderr.write(`warning: ${note}\n`);
  const drift = rows.filter(({ action }) => !settledActions.includes(action));
  if (json) host.stdout.write(renderJson(rows.map((row) => syncData(row, { dryRun }))));
  else if (check) host.stdout.write(driftLines(rows, host));
  if (!check) {
    host.stderr.write(syncLines(rows, { dryRun, color: host.color, from: input.from }));
    if (dryRun && !json) host.stdout.write(syncDiff(rows));
  }
  const isFailed = check ? drift.length > 0 : rows.some(({ action }) => failedActions.includes(action));
  return isFailed || result.notes.length > 0 ? ExitCode.Failed : ExitCode.Ok;
}

function modeOf({ check, dryRun }: SyncInput): 'write' | 'dry-run' | 'check' {
  if (check) return 'check';
  return dryRun ? 'dry-run' : 'write';
}

async function fromSet(input: SyncInput, host: Host): Promise<SyncResult> {
  if (input.project !== undefined || input.leaveOut.length > 0)
    throw new AgentToolsError(
      'usage',
      '--project and --leave-out go with --from. A set names its own "scope", and its options.',
    );
  const { dataFolder } = workspaceFolders(host);
  const set = await readSet(findSet(input.file, { cwd: host.cwd, dataFolder }), { dataFolder });
  const folders = installationFolders(host);
  const clients = input.to.length === 0 ? undefined : input.to.map(findClient);
  const { keys, force, verifyTimeoutMs, yes, autoInstall, mcpRegistry } = input;
  const choice = { keys, clients, force, mode: modeOf(input), verifyTimeoutMs, yes };
  // Paths in a set are relative to it.
  const there = { ...host, cwd: path.dirname(set.file) };
  return await runWithProgress(host, async (signal, tell) => {
    const settings = { folders, mcpRegistry, yes, autoInstall, signal, tell };
    return await syncSet(
      set,
      choice,
      installDeps(there, { ...settings, allowFindings: [], requireProvenance: false }),
    );
  });
}

async function fromClient(input: SyncInput, from: string, host: Host): Promise<SyncResult> {
  const { to, keys, force, leaveOut, project, file } = input;
  if (file !== undefined)
    throw new AgentToolsError('usage', '--file names a set, and --from a client. Leave one of them out.');
  if (to.length === 0)
    throw new AgentToolsError(
      'usage',
      'Which clients get the servers? Name them with --to, for example --to vscode,codex.',
    );
  return await syncClients(
    {
      from: findClient(from),
      to: to.map(findClient),
      scope:
        project === undefined
          ? { kind: 'user' }
          : { kind: 'project', folder: path.resolve(host.cwd, project) },
      keys,
      force,
      leaveOut,
      mode: modeOf(input),
    },
    { ...installationFolders(host), version: packageVersion(), now: () => new Date() },
  );
}
