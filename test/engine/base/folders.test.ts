import path from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { packageRoot, packageVersion, workspaceFolders } from '../../../src/engine/base/folders.js';
import { temporaryFolder, writeFiles } from '../../support/run-cli.js';

const facts = {
  cwd: '/home/ada/weather',
  env: {},
  home: '/home/ada',
  platform: 'linux',
  execPath: '/opt/node/bin/node',
} as const;

describe('folders', () => {
  it('keep everything below AGENTTOOLS_HOME when it is set', () => {
    expect(workspaceFolders({ ...facts, env: { AGENTTOOLS_HOME: 'data' } })).toMatchObject({
      homeDirectory: '/home/ada',
      dataFolder: '/home/ada/weather/data',
      packagesFolder: '/home/ada/weather/data/packages/node_modules',
      userServersFolder: '/home/ada/weather/data/servers',
      cacheFolder: '/home/ada/weather/data/cache',
    });
  });

  it.each([
    ['linux', {}, '/home/ada/.local/share/agenttools'],
    ['freebsd', {}, '/home/ada/.local/share/agenttools'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/agenttools'],
    ['linux', { XDG_DATA_HOME: 'data' }, '/home/ada/.local/share/agenttools'],
    ['darwin', { XDG_DATA_HOME: '/data' }, '/home/ada/Library/Application Support/agenttools'],
    ['win32', {}, '/home/ada/AppData/Local/agenttools/Data'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/agenttools/Data'],
  ] as const)('keep data where %s keeps it, with %j', (platform, env, expected) => {
    expect(workspaceFolders({ ...facts, platform, env }).dataFolder).toBe(expected);
  });

  it.each([
    ['linux', {}, '/home/ada/.cache/agenttools'],
    ['linux', { XDG_CACHE_HOME: '/cache' }, '/cache/agenttools'],
    ['linux', { XDG_CACHE_HOME: 'cache' }, '/home/ada/.cache/agenttools'],
    ['darwin', {}, '/home/ada/Library/Caches/agenttools'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/agenttools/Cache'],
  ] as const)('choose the cache folder by platform and environment: %s, %j', (platform, env, expected) => {
    expect(workspaceFolders({ ...facts, platform, env }).cacheFolder).toBe(expected);
  });

  it('find the bundled extensions in this package', () => {
    expect(packageRoot()).toBe(path.resolve(import.meta.dirname, '../../..'));
    expect(packageVersion()).toBe(packageJson.version);
    expect(workspaceFolders(facts).builtinFolder).toBe(path.join(packageRoot(), 'src/builtin'));
  });

  it.each([
    ['beside Node', {}, '/opt/node/lib/node_modules'],
    ['at npm_config_prefix', { npm_config_prefix: '/a', PREFIX: '/b' }, '/a/lib/node_modules'],
    ['at PREFIX', { PREFIX: '/b' }, '/b/lib/node_modules'],
  ])('look for global packages %s', (_where, env, expected) => {
    expect(workspaceFolders({ ...facts, env }).globalFolder).toBe(expected);
  });

  it('look for global packages below %APPDATA% on Windows', () => {
    const env = { APPDATA: '/appdata' };
    expect(workspaceFolders({ ...facts, platform: 'win32', env }).globalFolder).toBe(
      '/appdata/npm/node_modules',
    );
    const own = { npm_config_prefix: '/own' };
    expect(workspaceFolders({ ...facts, platform: 'win32', env: own }).globalFolder).toBe(
      '/own/node_modules',
    );
  });

  it.each([
    ['prefix=/opt/npm', '/opt/npm/lib/node_modules'],
    ['fund=false\n  prefix = ~/.npm-global\naudit=false', 'HOME/.npm-global/lib/node_modules'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm fills these in.
    ['prefix="${PLACE}/npm"', '/place/npm/lib/node_modules'],
    ['; prefix=/no\n#prefix=/no\nprefix-of=/no', '/opt/node/lib/node_modules'],
  ])('take the prefix for global packages from ~/.npmrc: %j', async (npmrc, expected) => {
    const home = await temporaryFolder();
    await writeFiles(home, { '.npmrc': npmrc });
    const { globalFolder } = workspaceFolders({ ...facts, home, env: { PLACE: '/place' } });
    expect(globalFolder.replace(home, 'HOME')).toBe(expected);
  });
});
