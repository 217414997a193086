import path from 'node:path';
import type { ClientEnvironment, FileCandidates } from '../client.js';

/** The paths of the system that is asked about, which need not be the one we run on. */
export function platformPaths({ platform }: Pick<ClientEnvironment, 'platform'>): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}

/** Below the home folder. */
export function home(name: string): FileCandidates {
  return (surroundings) => [platformPaths(surroundings).join(surroundings.home, name)];
}

/**
 * Below `$XDG_CONFIG_HOME`, else `~/.config`, on every system.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/ on why a relative path counts for nothing
 */
export function xdgConfig(name: string): FileCandidates {
  return firstCandidates(variableFolder('XDG_CONFIG_HOME', name), home(`.config/${name}`));
}

/** Where programs with a window keep their data, as Electron has it. */
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

/** An application of macOS. */
export function application(name: string): FileCandidates {
  return bySystem({ darwin: () => [`/Applications/${name}.app`] });
}

/** Below the folder that a variable names, or that very path. A relative one depends on who reads it, and is left alone. */
export function variableFolder(variableName: string, name = ''): FileCandidates {
  return (surroundings) => {
    const paths = platformPaths(surroundings);
    const value = surroundings.env[variableName];
    return value !== undefined && paths.isAbsolute(value) ? [paths.join(value, name)] : [];
  };
}

/** A client's own folder below the home folder, which a variable may move. */
export function ownFolder(variableName: string, folder: string): (name?: string) => FileCandidates {
  return (name = '') =>
    firstCandidates(variableFolder(variableName, name), home(name === '' ? folder : `${folder}/${name}`));
}

/** One rule for each system; Linux stands for whatever is neither macOS nor Windows. */
export function bySystem(
  rules: Readonly<Partial<Record<'linux' | 'darwin' | 'win32', FileCandidates>>>,
): FileCandidates {
  return (surroundings) => {
    const { platform } = surroundings;
    const system = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
    return rules[system]?.(surroundings) ?? [];
  };
}

/** The first of several that names any place: how a variable replaces the usual one. */
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

/** All of them, what is there before what is not. */
export function existingFirst(...candidates: readonly FileCandidates[]): FileCandidates {
  return (surroundings) => {
    const places = allCandidates(...candidates)(surroundings);
    const isThere = (place: string) => surroundings.exists(place);
    return [...places.filter(isThere), ...places.filter((place) => !isThere(place))];
  };
}
