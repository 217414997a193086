import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../base/find-program.js';
import { parseJsonOrUndefined } from '../base/text-codecs.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { ClientEnvironment } from '../clients/client.js';
import { isOlder } from '../packages/version.js';

/** Folders above a program that may hold its `package.json`. */
const maxLevels = 5;

/** Source of the version of a client. */
export type VersionSource =
  /** The npm package of a program on the PATH. */
  | { readonly program: string }
  /** The name of the folder of an extension of VS Code. */
  | { readonly extension: string };

/**
 * Version of an installed client, from files alone: the package of its program, or the folder of its extension. Undefined
 * if no file has it.
 */
export async function findClientVersion(
  source: VersionSource,
  { env, home, namesIn }: ClientEnvironment,
): Promise<string | undefined> {
  if ('extension' in source) {
    const names = namesIn(path.join(home, '.vscode', 'extensions'));
    return newest(names.flatMap((name) => versionAfter(name, `${source.extension}-`) ?? []));
  }
  const file = await findProgram(source.program, env);
  return file && (await packageVersion(await realpath(file).catch(() => file), source.program));
}

function versionAfter(name: string, beginning: string): string | undefined {
  return name.startsWith(beginning) ? /^\d+\.\d+\.\d+/.exec(name.slice(beginning.length))?.[0] : undefined;
}

function newest(versions: readonly string[]): string | undefined {
  return [...versions].sort((one, other) => (isOlder(one, other) ? 1 : -1))[0];
}

async function packageVersion(file: string, program: string): Promise<string | undefined> {
  let folder = path.dirname(file);
  for (let level = 0; level < maxLevels; level++) {
    const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '');
    const found = parseJsonOrUndefined(text);
    if (isRecord(found) && isString(found.version))
      return hasProgram(found, program) ? found.version : undefined;
    folder = path.dirname(folder);
  }
  return undefined;
}

function hasProgram({ bin, name }: Readonly<Record<string, unknown>>, program: string): boolean {
  return isRecord(bin) ? Object.hasOwn(bin, program) : isString(bin) && String(name).endsWith(program);
}
