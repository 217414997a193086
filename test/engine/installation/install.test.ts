import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentToolsError } from '../../../src/engine/base/errors.js';
import { findClient } from '../../../src/engine/clients/locate-config.js';
import { Receipts } from '../../../src/engine/clients/receipts.js';
import { install } from '../../../src/engine/installation/install.js';
import type { InstallDeps, InstallRequest } from '../../../src/engine/installation/install-request.js';
import type { InstallReport } from '../../../src/engine/installation/install-result.js';
import { openSecretStore } from '../../../src/engine/secrets/secret-store.js';
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
  args: [],
  headers: [],
  transport: undefined,
  choices: {},
  command: undefined,
  allowScripts: [],
  requireProvenance: false,
  sha256: undefined,
  apps: true,
  by: 'node',
  cwd: undefined,
  verifyTimeoutMs: undefined,
  force: false,
  dev: false,
  frozen: false,
  sandbox: [],
  allowFindings: [],
  dryRun: true,
  yes: false,
};

const setting: InstallDeps = {
  workspace: { cwd, homeDirectory: home, builtinFolder: home, packagesFolder: home, globalFolder: home },
  surroundings: { home, env: {}, platform: 'linux', exists: () => false, namesIn: () => [] },
  receipts: new Receipts({ folder: path.join(home, 'data') }),
  program: { command: '/usr/bin/node', args: ['/opt/agenttools/bin/agenttools.js'] },
  version: '1.2.3',
  dataFolder: undefined,
  now: () => new Date(0),
  signal: new AbortController().signal,
  tell: () => {},
  obtain: undefined,
  existing: {
    npm: { env: {}, home, platform: 'linux', execPath: '/usr/bin/node', cwd: home },
    openRegistry: async () => {
      throw new Error('no registry is asked');
    },
    dataFolder: home,
    cacheFolder: home,
  },
  secrets: openSecretStore({ dataFolder: path.join(home, 'data') }),
  report: () => {},
};

/** A store of receipts that fails. */
function failing(error: Error): Receipts {
  const receipts = new Receipts({ folder: home });
  receipts.read = async () => {
    throw error;
  };
  return receipts;
}

describe('a failure of one client', () => {
  it('is its failure if the user can act on it', async () => {
    const error = new AgentToolsError('refused', 'no');
    const results = await install(request, { ...setting, receipts: failing(error) });
    expect(results).toEqual([{ client: request.clients[0], error }]);
  });

  it('is thrown if it is a defect of AgentTools', async () => {
    const receipts = failing(new TypeError('ours'));
    await expect(install(request, { ...setting, receipts })).rejects.toThrow(TypeError);
  });
});

describe('npx on Windows', () => {
  const project = writeFolder({
    'node_modules/@acme/kit/package.json': packageJson({ tools: ['greet'] }),
    'node_modules/@acme/kit/agenttools/tools/greet.json': { handler: './greet.js' },
    'node_modules/@acme/kit/greet.js': 'export default () => "hello";',
  });
  const windows: InstallDeps = {
    ...setting,
    workspace: { ...setting.workspace, packagesFolder: path.join(project, 'node_modules') },
    surroundings: { ...setting.surroundings, platform: 'win32' },
    dataFolder: 'C:\\data',
  };
  const entryIn = async (scope: InstallRequest['scope']) => {
    const [result] = await install({ ...request, reference: '@acme/kit', by: 'npx', scope }, windows);
    const { after } = result as InstallReport;
    return JSON.parse(after!).mcpServers.kit;
  };

  it("goes through the shell in the user's own file, which is of this system", async () => {
    const { command, env } = await entryIn({ kind: 'user' });
    expect({ command, env }).toMatchObject({ command: 'cmd', env: { AGENTTOOLS_HOME: 'C:\\data' } });
  });

  it("does not in a project's, which others share", async () => {
    const { command, env } = await entryIn({ kind: 'project', folder: project });
    expect({ command, env }).toEqual({ command: 'npx', env: { MCP_SERVER_NAME: '@acme/kit/kit' } });
  });
});
