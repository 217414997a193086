import path from 'node:path';
import Config from '@npmcli/config';
import { definitions, flatten, nerfDarts, shorthands } from '@npmcli/config/lib/definitions/index.js';
import { AgentToolsError } from '../base/errors.js';
import { findNpmFolder } from './find-npm.js';
import type { NpmDeps } from './npm-dependencies.js';
import { findOutgoingSettings, redirectsSettings } from './project-settings.js';
import { withoutUserinfo } from './without-userinfo.js';

/** A configured npm registry: the default one, or the one of a scope. */
export interface RegistryEndpoint {
  /** URL as configured. It may be invalid; its packages are then not looked up elsewhere. */
  readonly url: string;
  /** With its `@`. Undefined for the default registry. */
  readonly scope?: string;
}

/** npm settings from defaults, `.npmrc` files and variables, as npm reads them. */
export interface NpmSettings {
  /** With the names of npm's libraries: registries, credentials, proxies, certificates. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The default registry first. */
  readonly registries: readonly [RegistryEndpoint, ...RegistryEndpoint[]];
  /** The project's settings of registries, credentials and connections, with the names of `.npmrc`. */
  readonly project: Readonly<Record<string, string | readonly string[]>>;
  /** File with npm's settings of the machine. It may be absent. */
  readonly globalFile: string;
}

/**
 * Reads npm's settings. Ignores invalid settings, as npm does.
 * @throws AgentToolsError if npm rejects the combination
 * @see https://docs.npmjs.com/cli/using-npm/config
 */
export async function readNpmSettings(setting: NpmDeps): Promise<NpmSettings> {
  const { cwd, allowOutgoing = async () => false } = setting;
  const npmPath = (await findNpmFolder(setting)) ?? path.join(path.dirname(setting.execPath), 'npm');
  const loaded = await loadConfig(setting, npmPath);
  const config = redirectsSettings(loaded) ? await loadOwnFiles(setting, npmPath) : loaded;
  if (cwd !== undefined) {
    const outgoing = findOutgoingSettings(config);
    if (outgoing && !(await allowOutgoing(outgoing)))
      for (const { key } of outgoing.settings) config.delete(key, 'project');
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
    globalFile: String(config.get('globalconfig')),
  };
}

/** Loads the settings with the files of the user and of the machine that apply outside the project. */
async function loadOwnFiles(setting: NpmDeps, npmPath: string): Promise<Config> {
  const { cwd: _, ...outside } = setting;
  const own = await loadConfig(outside, npmPath);
  const env = {
    ...setting.env,
    npm_config_userconfig: String(own.get('userconfig')),
    npm_config_globalconfig: String(own.get('globalconfig')),
  };
  return await loadConfig({ ...setting, env }, npmPath);
}

async function loadConfig(
  { env, home, platform, execPath, cwd = home }: NpmDeps,
  npmPath: string,
): Promise<Config> {
  const config = new Config({
    definitions,
    shorthands,
    flatten,
    nerfDarts,
    npmPath,
    argv: [],
    // npm modifies this object.
    env: { ...env, HOME: home },
    execPath,
    platform,
    cwd,
    warn: false,
  });
  try {
    await config.load();
    return config;
  } catch (cause) {
    const why = withoutUserinfo(cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
    const message = `The settings of npm cannot be read: ${why}. See them with: npm config list`;
    throw new AgentToolsError('failed', message, { cause });
  }
}

const scopeKey = /^(@[^:/]+):registry$/;

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** Settings of registries and connections. */
const connectionKey =
  /^(?:registry|@[^:/]+:registry|\/\/.*|https?-proxy|proxy|noproxy|ca|cafile|cert|key|strict-ssl)$/;

/** Paths that npm resolves against its working directory. */
const pathKey = /^\/\/.*:(?:certfile|keyfile)$/;

function pickConnectionSettings(
  settings: Readonly<Record<string, unknown>>,
  cwd: string,
): NpmSettings['project'] {
  const held = Object.entries(settings).filter(
    ([key, value]) => connectionKey.test(key) && isPlainSetting(value),
  );
  return Object.fromEntries(
    held.map(([key, value]) => {
      if (Array.isArray(value)) return [key, value.map(String)];
      return [key, pathKey.test(key) ? path.resolve(cwd, String(value)) : String(value)];
    }),
  );
}

/** False for values that npm parses as a section of the file. */
function isPlainSetting(value: unknown): boolean {
  return Array.isArray(value) || (typeof value !== 'object' && value !== undefined);
}
