import path from 'node:path';
import Config from '@npmcli/config';
import { definitions, flatten, nerfDarts, shorthands } from '@npmcli/config/lib/definitions/index.js';
import { AgentToolsError } from '../base/errors.js';
import { findNpmFolder } from './find-npm.js';
import type { NpmDeps } from './npm-dependencies.js';
import { withoutUserinfo } from './without-userinfo.js';

/** A registry that npm is set to, for everything or for the packages of one scope. */
export interface RegistryEndpoint {
  /** As it is set, which may be no address; its packages are not to be looked for elsewhere then. */
  readonly url: string;
  /** With its `@`; absent: for all that no other is for. */
  readonly scope?: string;
}

/** What npm is set to: by its defaults, `.npmrc` files and variables, as npm itself reads them. */
export interface NpmSettings {
  /** In the words of npm's libraries: registries, credentials, proxies, certificates. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The one for everything first. */
  readonly registries: readonly [RegistryEndpoint, ...RegistryEndpoint[]];
  /** What the project says of registries, credentials and connections, in the words of `.npmrc`. */
  readonly project: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * Reads what npm is set to. A setting that cannot be read counts for nothing, as with npm.
 * @throws AgentToolsError if npm cannot make sense of them together
 * @see https://docs.npmjs.com/cli/using-npm/config
 */
export async function readNpmSettings(setting: NpmDeps): Promise<NpmSettings> {
  const { env, home, platform, execPath, cwd } = setting;
  const config = new Config({
    definitions,
    shorthands,
    flatten,
    nerfDarts,
    npmPath: (await findNpmFolder(setting)) ?? path.join(path.dirname(execPath), 'npm'),
    argv: [],
    // npm writes into it.
    env: { ...env, HOME: home },
    execPath,
    platform,
    cwd: cwd ?? home,
    warn: false,
  });
  try {
    await config.load();
  } catch (cause) {
    const why = withoutUserinfo(cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
    const message = `The settings of npm cannot be read: ${why}. See them with: npm config list`;
    throw new AgentToolsError('failed', message, { cause });
  }
  const options = config.flat;
  const scoped = Object.entries(options).flatMap(([key, url]) => {
    const [, scope] = scopeKey.exec(key) ?? [];
    return scope !== undefined && typeof url === 'string' && url !== ''
      ? [{ url: withSlash(url), scope }]
      : [];
  });
  return {
    options,
    registries: [{ url: withSlash(String(options.registry)) }, ...scoped],
    project: cwd === undefined ? {} : pickConnectionSettings(config.data.get('project')?.data ?? {}, cwd),
  };
}

const scopeKey = /^(@[^:/]+):registry$/;

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** Settings that say where packages come from and how they are reached. */
const connectionKey =
  /^(?:registry|@[^:/]+:registry|\/\/.*|https?-proxy|proxy|noproxy|ca|cafile|cert|key|strict-ssl)$/;

/** Paths that npm takes as they are, from wherever it works. */
const pathKey = /^\/\/.*:(?:certfile|keyfile)$/;

function pickConnectionSettings(
  settings: Readonly<Record<string, unknown>>,
  cwd: string,
): NpmSettings['project'] {
  const held = Object.entries(settings).filter(([key, value]) => connectionKey.test(key) && isSaid(value));
  return Object.fromEntries(
    held.map(([key, value]) => {
      if (Array.isArray(value)) return [key, value.map(String)];
      return [key, pathKey.test(key) ? path.resolve(cwd, String(value)) : String(value)];
    }),
  );
}

/** What npm takes for the section of a file is no setting. */
function isSaid(value: unknown): boolean {
  return Array.isArray(value) || (typeof value !== 'object' && value !== undefined);
}
