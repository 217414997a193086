import { AgentToolsError } from '../base/errors.js';
import type { SandboxRequest } from './sandbox.js';
import { contains, resolveFile } from './system-files.js';

/** A file or folder of this machine in the sandbox. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isWritable: boolean;
}

/** A mount that code can read. */
export function readable(source: string): Mount {
  return { source, target: source, isWritable: false };
}

/** Folders of the kernel, which no permission may include. */
const kernelFolders = ['/proc', '/sys', '/dev'];

/** Mounts of the code and of the permitted files. @throws AgentToolsError for a permission that cannot be granted */
export function permittedMounts({ permissions, code, home, dataFolder }: SandboxRequest): readonly Mount[] {
  const found: Mount[] = [];
  for (const folder of code) {
    const source = resolveFile(folder);
    if (source === undefined) continue;
    if (contains(source, resolveFile(home) ?? home)) throw tooWide(folder, 'your home folder');
    found.push(readable(source));
  }
  const { read, write } = permissions.files;
  for (const file of read) found.push(...mountsOf(file, false));
  for (const file of write) found.push(...mountsOf(file, true));
  return found;

  function mountsOf(file: string, isWritable: boolean): readonly Mount[] {
    const source = resolveFile(file);
    if (source === undefined) {
      if (!isWritable) return [];
      const message = `The sandbox permits writing to ${file}, which does not exist. Create it first.`;
      throw new AgentToolsError('not-found', message);
    }
    const data = resolveFile(dataFolder) ?? dataFolder;
    if (contains(source, data) || contains(data, source))
      throw tooWide(file, 'the data folder of AgentTools, with its records and secrets');
    const kernel = kernelFolders.find((folder) => contains(folder, source) || contains(source, folder));
    if (kernel !== undefined) throw tooWide(file, kernel);
    // Code in the sandbox could point the link elsewhere before the next start.
    const outer = source === file ? undefined : write.find((one) => one !== file && contains(one, file));
    if (outer !== undefined) throw tooWide(file, `a link in ${outer}, which the server can write`);
    const mount = { source, isWritable };
    return [...new Set([source, file])].map((target) => ({ ...mount, target }));
  }
}

function tooWide(file: string, part: string): AgentToolsError {
  const message = `The sandbox cannot permit ${file}, which includes ${part}. Permit narrower folders.`;
  return new AgentToolsError('refused', message);
}
