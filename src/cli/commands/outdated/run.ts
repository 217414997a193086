import { workspaceFolders } from '../../../engine/base/folders.js';
import { resolveDeps } from '../../../engine/bridge/open-existing.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { findOutdated } from '../../../engine/installation/outdated.js';
import type { Host } from '../../../host.js';
import { existingDeps } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { withProgress } from '../../shared/progress.js';
import { renderJson } from '../../shared/text/json.js';
import { renderOutdated } from './text.js';

export interface OutdatedInput {
  /** True to fail if something is outdated. */
  readonly check: boolean;
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry: string | undefined;
  readonly json: boolean;
}

/** Lists newer versions of added packages and installed existing servers. */
export async function outdatedCommand(
  { check, mcpRegistry, json }: OutdatedInput,
  host: Host,
): Promise<ExitCode> {
  const { packagesFolder, dataFolder } = workspaceFolders(host);
  const { receipts } = installationFolders(host);
  const states = await withProgress(host, async (tell) => {
    const { signal } = new AbortController();
    const deps = existingDeps(host, {
      mcpRegistry,
      refresh: true,
      ignoresProject: true,
      signal,
      tell,
      report: () => {},
    });
    return await findOutdated({ packagesFolder, receipts, dataFolder, resolve: resolveDeps(deps), tell });
  });
  host.stdout.write(json ? renderJson(states) : renderOutdated(states, host));
  return check && states.some(({ state }) => state === 'outdated') ? ExitCode.Failed : ExitCode.Ok;
}
