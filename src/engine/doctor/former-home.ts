import type { ClientEnvironment } from '../clients/client.js';
import { platformPaths } from '../clients/table/folders.js';
import type { Picture } from './picture.js';

/** Former home folders of the user, by the records of entries that are gone. */
export function formerHomes({
  gone,
  configs,
  surroundings,
}: Pick<Picture, 'gone' | 'configs' | 'surroundings'>): readonly string[] {
  const found = gone.flatMap(({ receipt: { client, file, scope } }) =>
    configs.flatMap((config) =>
      scope === 'user' && config.scope === 'user' && config.client.id === client && !surroundings.exists(file)
        ? (formerHome(file, config.file, surroundings) ?? [])
        : [],
    ),
  );
  return [...new Set(found)];
}

/** The home folder of a recorded path, if it differs from the present one: the part before the same path below the home folder. */
export function formerHome(
  recorded: string,
  present: string,
  { home }: Pick<ClientEnvironment, 'home'>,
): string | undefined {
  const below = present.startsWith(home) ? present.slice(home.length) : '';
  if (!/^[\\/]/.test(below) || !recorded.endsWith(below)) return undefined;
  const former = recorded.slice(0, -below.length);
  return former === home || former === '' ? undefined : former;
}

/** Folders of the system. A path in them is no path of a home folder. */
const systemFolder =
  /^(?:\/(?:usr|opt|bin|sbin|lib|lib64|etc|var|dev|proc|sys|System|Library|Applications|nix|snap)(?:\/|$)|[A-Za-z]:\\(?:Windows|Program))/;

/**
 * The same file below the present home folder; undefined if the path is not in a home folder that is gone. Looks for the
 * longest part of the path that exists there, of at least two names unless the folder is a usual place of home folders, or
 * one of the `known` ones.
 */
export function belowPresentHome(
  file: string,
  known: readonly string[],
  { home, exists, platform }: ClientEnvironment,
): string | undefined {
  const { join, sep } = platformPaths({ platform });
  if (systemFolder.test(file) || file.startsWith(home + sep)) return undefined;
  for (const former of known) {
    const present = file.startsWith(former + sep) ? home + file.slice(former.length) : undefined;
    if (present !== undefined && exists(present)) return present;
  }
  const names = file.split(/[\\/]/);
  const usual = /^(?:\/home|\/Users|[A-Za-z]:\\Users)[\\/]/.test(file)
    ? 3
    : file.startsWith('/root/')
      ? 2
      : undefined;
  for (let start = 2; start < names.length; start++) {
    const former = names.slice(0, start).join(sep);
    const isLongEnough = names.length - start >= 2 || start === usual;
    if (!isLongEnough) return undefined;
    if (exists(former)) continue;
    const present = join(home, ...names.slice(start));
    if (exists(present)) return present;
  }
  return undefined;
}
