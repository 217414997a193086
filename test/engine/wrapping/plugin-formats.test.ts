import { expect, test } from 'vitest';
import { pluginHint, pluginManifests } from '../../../src/engine/extension/plugin-hint.js';
import { pluginFormats } from '../../../src/engine/wrapping/plugin-formats.js';
import { writeFolder } from '../../support/packages.js';
import { runCli } from '../../support/run-cli.js';

test('every format of plugins is recognized where a package is expected', () => {
  expect(pluginManifests).toEqual(pluginFormats.map(({ manifest }) => manifest));
  for (const manifest of pluginManifests) {
    expect(pluginHint(writeFolder({ [manifest]: {} }))).toContain(manifest);
  }
  expect(pluginHint(writeFolder({ 'README.md': '' }))).toBe('');
});

test.each([['install', 'cursor'], ['start'], ['validate']])(
  '%s names the way from a plugin to an extension',
  async (...words) => {
    const folder = writeFolder({ '.claude-plugin/plugin.json': { name: 'acme' } });
    const { stderr } = await runCli([...words, folder], { home: writeFolder(), cwd: folder });
    expect(stderr).toContain(`agenttools create <new folder> --from ${folder}`);
  },
);
