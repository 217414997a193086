import { describe, expect, it } from 'vitest';
import { chooseProxy } from '../../../src/engine/network/choose-proxy.js';
import {
  type ConnectionSettings,
  mayHaveSettings,
  readConnectionSettings,
} from '../../../src/engine/network/connection-settings.js';
import { findFetch } from '../../../src/engine/network/find-fetch.js';
import { writeFolder } from '../../support/packages.js';

async function choose(
  address: string,
  env: Record<string, string>,
  options: Record<string, unknown> = {},
): Promise<string | undefined> {
  const settings = await readConnectionSettings(options, env);
  return settings && chooseProxy(new URL(address), settings);
}

const both = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'http://plain:1' };

describe('the proxy of an address', () => {
  it.each([
    ['https://a.example/', both, 'http://secure:1'],
    ['http://a.example/', both, 'http://plain:1'],
    ['http://a.example/', { HTTPS_PROXY: 'http://secure:1' }, undefined],
    [
      'https://a.example/',
      { https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1' },
      'http://lower:1',
    ],
    ['https://a.example/', { https_proxy: '', HTTPS_PROXY: 'proxy:8080' }, 'http://proxy:8080'],
    ['https://localhost:9/', both, undefined],
    ['https://127.0.0.1/', both, undefined],
    ['https://[::1]/', both, undefined],
  ])('%s with %o is %s', async (address, env, expected) => {
    expect(await choose(address, env as unknown as Record<string, string>)).toBe(expected);
  });

  it.each([
    ['a.example', 'https://a.example/', true],
    ['a.example', 'https://b.a.example/', true],
    ['.a.example', 'https://a.example/', true],
    ['*.a.example', 'https://b.a.example/', true],
    ['A.Example', 'https://a.example/', true],
    ['x, a.example', 'https://a.example/', true],
    ['*', 'https://a.example/', true],
    ['a.example:443', 'https://a.example/', true],
    ['a.example:8443', 'https://a.example/', false],
    ['a.example:8443', 'https://a.example:8443/', true],
    ['xa.example', 'https://a.example/', false],
    ['a.example', 'https://xa.example/', false],
    ['10.0.0.1', 'https://10.0.0.1/', true],
    ['[fd00::1]', 'https://[fd00::1]/', true],
    ['fd00::1', 'https://[fd00::1]/', true],
    ['', 'https://a.example/', false],
    [',', 'https://a.example/', false],
  ])('NO_PROXY=%s for %s: %s', async (names, address, isDirect) => {
    expect((await choose(address, { ...both, NO_PROXY: names })) === undefined).toBe(isDirect);
    expect((await choose(address, both, { noProxy: [names] })) === undefined).toBe(isDirect);
  });

  it('comes from npm first, for all addresses', async () => {
    const options = { proxy: 'http://npm:1' };
    expect(await choose('http://a.example/', both, options)).toBe('http://npm:1');
    expect(await choose('https://a.example/', both, { ...options, httpsProxy: 'http://npm:2' })).toBe(
      'http://npm:2',
    );
  });
});

describe('settings', () => {
  it('are undefined if everything is as usual', async () => {
    expect(
      await readConnectionSettings({ strictSSL: true, noProxy: ['x'], ca: null }, { NO_PROXY: 'y' }),
    ).toBe(undefined);
  });

  it('ignore the project', async () => {
    const home = writeFolder({ 'project/.npmrc': 'https-proxy=http://127.0.0.1:9\nstrict-ssl=false\n' });
    const deps = { env: {}, home, platform: 'linux', execPath: `${home}/bin/node` } as const;
    expect(await findFetch({ ...deps, cwd: `${home}/project` })).toBeUndefined();
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9' };
    expect(await findFetch({ ...deps, env, cwd: `${home}/project` })).toBeTypeOf('function');
  });

  it('trust certificates of npm in addition to public ones', async () => {
    const { ca } = (await readConnectionSettings({ ca: ['own'] }, {})) as ConnectionSettings;
    expect(ca?.at(-1)).toBe('own');
    expect(ca?.length).toBeGreaterThan(50);
    const { strictSsl, ca: usual } = (await readConnectionSettings(
      { strictSSL: false },
      {},
    )) as ConnectionSettings;
    expect([strictSsl, usual]).toEqual([false, undefined]);
  });

  it.each([
    ['', {}, false],
    ['registry=https://npm.example/\n//npm.example/:_authToken=x\n', {}, false],
    ['https-proxy = http://p:1\n', {}, true],
    ['proxy=http://p:1', {}, true],
    ['cafile=/x.pem\n', {}, true],
    ['ca[]="x"\n', {}, true],
    ['strict-ssl=false\n', {}, true],
    ['', { HTTPS_PROXY: 'http://p:1' }, true],
    ['', { http_proxy: 'http://p:1' }, true],
    ['', { npm_config_cafile: '/x.pem' }, true],
    ['', { HTTPS_PROXY: '' }, false],
    ['', { NO_PROXY: 'x' }, false],
  ])('%j with %o may be set: %s', async (npmrc, env, expected) => {
    const home = writeFolder({ '.npmrc': npmrc });
    const execPath = `${home}/bin/node`;
    expect(
      await mayHaveSettings({ env: env as Record<string, string>, home, platform: 'linux', execPath }),
    ).toBe(expected);
  });
});
