import { describe, expect, it } from 'vitest';
import { type LaunchRequest, launchOf, passingPaths } from '../../../src/engine/installation/launch.js';

const request: LaunchRequest = {
  argument: '@acme/kit/kit',
  qualifiedName: '@acme/kit/kit',
  by: 'node',
  program: { command: '/usr/bin/node', args: ['/opt/agenttools/bin/agenttools.js'] },
  version: '1.2.3',
  inProject: false,
  env: {},
  toolOptions: {},
  apps: true,
  cwd: undefined,
  dataFolder: undefined,
};

describe('what a client is to run', () => {
  it('is this program by absolute paths, and says the server twice', () => {
    expect(launchOf(request)).toEqual({
      command: '/usr/bin/node',
      args: ['/opt/agenttools/bin/agenttools.js', 'start', '@acme/kit/kit'],
      env: { MCP_SERVER_NAME: '@acme/kit/kit' },
    });
  });

  it('cannot be given another name of the server', () => {
    const { env } = launchOf({ ...request, env: { MCP_SERVER_NAME: 'x', A: '1' } });
    expect(env).toEqual({ MCP_SERVER_NAME: '@acme/kit/kit', A: '1' });
  });
});

describe('paths that may go', () => {
  it.each([
    ['/home/ada/.npm/_npx/5f2/node_modules/agenttools/bin/agenttools.js', /npx's cache/],
    [
      'C:\\Users\\ada\\AppData\\Local\\npm-cache\\_npx\\5f2\\node_modules\\agenttools\\bin\\agenttools.js',
      /npx's cache/,
    ],
    ['/home/ada/.nvm/versions/node/v20.19.0/bin/node', /version manager/],
    ['/home/ada/.local/share/fnm/node-versions/v22.1.0/installation/bin/node', /version manager/],
    ['/home/ada/.volta/tools/image/node/22.1.0/bin/node', /version manager/],
    ['C:\\Users\\ada\\AppData\\Roaming\\nvm\\v20.19.0\\node.exe', /version manager/],
  ])('%s', (word, note) => {
    expect(passingPaths({ command: word, args: [], env: {} })).toEqual([expect.stringMatching(note)]);
  });

  it.each([['/usr/bin/node'], ['/opt/homebrew/bin/node'], ['C:\\Program Files\\nodejs\\node.exe'], ['npx']])(
    '%s stays',
    (command) => expect(passingPaths({ command, args: [], env: {} })).toEqual([]),
  );
});
