import path from 'node:path';
import type { ClientEnvironment } from '../../../../src/engine/clients/client.js';

/** A user's home folder on each system. */
export const homes = { linux: '/home/me', darwin: '/Users/me', win32: 'C:\\Users\\me' } as const;

export type System = keyof typeof homes;

export interface Machine {
  readonly env?: Readonly<Record<string, string>>;
  /** Files that are there, and so are the folders above them; `~` is the home folder. */
  readonly files?: readonly string[];
}

/** A machine of any system, with nothing on it but what is said. */
export function surroundingsOf(platform: System, { env = {}, files = [] }: Machine = {}): ClientEnvironment {
  const home = homes[platform];
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const there = new Set(
    files.flatMap((file) => withFolders(paths.normalize(file.replace(/^~/, () => home)), paths)),
  );
  return {
    home,
    env,
    platform,
    exists: (file) => there.has(file),
    namesIn: (folder) =>
      [...there].filter((file) => paths.dirname(file) === folder).map((file) => paths.basename(file)),
  };
}

function withFolders(file: string, paths: path.PlatformPath): readonly string[] {
  const folder = paths.dirname(file);
  return folder === file ? [file] : [file, ...withFolders(folder, paths)];
}

/** A path with `~` for the home folder, and `/` throughout. */
export function short(file: string | undefined, platform: System): string | undefined {
  return file?.replace(homes[platform], '~').replaceAll('\\', '/');
}
