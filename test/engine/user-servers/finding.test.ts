import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DiscoveryFolders } from '../../../src/engine/discovery/list-servers.js';
import { serverName, Workspace, type WorkspaceOptions } from '../../../src/engine/extension/workspace.js';
import { chosenServer } from '../../../src/engine/installation/choose-server.js';
import { composeServer } from '../../../src/engine/runtime/compose-server.js';
import { addFiles, type Files, packageJson, writeFolder } from '../../support/packages.js';

/** A machine with a built-in server, a package in our folder, another version of it in the project, and servers of the user. */
function machine(made: Files | undefined): WorkspaceOptions & DiscoveryFolders {
  const root = writeFolder({
    'builtin/base/package.json': packageJson({ servers: ['base'], tools: ['echo'] }, { name: 'base' }),
    'builtin/base/agenttools/servers/base.json': { tools: ['echo'] },
    'builtin/base/agenttools/tools/echo.json': { description: 'Echoes.', handler: './echo.js' },
    'builtin/base/echo.js': 'export default (args) => args;',
    ...weather('data/packages/node_modules/weather', 'of ours'),
    ...weather('project/node_modules/weather', 'of the project'),
    ...weather('data/servers/node_modules/weather', 'beside the servers'),
  });
  if (made) addFiles(path.join(root, 'data/servers'), made);
  mkdirSync(path.join(root, 'nowhere'));
  return {
    cwd: path.join(root, 'project'),
    homeDirectory: root,
    builtinFolder: path.join(root, 'builtin'),
    packagesFolder: path.join(root, 'data/packages/node_modules'),
    globalFolder: path.join(root, 'nowhere'),
    userServersFolder: path.join(root, 'data/servers'),
    cacheFolder: path.join(root, 'nowhere'),
  };
}

function weather(folder: string, description: string): Files {
  return {
    [`${folder}/package.json`]: packageJson({ tools: ['forecast'] }, { name: 'weather' }),
    [`${folder}/agenttools/tools/forecast.json`]: { description, handler: './forecast.js' },
    [`${folder}/forecast.js`]: 'export default () => "sunny";',
  };
}

function servers(definitions: Readonly<Record<string, unknown>>): Files {
  return {
    'package.json': {
      name: '_user-made-servers',
      version: '1.0.0',
      agenttools: { servers: Object.keys(definitions) },
    },
    ...Object.fromEntries(
      Object.entries(definitions).map(([name, value]) => [`agenttools/servers/${name}.json`, value]),
    ),
  };
}

describe('a name on a command line', () => {
  test('leads to a server of the user before a package of that very name', async () => {
    const workspace = new Workspace(machine(servers({ weather: { tools: ['echo'] } })));
    const found = await workspace.findServer('weather');
    expect([serverName(found), found.extension.origin]).toEqual(['weather', 'user']);
    expect(serverName(await workspace.findServer('weather/weather'))).toBe('weather/weather');
  });

  test('is suggested when it is nearly one of the user', async () => {
    const workspace = new Workspace(machine(servers({ trip: { tools: ['echo'] } })));
    await expect(workspace.findServer('tripp')).rejects.toThrow('Did you mean "trip"?');
  });

  test('names a built-in server even if user servers are unreadable, but no other server', async () => {
    const workspace = new Workspace(machine({ 'package.json': '{ "agenttools": {' }));
    expect(serverName(await workspace.findServer('base'))).toBe('base');
    await expect(workspace.findServer('weather')).rejects.toThrow('servers/package.json');
    expect(serverName(await workspace.findServer('weather/weather'))).toBe('weather/weather');
  });

  test('may be missing if the user can choose a server', async () => {
    const options = machine(servers({ trip: { tools: ['echo'] } }));
    const offered: string[] = [];
    const ask = async (references: readonly string[]) => {
      offered.push(...references);
      return 'trip';
    };
    expect(await chosenServer(options, ask)).toBe('trip');
    expect(offered).toEqual(['trip', 'weather/weather', 'base']);
  });

  test('leads on where the user has no servers', async () => {
    const workspace = new Workspace(machine(undefined));
    expect(await workspace.userServers()).toBeUndefined();
    expect(serverName(await workspace.findServer('weather'))).toBe('weather/weather');
  });
});

describe('items of a user server', () => {
  test.each([{}, { ignoreProject: true }, { ignoreProject: false }])(
    'is built in or comes from our own folder, never from where it is started: %j',
    async (options) => {
      const made = servers({ trip: { tools: ['echo', 'weather/forecast'] } });
      const workspace = new Workspace({ ...machine(made), ...options });
      const spec = await composeServer(await workspace.findServer('trip'), workspace);
      expect(spec.leftOut).toEqual([]);
      expect(spec.registry.all('tools').map(({ item, wire }) => [item, wire.description])).toEqual([
        ['echo', 'Echoes.'],
        ['weather/forecast', 'of ours'],
      ]);
      expect(spec.info).toEqual({ name: 'trip', version: '1.0.0' });
    },
  );

  test('is left out where there is no such thing', async () => {
    const workspace = new Workspace(machine(servers({ trip: { tools: ['ech', 'weather/alerts'] } })));
    const { leftOut } = await composeServer(await workspace.findServer('trip'), workspace);
    expect(leftOut.map(({ code, message }) => [code, message])).toEqual([
      [
        'unknown-tool',
        'There is no built-in tool "ech". The tools of packages have qualified names such as @scope/name/tool.',
      ],
      [
        'unresolved-reference',
        'The tool "weather/alerts" cannot be found: the package weather declares no tool "alerts".',
      ],
    ]);
  });
});

describe('a file of the user', () => {
  const files = { 'mine/say.mjs': 'export const hello = () => "hello";', 'mine/note.txt': 'Remember.' };

  test('may be named by its absolute path in a server of theirs, and nowhere else', async () => {
    const options = machine(undefined);
    const root = path.dirname(options.cwd);
    addFiles(root, files);
    const inline = {
      tools: [{ name: 'say', handler: `${root}/mine/say.mjs#hello` }],
      resources: [{ name: 'note', uri: 'app://note', file: `${root}/mine/note.txt` }],
    };
    addFiles(path.join(root, 'data/servers'), servers({ mine: inline }));
    addFiles(path.join(root, 'plugin'), servers({ mine: inline }));
    const workspace = new Workspace(options);

    const own = await composeServer(await workspace.findServer('mine'), workspace);
    expect(own.leftOut).toEqual([]);
    const handler = await own.registry.resolve('tools', 'say')!.handler();
    expect(handler({}, {} as never)).toBe('hello');
    const note = own.registry.all('resources')[0]!;
    expect(await note.read('app://note', {}, {} as never)).toEqual([
      { uri: 'app://note', mimeType: 'text/plain', text: 'Remember.' },
    ]);

    const others = await composeServer(await workspace.findServer(`${root}/plugin/mine`), workspace);
    expect(others.leftOut.map(({ code }) => code)).toEqual(['path-outside-package', 'path-outside-package']);
  });

  test('skips items that need a deleted file', async () => {
    const made = servers({ mine: { tools: [{ name: 'say', handler: '/nowhere/say.mjs#hello' }] } });
    const workspace = new Workspace(machine(made));
    const { leftOut } = await composeServer(await workspace.findServer('mine'), workspace);
    expect(leftOut.map(({ message }) => message)).toEqual([
      'Tool "say" has an unusable "handler": There is no file /nowhere/say.mjs.',
    ]);
  });
});
