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

/** True unless the user turned automatic installation off: `AGENTTOOLS_AUTO_INSTALL` is `false` or `0`. */
export function isAutoInstallEnabled(env: Host['env']): boolean {
  return !['false', '0'].includes(env.AGENTTOOLS_AUTO_INSTALL?.trim().toLowerCase() ?? '');
}
