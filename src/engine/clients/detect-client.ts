import type { Client, ClientEnvironment } from './client.js';
import { platformPaths } from './table/folders.js';

/** True if a client is installed: its config file, a folder, its application or its program exists. */
export function isDetected(client: Client, surroundings: ClientEnvironment): boolean {
  if (client.manual) return false;
  const places = [...client.userFiles(surroundings).filter(isOwn), ...client.traces(surroundings)];
  const programs = (client.programs ?? []).flatMap((name) => pathsOnPath(name, surroundings));
  return [...places, ...programs].some((place) => surroundings.exists(place));
}

/** True unless the file name contains the key of an entry. */
function isOwn(file: string): boolean {
  return !file.includes('<key>');
}

function pathsOnPath(name: string, surroundings: ClientEnvironment): readonly string[] {
  const { env, platform } = surroundings;
  const { delimiter, join } = platformPaths(surroundings);
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD;.BAT').toLowerCase().split(';') : [''];
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
}
