import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findClient } from '../../../src/engine/clients/locate.js';
import { Receipts } from '../../../src/engine/clients/receipts.js';
import { AgentToolsError } from '../../../src/engine/errors.js';
import {
  type InstallRequest,
  type InstallSetting,
  install,
} from '../../../src/engine/installation/install.js';
import { packageJson, writeFolder } from '../../support/packages.js';

const home = writeFolder();
const cwd = writeFolder({
  'package.json': packageJson({ tools: ['greet'] }),
  'agenttools/tools/greet.json': { handler: './greet.js' },
  'greet.js': 'export default () => "hello";',
});

const request: InstallRequest = {
  clients: [findClient('cursor')],
  scope: { kind: 'user' },
  reference: '.',
  name: undefined,
  variables: [],
  toolOptions: [],
  apps: true,
  by: 'node',
  cwd: undefined,
  verifyTimeoutMs: undefined,
  force: false,
  dryRun: true,
};

const setting: InstallSetting = {
  workspace: { cwd, homeDirectory: home, builtinFolder: home, packagesFolder: home, globalFolder: home },
  surroundings: { home, env: {}, platform: 'linux', exists: () => false, namesIn: () => [] },
  receipts: new Receipts({ folder: path.join(home, 'data') }),
  program: { command: '/usr/bin/node', args: ['/opt/agenttools/bin/agenttools.js'] },
  version: '1.2.3',
  dataFolder: undefined,
  now: () => new Date(0),
  signal: new AbortController().signal,
  tell: () => {},
};

/** A store of receipts that fails. */
function failing(error: Error): Receipts {
  const receipts = new Receipts({ folder: home });
  receipts.read = async () => {
    throw error;
  };
  return receipts;
}

describe('what goes wrong for one client', () => {
  it('is its failure if the user can act on it', async () => {
    const error = new AgentToolsError('refused', 'no');
    const results = await install(request, { ...setting, receipts: failing(error) });
    expect(results).toEqual([{ client: request.clients[0], error }]);
  });

  it('is nobody’s but ours otherwise', async () => {
    const receipts = failing(new TypeError('ours'));
    await expect(install(request, { ...setting, receipts })).rejects.toThrow(TypeError);
  });
});
