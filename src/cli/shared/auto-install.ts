import { AgentToolsError } from '../../engine/base/errors.js';
import type { InstallMissing } from '../../engine/extension/installer.js';
import type { Host } from '../../host.js';

/** Returns the installer for missing packages; undefined if auto-install is off. Loaded on first use. */
export function autoInstallOptions(
  host: Host,
  {
    wanted,
    allowFindings = [],
    requireProvenance = false,
    tell,
  }: {
    readonly wanted: boolean;
    /** Codes of findings in texts that the user allows. */
    readonly allowFindings?: readonly string[];
    /** Refuses packages without a verified provenance. */
    readonly requireProvenance?: boolean;
    readonly tell: (text: string) => void;
  },
): InstallMissing | undefined {
  if (!wanted || !isAutoInstallEnabled(host.env)) return undefined;
  return async (names, options) => {
    const [{ createInstaller }, { packagesSetting }] = await Promise.all([
      import('../../engine/packages/create-installer.js'),
      import('./packages-deps.js'),
    ]);
    return await createInstaller(packagesSetting(host, tell, { allowFindings, requireProvenance }))(
      names,
      options,
    );
  };
}

/** Returns the latest published version of a package by the user's own npm settings; undefined if it is unknown. */
export function publishedVersionLookup(host: Host) {
  return async (name: string, signal: AbortSignal): Promise<string | undefined> => {
    const [{ latestVersion }, { readNpmSettings }, { npmSetting }] = await Promise.all([
      import('../../engine/npm/latest-version.js'),
      import('../../engine/npm/settings.js'),
      import('./npm-deps.js'),
    ]);
    const { cwd: _, ...npm } = npmSetting(host);
    try {
      const settings = await readNpmSettings(npm);
      return await latestVersion(name, { settings, maxBytes: 5 * 1024 * 1024, signal });
    } catch (error) {
      if (error instanceof AgentToolsError || (error as Error).name === 'RegistryError') return undefined;
      throw error;
    }
  };
}

/** True unless the user turned automatic installation off: `AGENTTOOLS_AUTO_INSTALL` is `false` or `0`. */
export function isAutoInstallEnabled(env: Host['env']): boolean {
  return !['false', '0'].includes(env.AGENTTOOLS_AUTO_INSTALL?.trim().toLowerCase() ?? '');
}
