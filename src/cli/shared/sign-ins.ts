import { workspaceFolders } from '../../engine/base/folders.js';
import { SignIns } from '../../engine/sign-in/sign-ins.js';
import type { Host } from '../../host.js';
import { writeNote } from './write-note.js';

/** The sign-ins of the user to remote servers. */
export function openSignIns(host: Host): SignIns {
  return new SignIns({
    dataFolder: workspaceFolders(host).dataFolder,
    warn: (note) => writeNote(host, note),
  });
}
