import path from 'node:path';
import type { ClientEnvironment, FileCandidates } from '../client.js';

/** Path functions of the given system, which may differ from the present one. */
export function platformPaths({ platform }: Pick<ClientEnvironment, 'platform'>): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}

/** Below the home folder. */
export function home(name: string): FileCandidates {
  return (surroundings) => [platformPaths(surroundings).join(surroundings.home, name)];
}

/**
 * Below `$XDG_CONFIG_HOME`, else `~/.config`, on every system.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/ on why a relative path is ignored
 */
export function xdgConfig(name: string): FileCandidates {
  return firstCandidates(variableFolder('XDG_CONFIG_HOME', name), home(`.config/${name}`));
}

/** Below the folder for application data, as Electron defines it. */
export function appData(name: string): FileCandidates {
  return bySystem({
    linux: xdgConfig(name),
    darwin: home(`Library/Application Support/${name}`),
    win32: firstCandidates(variableFolder('APPDATA', name), home(`AppData/Roaming/${name}`)),
  });
}

/** Below Windows' folder for data that stays on one machine. */
export function localAppData(name: string): FileCandidates {
  return bySystem({
    win32: firstCandidates(variableFolder('LOCALAPPDATA', name), home(`AppData/Local/${name}`)),
  });
}

/** A macOS application. */
export function application(name: string): FileCandidates {
  return bySystem({ darwin: () => [`/Applications/${name}.app`] });
}

/**
 * Below the folder that a variable names, or that path itself. Ignores a relative path: it depends on the
 * reader.
 */
export function variableFolder(variableName: string, name = ''): FileCandidates {
  return (surroundings) => {
    const paths = platformPaths(surroundings);
    const value = surroundings.env[variableName];
    return value !== undefined && paths.isAbsolute(value) ? [paths.join(value, name)] : [];
  };
}

/** Below a client's folder in the home folder, which a variable may move. */
export function ownFolder(variableName: string, folder: string): (name?: string) => FileCandidates {
  return (name = '') =>
    firstCandidates(variableFolder(variableName, name), home(name === '' ? folder : `${folder}/${name}`));
}

/** One rule for each system. `linux` covers all systems except macOS and Windows. */
export function bySystem(
  rules: Readonly<Partial<Record<'linux' | 'darwin' | 'win32', FileCandidates>>>,
): FileCandidates {
  return (surroundings) => {
    const { platform } = surroundings;
    const system = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
    return rules[system]?.(surroundings) ?? [];
  };
}

/** The first candidates that return any path: a variable replaces the usual folder. */
export function firstCandidates(...candidates: readonly FileCandidates[]): FileCandidates {
  return (surroundings) => {
    for (const places of candidates) {
      const found = places(surroundings);
      if (found.length > 0) return found;
    }
    return [];
  };
}

export function allCandidates(...candidates: readonly FileCandidates[]): FileCandidates {
  return (surroundings) => candidates.flatMap((places) => places(surroundings));
}

/** All candidates, existing paths first. */
export function existingFirst(...candidates: readonly FileCandidates[]): FileCandidates {
  return (surroundings) => {
    const places = allCandidates(...candidates)(surroundings);
    const isThere = (place: string) => surroundings.exists(place);
    return [...places.filter(isThere), ...places.filter((place) => !isThere(place))];
  };
}
