import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packageJson, writeFolder } from '../support/packages.js';
import { execute } from '../support/packed.js';
import { programFile } from '../support/program.js';
import { type Registry, startRegistry } from '../support/registry.js';

let registry: Registry;

beforeAll(async () => {
  registry = await startRegistry();
  const fields = { keywords: ['agenttools-extension'], agenttools: './mcp/manifest.jsonc' };
  await registry.publish({
    'package.json': packageJson({}, fields),
    'mcp/manifest.jsonc': '// ours\n{ "servers": ["main"], "tools": ["look"] }',
  });
});

/** On a machine whose npm is set to our registry. */
async function run(...words: readonly string[]) {
  const home = writeFolder({ '.npmrc': registry.settings() });
  const env = { HOME: home, AGENTTOOLS_HOME: path.join(home, 'data'), AGENTTOOLS_MCP_REGISTRY: 'none' };
  const { code, stdout, stderr } = await execute(process.execPath, [programFile, ...words, '--json'], {
    cwd: home,
    env,
  });
  return { code, stderr, data: JSON.parse(stdout) as unknown };
}

describe('the built program reads a manifest in a file of a published package', () => {
  it('to list its servers', async () => {
    expect(await run('list-servers', '--remote')).toEqual({
      code: 0,
      stderr: '',
      data: [expect.objectContaining({ name: '@acme/kit/main', tools: ['@acme/kit/look'] })],
    });
  });

  it('to show it', async () => {
    const { data } = await run('show', '@acme/kit');
    expect(data).toMatchObject({ kind: 'server', name: '@acme/kit/main', installed: false });
  });
});
