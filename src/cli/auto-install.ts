import type { InstallMissing } from '../engine/extension/installer.js';
import type { Host } from '../host.js';

/** How packages that are not here are obtained; undefined if they are not to be. Most commands never come to load it. */
export function autoInstallOptions(
  host: Host,
  { wanted, tell }: { readonly wanted: boolean; readonly tell: (text: string) => void },
): InstallMissing | undefined {
  if (!wanted || !isAutoInstallEnabled(host.env)) return undefined;
  return async (names, options) => {
    const [{ createInstaller }, { packagesSetting }] = await Promise.all([
      import('../engine/packages/create-installer.js'),
      import('./packages-deps.js'),
    ]);
    return await createInstaller(packagesSetting(host, tell))(names, options);
  };
}

/** Whether the user lets missing packages be obtained: `AGENTTOOLS_AUTO_INSTALL=false` says no. */
export function isAutoInstallEnabled(env: Host['env']): boolean {
  return !['false', '0'].includes(env.AGENTTOOLS_AUTO_INSTALL?.trim().toLowerCase() ?? '');
}
