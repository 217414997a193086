import type { Obtain } from '../engine/extension/obtain.js';
import type { Host } from '../host.js';

/** How packages that are not here are obtained; undefined if they are not to be. Most commands never come to load it. */
export function obtaining(
  host: Host,
  { wanted, tell }: { readonly wanted: boolean; readonly tell: (text: string) => void },
): Obtain | undefined {
  if (!wanted || !mayObtain(host.env)) return undefined;
  return async (names, options) => {
    const [{ obtainWith }, { packagesSetting }] = await Promise.all([
      import('../engine/packages/obtain.js'),
      import('./packages-setting.js'),
    ]);
    return await obtainWith(packagesSetting(host, tell))(names, options);
  };
}

/** Whether the user lets missing packages be obtained: `AGENTTOOLS_AUTO_INSTALL=false` says no. */
export function mayObtain(env: Host['env']): boolean {
  return !['false', '0'].includes(env.AGENTTOOLS_AUTO_INSTALL?.trim().toLowerCase() ?? '');
}
