import { describe, expect, it } from 'vitest';
import { buildLaunch, type LaunchRequest, unstablePaths } from '../../../src/engine/installation/launch.js';

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

describe('the command that a client runs', () => {
  it('has absolute paths and names the server in an argument and a variable', () => {
    expect(buildLaunch(request)).toEqual({
      command: '/usr/bin/node',
      args: ['/opt/agenttools/bin/agenttools.js', 'start', '@acme/kit/kit'],
      env: { MCP_SERVER_NAME: '@acme/kit/kit' },
    });
  });

  it('runs dev over stdio for an entry that serves changes', () => {
    const { args } = buildLaunch({ ...request, dev: true, argument: '/home/ada/kit' });
    expect(args).toEqual(['/opt/agenttools/bin/agenttools.js', 'dev', '--stdio', '/home/ada/kit']);
  });

  it('cannot be given another name of the server', () => {
    const { env } = buildLaunch({ ...request, env: { MCP_SERVER_NAME: 'x', A: '1' } });
    expect(env).toEqual({ MCP_SERVER_NAME: '@acme/kit/kit', A: '1' });
  });
});

describe('paths that may go', () => {
  const passing = (command: string, inProject = false) =>
    unstablePaths({ command, args: [], env: {} }, { inProject });

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
    expect(passing(word)).toEqual([expect.stringMatching(note)]);
  });

  it.each([['/usr/bin/node'], ['/opt/homebrew/bin/node'], ['C:\\Program Files\\nodejs\\node.exe'], ['npx']])(
    '%s stays',
    (command) => expect(passing(command)).toEqual([]),
  );

  it.each([
    '/home/ada/app/node_modules/agenttools/bin/agenttools.js',
    '/home/ada/app/node_modules/.pnpm/agenttools@1.2.3/node_modules/agenttools/bin/agenttools.js',
    'C:\\Users\\ada\\app\\node_modules\\agenttools\\bin\\agenttools.js',
  ])("warns about a copy in a project, except for the project's config file: %s", (script) => {
    expect(passing(script)).toEqual([expect.stringMatching(/node_modules of a project.*--global/)]);
    expect(passing(script, true)).toEqual([]);
  });

  it.each([
    '/usr/lib/node_modules/agenttools/bin/agenttools.js',
    '/home/ada/.npm-global/lib/node_modules/agenttools/bin/agenttools.js',
    'C:\\Users\\ada\\AppData\\Roaming\\npm\\node_modules\\agenttools\\bin\\agenttools.js',
    'C:\\Program Files\\nodejs\\node_modules\\agenttools\\bin\\agenttools.js',
    '/home/ada/.local/share/pnpm/global/5/node_modules/.pnpm/agenttools@1.2.3/node_modules/agenttools/bin/agenttools.js',
    '/home/ada/.config/yarn/global/node_modules/agenttools/bin/agenttools.js',
    '/home/ada/agenttools/bin/agenttools.js',
    '/home/ada/app/node_modules/@acme/kit/kit',
  ])('%s stays', (script) => expect(passing(script)).toEqual([]));
});
