import { expect, test } from 'vitest';
import { isAutoInstallEnabled, publishedVersionLookup } from '../../../src/cli/shared/auto-install.js';
import { startJsonRegistry } from '../../support/json-registry.js';
import { fakeHost, temporaryFolder } from '../../support/run-cli.js';

test.each([
  [undefined, true],
  ['', true],
  ['true', true],
  ['1', true],
  ['false', false],
  ['FALSE', false],
  [' false ', false],
  ['0', false],
])('AGENTTOOLS_AUTO_INSTALL=%j: %j', (value, expected) => {
  expect(isAutoInstallEnabled({ AGENTTOOLS_AUTO_INSTALL: value })).toBe(expected);
});

test('looks up the published version of a package, and gives none without a registry', async () => {
  const home = await temporaryFolder();
  const registry = await startJsonRegistry({ '/@acme%2fkit/latest': { version: '1.2.3' } });
  const find = async (url: string) => {
    const { host } = fakeHost({ cwd: home, home, env: { npm_config_registry: url } });
    return await publishedVersionLookup(host)('@acme/kit', AbortSignal.timeout(10_000));
  };
  expect(await find(registry)).toBe('1.2.3');
  expect(await find('http://127.0.0.1:9/')).toBeUndefined();
});
