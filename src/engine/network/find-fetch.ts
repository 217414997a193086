import type { NpmDeps } from '../npm/npm-dependencies.js';
import { mayHaveSettings, readConnectionSettings } from './connection-settings.js';

/**
 * The fetch for the proxies and certificates in variables and in the user's settings of npm; undefined without any.
 * Settings of a project are not used.
 * @throws AgentToolsError if the settings of npm cannot be read
 */
export async function findFetch({
  env,
  home,
  platform,
  execPath,
}: NpmDeps): Promise<typeof fetch | undefined> {
  const outside = { env, home, platform, execPath };
  if (!(await mayHaveSettings(outside))) return undefined;
  const { readNpmSettings } = await import('../npm/settings.js');
  const { options } = await readNpmSettings(outside);
  const settings = await readConnectionSettings(options, env);
  if (!settings) return undefined;
  const { createProxiedFetch } = await import('./proxied-fetch.js');
  return createProxiedFetch(settings);
}
