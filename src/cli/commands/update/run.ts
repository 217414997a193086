import { workspaceFolders } from '../../../engine/base/folders.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { updatableServers } from '../../../engine/installation/update-servers.js';
import { PackageStore } from '../../../engine/packages/package-store.js';
import {
  applyUpdate,
  discardUpdates,
  planUpdates,
  type UpdateResult,
} from '../../../engine/packages/update.js';
import type { Host } from '../../../host.js';
import { readAllowedCodes } from '../../shared/allow-findings.js';
import { askYesNo } from '../../shared/ask-question.js';
import { ExitCode } from '../../shared/exit-code.js';
import { askingNpmSetting } from '../../shared/npm-deps.js';
import { packagesSetting } from '../../shared/packages-deps.js';
import { withProgress } from '../../shared/progress.js';
import { renderJson } from '../../shared/text/json.js';
import { serverUpdateData, updateServers } from './servers.js';
import { outdateRecords, renewSurfaces } from './surfaces.js';
import { renderPlan, type SurfaceOutcome, updateData, updateLine } from './text.js';

export interface UpdateInput {
  /** Empty: all added packages. */
  readonly names: readonly string[];
  readonly dryRun: boolean;
  readonly load: boolean;
  readonly yes: boolean;
  /** Codes of findings in texts that the user allows. */
  readonly allowFindings: readonly string[];
  /** Refuses versions without a verified provenance. */
  readonly requireProvenance: boolean;
  readonly json: boolean;
}

/** Shows the changes of newer versions of added packages, and installs these versions. */
export async function updateCommand(input: UpdateInput, host: Host): Promise<ExitCode> {
  const allowFindings = readAllowedCodes(input.allowFindings);
  const { requireProvenance } = input;
  const servers = await updatableServers(input.names, installationFolders(host).receipts);
  const keys = new Set(servers.flat().flatMap(({ key, reference, server }) => [key, reference, server]));
  const added = await new PackageStore(workspaceFolders(host).packagesFolder).all();
  const isPackage = (name: string) => added.some((one) => one.name === name);
  // Names of neither kind are errors of the packages.
  const names = input.names.filter((name) => isPackage(name) || !keys.has(name));
  const hasPackages = input.names.length === 0 || names.length > 0;
  const plans = await withProgress(host, async (tell) =>
    !hasPackages
      ? []
      : await planUpdates(
          { ...input, names },
          packagesSetting(host, tell, { npm: askingNpmSetting(host, { ...input, tell }), requireProvenance }),
        ),
  );
  const npm = askingNpmSetting(host, { ...input, tell: () => {} });
  const setting = packagesSetting(host, () => {}, { npm, allowFindings });
  const results: UpdateOutcome[] = [];
  try {
    for (const plan of plans) {
      host.stderr.write(renderPlan(plan, { color: host.color }));
      const ask = async () => input.yes || (await askYesNo(`Update ${plan.before.name}?`, host));
      const result = await applyUpdate(plan, { dryRun: input.dryRun, ask }, setting);
      host.stderr.write(updateLine(result));
      results.push({ result, surfaces: await followSurfaces(result, input, host) });
    }
  } finally {
    await discardUpdates(plans);
  }
  const ofServers = input.names.filter((name) => !names.includes(name));
  const outcomes =
    input.names.length > 0 && ofServers.length === 0
      ? []
      : await updateServers({ ...input, allowFindings, names: ofServers }, host);
  if (plans.length + outcomes.length === 0)
    host.stderr.write(
      'No package was added. Add one with: agenttools add <package>\nNo existing server is installed that AgentTools can update.\n',
    );
  if (input.json)
    host.stdout.write(
      renderJson([
        ...results.map(({ result, surfaces }) => updateData(result, surfaces)),
        ...outcomes.map(serverUpdateData),
      ]),
    );
  const states = [
    ...outcomes.map(({ state }) => state),
    ...results.flatMap(({ result, surfaces }) => [result, ...surfaces].map(({ state }) => state)),
  ];
  return states.some((state) => state === 'held' || state === 'failed') ? ExitCode.Failed : ExitCode.Ok;
}

interface UpdateOutcome {
  readonly result: UpdateResult;
  /** Recorded surfaces; empty without `--load`. */
  readonly surfaces: readonly SurfaceOutcome[];
}

/** Brings the recorded surfaces of a package up to date. */
async function followSurfaces(
  result: UpdateResult,
  input: UpdateInput,
  host: Host,
): Promise<readonly SurfaceOutcome[]> {
  const { state } = result;
  if (state === 'updated') await outdateRecords(result, host);
  const isThere = state === 'updated' || state === 'current';
  return input.load && isThere ? await renewSurfaces(result, input, host) : [];
}
