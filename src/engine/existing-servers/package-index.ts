import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { NpmLookup } from './resolve-npm.js';
import type { ServerReference } from './server-reference.js';

/** The source of a server names no versions. The message has the reason and the way out. */
export class NoVersionsError extends AgentToolsError {}

/** Largest answer of an index: packages with many files have long ones. */
const maxBytes = 50 * 1024 * 1024;

/**
 * The newest version of a PyPI package, at the index of the user.
 * @throws NoVersionsError if no index is set; AgentToolsError if the index cannot be asked
 * @see https://docs.pypi.org/api/json/
 */
export async function newestPyPiVersion(name: string, { npm, signal }: NpmLookup): Promise<string> {
  const project = name.replace(/\[.*$/, '');
  const index = await findPackageIndex(npm);
  if (index === undefined) {
    const message = `No package index is set, so only uvx knows the newest version. Start it with: uvx ${project}@latest. To compare versions here, set UV_DEFAULT_INDEX to the address of the index.`;
    throw new NoVersionsError('not-found', message);
  }
  const [{ readNpmSettings }, { getJson, RegistryError }] = await Promise.all([
    import('../npm/settings.js'),
    import('../npm/registry.js'),
  ]);
  try {
    const found = await getJson(`/pypi/${encodeURIComponent(project)}/json`, {
      settings: await readNpmSettings(npm),
      registry: index.replace(/\/(?:simple)?\/*$/, ''),
      maxBytes,
      signal,
    });
    const version = isRecord(found) && isRecord(found.info) ? found.info.version : undefined;
    if (isString(version) && /^[\w.!+-]+$/.test(version)) return version;
    throw new AgentToolsError('failed', `The package index names no version of ${project}.`);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RegistryError)) throw error;
    throw new AgentToolsError('failed', `${project} cannot be looked up: ${error.message}`, { cause: error });
  }
}

/**
 * Address of the package index that the user has set for uvx or pip; undefined if none is set, or it is a folder.
 * @see https://docs.astral.sh/uv/configuration/environment/, https://docs.astral.sh/uv/configuration/files/
 */
async function findPackageIndex(deps: NpmDeps): Promise<string | undefined> {
  const { env } = deps;
  const set = env.UV_DEFAULT_INDEX || env.UV_INDEX_URL || (await readUvIndex(deps)) || env.PIP_INDEX_URL;
  // An index may have a name: `internal=https://…`.
  const address = set?.replace(/^[\w.-]+=(?=https?:)/, '');
  return address && /^https?:\/\//.test(address) ? address : undefined;
}

async function readUvIndex({ env, home, platform }: NpmDeps): Promise<string | undefined> {
  const folder = platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME || path.join(home, '.config');
  if (!folder) return undefined;
  const text = await readFile(path.join(folder, 'uv', 'uv.toml'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { parse } = await import('smol-toml');
  try {
    const { index, 'index-url': older } = parse(text) as Readonly<Record<string, unknown>>;
    const indexes = Array.isArray(index) ? (index as unknown[]).filter(isRecord) : [];
    const url = indexes.find((one) => one.default === true)?.url ?? older;
    return isString(url) ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Adds the newest version to a reference to a PyPI package without one. Other references are returned as they are.
 * @throws as {@link newestPyPiVersion}
 */
export async function pinReference<R extends ServerReference>(reference: R, lookup: NpmLookup): Promise<R> {
  if (reference.kind !== 'pypi' || reference.version !== undefined) return reference;
  return { ...reference, version: await newestPyPiVersion(reference.name, lookup) };
}
