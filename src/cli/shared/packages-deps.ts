import { workspaceFolders } from '../../engine/base/folders.js';
import type { PackagesDeps } from '../../engine/packages/packages-dependencies.js';
import type { Host } from '../../host.js';
import { npmSetting } from './npm-deps.js';

/** Dependencies of `add` and `update`, from the process environment. */
export function packagesSetting(host: Host, onProgress: PackagesDeps['onProgress']): PackagesDeps {
  const { packagesFolder } = workspaceFolders(host);
  return { packagesFolder, npm: npmSetting(host), now: () => new Date(), onProgress };
}
