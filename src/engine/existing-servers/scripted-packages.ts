import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { guardRead } from '../base/file-fault.js';
import { isRecord, isString } from '../base/value-checks.js';

/** A package of the installed tree with scripts that npm would run. */
export interface ScriptedPackage {
  readonly name: string;
  readonly version: string;
  /** Scripts by event: `postinstall: node install.js`. */
  readonly scripts: readonly string[];
  /** True if the user allowed its scripts, and they ran. */
  readonly isAllowed: boolean;
}

/** Events for which npm runs scripts of installed packages. */
const events = ['preinstall', 'install', 'postinstall'] as const;

/** Packages with install scripts, from the lockfile and their package.json. */
export async function findScripted(
  folder: string,
  allowed: readonly string[],
): Promise<readonly ScriptedPackage[]> {
  const { packages } = await readJson(path.join(folder, 'package-lock.json'));
  const places = Object.entries(isRecord(packages) ? packages : {}).filter(
    ([place, entry]) => place !== '' && isRecord(entry) && entry.hasInstallScript === true,
  );
  return await Promise.all(
    places.map(async ([place, entry]) => {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const { scripts } = await readJson(path.join(folder, place, 'package.json')).catch(() => ({
        scripts: {},
      }));
      const said = scriptsOf(scripts);
      return {
        name,
        version: String((entry as { readonly version?: unknown }).version),
        // npm builds a package with a binding.gyp and without scripts.
        scripts: said.length > 0 ? said : ['install: node-gyp rebuild'],
        isAllowed: allowed.includes(name),
      };
    }),
  );
}

/** Install scripts of a package.json by event. */
export function scriptsOf(scripts: unknown): readonly string[] {
  return events.flatMap((event) => {
    const script = isRecord(scripts) ? scripts[event] : undefined;
    return isString(script) ? [`${event}: ${script}`] : [];
  });
}

/** Data of a JSON file; empty if it is no object. */
export async function readJson(file: string): Promise<Record<string, unknown>> {
  const value: unknown = JSON.parse(await guardRead(file, () => readFile(file, 'utf8')));
  return isRecord(value) ? value : {};
}
