import { AgentToolsError } from '../../../engine/base/errors.js';
import { packageVersion, workspaceFolders } from '../../../engine/base/folders.js';
import { type DoctorReport, runDoctor } from '../../../engine/doctor/doctor.js';
import { installationFolders, namedClients } from '../../../engine/installation/installation-folders.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { hostSecrets } from '../../shared/secrets.js';
import { renderDiffs } from '../../shared/text/diff.js';
import { renderJson } from '../../shared/text/json.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { doctorData, renderDoctor } from './text.js';

export interface DoctorInput {
  /** Names with commas. Default: all clients. */
  readonly client: string | undefined;
  readonly fix: boolean;
  readonly dryRun: boolean;
  readonly moveSecrets: boolean;
  readonly startForeign: boolean;
  readonly start: boolean;
  readonly offline: boolean;
  readonly timeoutMs: number;
  readonly json: boolean;
}

/** Reports and repairs faults of the servers of all clients. Findings go to stdout; the diff of a dry run replaces them there. */
export async function doctorCommand(input: DoctorInput, host: Host): Promise<ExitCode> {
  const { client, fix, dryRun, moveSecrets, startForeign, start, offline, timeoutMs, json } = input;
  if (startForeign && !start)
    throw new AgentToolsError(
      'usage',
      '--start-foreign starts servers, and --no-start starts none. Leave one out.',
    );
  if (moveSecrets && !fix && !dryRun)
    throw new AgentToolsError(
      'usage',
      '--move-secrets changes entries. Add --fix, or --dry-run to see the changes.',
    );
  const named = namedClients({ client, project: undefined, config: undefined, all: false });
  const workspace = workspaceOptions(host);
  const report = await runWithProgress(
    host,
    async (signal, tell) =>
      await runDoctor(
        {
          clients: named?.clients,
          moveSecrets,
          isStarted: start,
          isForeignStarted: startForeign,
          timeoutMs,
          isPublishedChecked: !offline,
          fix: dryRun ? 'plan' : fix ? 'yes' : 'no',
        },
        {
          ...installationFolders(host),
          workspace,
          dataFolder: workspaceFolders(host).dataFolder,
          npm: npmSetting(host),
          secrets: hostSecrets(host),
          version: packageVersion(),
          now: () => new Date(),
          signal,
          tell,
        },
      ),
  );
  if (json) host.stdout.write(renderJson(doctorData(report, { fix, dryRun })));
  else {
    const text = renderDoctor(report, {
      dryRun,
      clients: named?.clients,
      color: host.color,
      home: host.home,
    });
    (dryRun ? host.stderr : host.stdout).write(text);
    if (dryRun) host.stdout.write(renderDiffs(report.files.map((one) => ({ ...one, what: one.file }))));
  }
  return isClean(report) ? ExitCode.Ok : ExitCode.Failed;
}

/** True if only infos remain. */
function isClean({ findings, repairs }: DoctorReport): boolean {
  return findings.every(({ severity }) => severity === 'info') && repairs.every(({ error }) => !error);
}
