import { workspaceFolders } from '../../engine/base/folders.js';
import type { PackagesDeps } from '../../engine/packages/packages-dependencies.js';
import type { Host } from '../../host.js';
import { npmSetting } from './npm-deps.js';

/** Dependencies of `add` and `update`, from the process environment. Default of `npm`: asks nothing. */
export function packagesSetting(
  host: Host,
  onProgress: PackagesDeps['onProgress'],
  {
    npm = npmSetting(host),
    allowFindings = [],
    requireProvenance = false,
  }: Partial<Pick<PackagesDeps, 'npm' | 'allowFindings' | 'requireProvenance'>> = {},
): PackagesDeps {
  const { packagesFolder } = workspaceFolders(host);
  return { packagesFolder, npm, allowFindings, requireProvenance, now: () => new Date(), onProgress };
}
