import { workspaceFolders } from '../engine/folders.js';
import type { PackagesSetting } from '../engine/packages/setting.js';
import type { Host } from '../host.js';
import { npmSetting } from './npm-setting.js';

/** What adding packages stands on where the command runs. */
export function packagesSetting(host: Host, tell: PackagesSetting['tell']): PackagesSetting {
  const { packagesFolder } = workspaceFolders(host);
  return { packagesFolder, npm: npmSetting(host), now: () => new Date(), tell };
}
