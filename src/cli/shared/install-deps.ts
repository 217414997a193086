import { packageVersion, workspaceFolders } from '../../engine/base/folders.js';
import { visibleText } from '../../engine/base/visible-text.js';
import type { InstallDeps } from '../../engine/installation/install-request.js';
import type { InstallationFolders } from '../../engine/installation/installation-folders.js';
import type { Host } from '../../host.js';
import { autoInstallOptions } from './auto-install.js';
import { createInstallUser } from './install-user.js';
import { openHostRegistry } from './mcp-registry.js';
import { askingNpmSetting } from './npm-deps.js';
import { hostSecrets } from './secrets.js';
import { workspaceOptions } from './workspace.js';

/** Choices of the user for installs. */
export interface InstallSettings {
  readonly folders: InstallationFolders;
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry: string | undefined;
  readonly yes: boolean;
  readonly autoInstall: boolean;
  readonly allowFindings: readonly string[];
  readonly requireProvenance: boolean;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** Dependencies of installs on this machine. */
export function installDeps(
  host: Host,
  { folders, mcpRegistry, yes, autoInstall, allowFindings, requireProvenance, signal, tell }: InstallSettings,
): InstallDeps {
  const { dataFolder, cacheFolder } = workspaceFolders(host);
  return {
    ...folders,
    workspace: workspaceOptions(host),
    existing: {
      npm: askingNpmSetting(host, { yes, tell }),
      openRegistry: async () => await openHostRegistry(mcpRegistry, host),
      dataFolder,
      cacheFolder,
    },
    secrets: hostSecrets(host),
    version: packageVersion(),
    user: createInstallUser(host, tell),
    obtain: autoInstallOptions(host, { wanted: autoInstall, allowFindings, requireProvenance, tell }),
    now: () => new Date(),
    signal,
    tell,
    report: (line) => {
      tell('');
      host.stderr.write(visibleText(`${line}\n`));
    },
  };
}
