// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references in manifests and config files.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BundleRequest, readBundle } from '../../../src/engine/bundles/read-bundle.js';
import { unpackBundle } from '../../../src/engine/bundles/unpack-bundle.js';
import { removeUnusedBundles } from '../../../src/engine/bundles/unused-bundles.js';
import { type PreparedProgram, prepareLaunch } from '../../../src/engine/existing-servers/prepare-launch.js';
import { writeFolder } from '../../support/packages.js';
import { signZip, writeBundle, writeZip } from '../../support/zip.js';

const { signal } = new AbortController();

const base = { manifest_version: '0.3', name: '@acme/Weather', version: '1.2.3', description: 'Forecasts' };
const nodeServer = {
  type: 'node',
  entry_point: 'server/index.js',
  mcp_config: { command: 'node', args: ['${__dirname}/server/index.js'] },
};
const code = { 'server/index.js': 'process.stdin.resume();' };

interface Given {
  readonly platform?: NodeJS.Platform;
  readonly env?: Record<string, string>;
  readonly home?: string;
  readonly dataFolder?: string;
  readonly cacheFolder?: string;
}

async function read(request: BundleRequest, given: Given = {}) {
  const {
    platform = 'linux',
    env = {},
    home = '/home/ada',
    dataFolder = '/data',
    cacheFolder = '/cache',
  } = given;
  return await readBundle(request, {
    machine: { home, env, platform, node: '/usr/bin/node' },
    cwd: '/',
    dataFolder,
    cacheFolder,
    npm: {
      env: { PATH: process.env.PATH },
      home: writeFolder(),
      platform: 'linux',
      execPath: process.execPath,
    },
    signal,
  });
}

function bundleFile(bytes: Buffer, name = 'weather.mcpb'): string {
  const file = path.join(writeFolder(), name);
  writeFileSync(file, bytes);
  return file;
}

async function readManifest(manifest: unknown, files: Record<string, string> = code, given: Given = {}) {
  return await read({ place: bundleFile(writeBundle(manifest, files)), isRemote: false }, given);
}

/** The launch with given inputs. Unpacks nothing. */
async function launch(
  server: Awaited<ReturnType<typeof read>>,
  args: readonly string[] = [],
  PATH = '',
): Promise<PreparedProgram> {
  const prepared = await prepareLaunch(server, {
    given: { env: [], args, headers: [] },
    base: { cwd: path.resolve('/work'), home: path.resolve('/home/me') },
    env: { PATH },
    startNpm: async () => ({ command: '', args: [] }),
    unpack: async () => undefined,
  });
  if (prepared.kind !== 'program') throw new Error('It is a remote server.');
  return prepared;
}

test('describes the server of a bundle', async () => {
  const file = bundleFile(
    writeBundle(
      {
        ...base,
        display_name: 'Weather',
        author: { name: 'Acme' },
        homepage: 'https://acme.example',
        repository: { type: 'git', url: 'https://github.com/acme/weather' },
        server: nodeServer,
      },
      code,
    ),
  );
  const server = await read({ place: file, isRemote: false });
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  const folder = `/data/bundles/acme-weather-${sha256.slice(0, 32)}`;
  expect(server).toMatchObject({
    source: 'bundle',
    reference: `mcpb:${file}`,
    name: 'Weather',
    title: 'Weather',
    version: '1.2.3',
    publisher: 'Acme',
    websiteUrl: 'https://acme.example',
    repository: 'https://github.com/acme/weather',
    notes: [],
    content: { file, sha256, folder },
  });
  expect(await launch(server)).toMatchObject({
    command: '/usr/bin/node',
    args: [`${folder}/server/index.js`],
  });
});

test.for([
  { manifest_version: '0.1' },
  { manifest_version: '0.2' },
  { manifest_version: '0.4' },
  { manifest_version: 0.3 },
  { dxt_version: '0.1', manifest_version: undefined },
])('reads the version %j of the manifest', async (version) => {
  const server = await readManifest({ ...base, ...version, server: nodeServer });
  expect(server.version).toBe('1.2.3');
});

describe('a manifest is refused, with its position, if it', () => {
  test.for([
    ['is not JSON', '{\n  "name": x\n}', ':2:11: Not valid JSON'],
    ['has no version', { name: 'x' }, ':1:1: "manifest_version" is missing'],
    [
      'has a later version',
      { ...base, manifest_version: '0.9' },
      ':2:23: The manifest_version "0.9" is unknown',
    ],
    ['has no server', base, '"server" is missing'],
    [
      'has an unknown type',
      { ...base, server: { type: 'java' } },
      '"type" is unknown. Expected one of node, python',
    ],
    ['has no entry point', { ...base, server: { type: 'node' } }, '"entry_point" is missing'],
    [
      'has an entry point outside',
      { ...base, server: { ...nodeServer, entry_point: '../x.js' } },
      '"entry_point" is not in the bundle',
    ],
    [
      'has arguments that are no texts',
      { ...base, server: { ...nodeServer, mcp_config: { command: 'node', args: [1] } } },
      '"args" is not a list of strings',
    ],
    [
      'starts a missing file',
      { ...base, server: { ...nodeServer, mcp_config: { command: '${__dirname}/bin/x' } } },
      'The bundle has no file "bin/x"',
    ],
    [
      'starts a file outside',
      { ...base, server: { ...nodeServer, mcp_config: { command: '${__dirname}/../x' } } },
      'The bundle has no file "../x"',
    ],
    [
      'starts an input',
      { ...base, server: { ...nodeServer, mcp_config: { command: '${user_config.x}' } } },
      '"command" is not a fixed program',
    ],
    [
      'declares an unknown type of input',
      { ...base, server: nodeServer, user_config: { x: { type: 'date' } } },
      '"type" of "x" is unknown',
    ],
  ] as const)('%s', async ([, manifest, message]) => {
    await expect(readManifest(manifest)).rejects.toMatchObject({
      code: 'malformed-document',
      message: expect.stringMatching(/^weather\.mcpb\/manifest\.json:\d+:\d+: /),
    });
    await expect(readManifest(manifest)).rejects.toThrow(message);
  });
});

test.for([
  [
    'another platform',
    { ...base, server: nodeServer, compatibility: { platforms: ['darwin', 'win32'] } },
    'is for darwin, win32, and this is linux',
  ],
] as const)('refuses a bundle for %s', async ([, manifest, message]) => {
  await expect(readManifest(manifest)).rejects.toThrow(message);
});

test('refuses a zip file without a manifest, and names a nested one', async () => {
  const place = bundleFile(writeZip([{ name: 'weather/manifest.json', content: '{}' }]));
  await expect(read({ place, isRemote: false })).rejects.toThrow(
    'weather.mcpb has no manifest.json, so it is not a bundle. It has weather/manifest.json',
  );
});

describe('inputs', () => {
  const manifest = {
    ...base,
    server: {
      ...nodeServer,
      mcp_config: {
        command: 'node',
        args: [
          '${__dirname}/server/index.js',
          '--port',
          '${user_config.port}',
          '--mode=${user_config.mode}',
          '--dir',
          '${user_config.folders}',
          '${user_config.unknown}',
          '--other',
          '${user_config.unknown}',
          '${user_config.verbose}',
        ],
        env: {
          KEY: '${user_config.key}',
          MODE: 'is ${user_config.mode}',
          PLAIN: '${TERM}',
          HOME_: '${HOME}${/}x',
        },
      },
    },
    user_config: {
      port: { type: 'number', title: 'Port', description: 'TCP port', min: 1, max: 99 },
      mode: { type: 'string', title: 'Mode', description: '' },
      folders: { type: 'directory', title: 'Folders', description: '', multiple: true },
      key: { type: 'string', title: 'Key', description: '', sensitive: true, required: true },
      verbose: { type: 'boolean', title: 'Verbose', description: '', default: false },
    },
  };

  test('leave out their arguments and variables if they have no value', async () => {
    const server = await readManifest(manifest);
    const { args, env, secretNames } = await launch(server, ['key=abc']);
    expect(args.slice(1)).toEqual(['false']);
    expect(env).toEqual({ KEY: 'abc', PLAIN: '${TERM}', HOME_: '/home/ada/x' });
    expect(secretNames).toContain('KEY');
    expect(server.notes).toEqual([
      'The manifest uses ${user_config.unknown} without a declaration. Arguments and variables with it are left out.',
      'The manifest uses ${TERM}, which is no variable of bundles. It is passed unchanged.',
    ]);
  });

  test('are inserted, several values after one option', async () => {
    const server = await readManifest(manifest);
    const given = ['key=abc', 'port=80', 'mode=fast', 'folders=/a', 'folders=/b', 'verbose=true'];
    const { args, env } = await launch(server, given);
    expect(args.slice(1)).toEqual(['--port', '80', '--mode=fast', '--dir', '/a', '/b', 'true']);
    expect(env).toMatchObject({ MODE: 'is fast' });
  });

  test('are required, and have limits', async () => {
    const server = await readManifest(manifest);
    await expect(launch(server)).rejects.toThrow('--arg key=<value> is missing.');
    await expect(launch(server, ['key=abc', 'port=100'])).rejects.toThrow('--arg port: "100" is above 99.');
  });

  test('have defaults with the folders of the user, in the language of the desktop', async () => {
    const home = writeFolder({
      '.config/user-dirs.dirs':
        '# folders\nXDG_DOCUMENTS_DIR="$HOME/Dokumente"\nXDG_DESKTOP_DIR="relative"\n',
    });
    const defaults = ['${HOME}/a', '${DOCUMENTS}', '${DESKTOP}', '${DOWNLOADS}'];
    const server = await readManifest(
      {
        ...base,
        server: nodeServer,
        user_config: {
          all: { type: 'directory', title: '', description: '', multiple: true, default: defaults },
          one: { type: 'number', title: '', description: '', default: 5 },
          none: { type: 'string', title: '', description: '', default: '' },
        },
      },
      code,
      { home },
    );
    expect(server.inputs.map((input) => input.default)).toEqual([
      [`${home}/a`, `${home}/Dokumente`, `${home}/Desktop`, `${home}/Downloads`],
      '5',
      undefined,
    ]);
  });
});

describe('a server', () => {
  const stubs = writeFolder({ python3: '#!/bin/sh\n', uv: '#!/bin/sh\n' });
  for (const name of ['python3', 'uv']) chmodSync(path.join(stubs, name), 0o755);

  test('runs by python3 if its manifest names python', async () => {
    const mcp_config = { command: 'python', args: ['${__dirname}/main.py'] };
    const server = await readManifest(
      { ...base, server: { type: 'python', entry_point: 'main.py', mcp_config } },
      { 'main.py': '' },
    );
    expect(await launch(server, [], stubs)).toMatchObject({ command: path.join(stubs, 'python3') });
    await expect(launch(server)).rejects.toThrow('The server runs by python3, which is not on the PATH.');
  });

  test('needs no mcp_config if its type is uv', async () => {
    const server = await readManifest(
      { ...base, manifest_version: '0.4', server: { type: 'uv', entry_point: 'src/main.py' } },
      { 'src/main.py': '' },
    );
    const { command, args } = await launch(server, [], stubs);
    expect([command, ...args]).toEqual([
      path.join(stubs, 'uv'),
      'run',
      '--directory',
      server.content!.folder,
      'src/main.py',
    ]);
  });

  test('runs the binary of its platform', async () => {
    const mcp_config = {
      command: 'bin/weather',
      args: ['a'],
      env: { A: '1', B: '2' },
      platform_overrides: { win32: { command: '${__dirname}/bin/weather', env: { A: '3' } } },
    };
    const manifest = { ...base, server: { type: 'binary', entry_point: 'bin/weather', mcp_config } };
    const files = { 'bin/weather': '', 'bin/weather.exe': '' };
    const here = await readManifest(manifest, files);
    expect(here.content!.executables).toEqual(['bin/weather']);
    expect(await launch(here)).toMatchObject({
      command: `${here.content!.folder}/bin/weather`,
      env: { A: '1', B: '2' },
    });
    const windows = await readManifest(manifest, { 'bin/weather.exe': '' }, { platform: 'win32' });
    expect(await launch(windows)).toMatchObject({
      command: `${windows.content!.folder}/bin/weather.exe`,
      args: ['a'],
      env: { A: '3' },
    });
  });

  test('with a missing entry point is noted', async () => {
    const server = await readManifest({ ...base, server: nodeServer }, { 'other.js': '' });
    expect(server.notes).toEqual([
      'The bundle has no file "server/index.js", which its manifest names as entry point.',
    ]);
  });
});

describe('unpacking', () => {
  const manifest = { ...base, server: { type: 'binary', entry_point: 'bin/weather' } };

  test('creates the folder once, with executable programs', async () => {
    const dataFolder = writeFolder();
    const place = bundleFile(
      signZip(writeBundle(manifest, { 'bin/weather': '#!/bin/sh\n' }, [{ name: 'empty/', mode: 0o040755 }])),
    );
    const server = await read({ place, isRemote: false }, { dataFolder });
    expect(server.notes).toEqual(['The signature of weather.mcpb is not verified.']);
    const { folder } = server.content!;
    expect(existsSync(folder)).toBe(false);
    await Promise.all([unpackBundle(server.content!, { signal }), unpackBundle(server.content!, { signal })]);
    expect(readFileSync(path.join(folder, 'bin/weather'), 'utf8')).toBe('#!/bin/sh\n');
    expect(statSync(path.join(folder, 'bin/weather')).mode & 0o777).toBe(0o755);
    expect(statSync(path.join(folder, 'manifest.json')).mode & 0o111).toBe(0);
    expect(statSync(path.join(folder, 'empty')).isDirectory()).toBe(true);
    expect(readdirSync(path.dirname(folder))).toEqual([path.basename(folder)]);
    const { ino } = statSync(folder);
    await unpackBundle(server.content!, { signal });
    expect(statSync(folder).ino).toBe(ino);
  });

  test.for([
    ['the checksum', { checksum: 1 }],
    ['the size', { size: 3 }],
  ] as const)('leaves nothing if %s is wrong', async ([, fault]) => {
    const dataFolder = writeFolder();
    const broken = { name: 'data', content: 'x'.repeat(100), deflate: true, ...fault };
    const place = bundleFile(writeBundle(manifest, { 'bin/weather': '' }, [broken]));
    const server = await read({ place, isRemote: false }, { dataFolder });
    await expect(unpackBundle(server.content!, { signal })).rejects.toThrow(
      'weather.mcpb is damaged: the content of "data" does not match its size or checksum.',
    );
    expect(readdirSync(path.join(dataFolder, 'bundles'))).toEqual([]);
  });

  test('is refused if the file has changed since it was read', async () => {
    const dataFolder = writeFolder();
    const place = bundleFile(writeBundle(manifest, { 'bin/weather': '' }));
    const server = await read({ place, isRemote: false }, { dataFolder });
    writeFileSync(place, writeBundle(manifest, { 'bin/weather': 'other' }));
    await expect(unpackBundle(server.content!, { signal })).rejects.toThrow('has changed since it was read');
  });

  test('is undone for bundles without an entry', async () => {
    const dataFolder = writeFolder();
    const contents = [];
    for (const text of ['one', 'two']) {
      const place = bundleFile(writeBundle(manifest, { 'bin/weather': text }));
      const { content } = await read({ place, isRemote: false }, { dataFolder });
      await unpackBundle(content!, { signal });
      contents.push(content!.folder);
    }
    await removeUnusedBundles(dataFolder, [`--dir=${contents[1]}/x`]);
    expect(contents.map(existsSync)).toEqual([false, true]);
  });
});

describe('a remote bundle', () => {
  async function serve(answer: Buffer | number) {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      if (request.url === '/moved.mcpb') return void response.writeHead(302, { location: '/w.mcpb' }).end();
      if (typeof answer === 'number') return void response.writeHead(answer).end();
      response.end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
  }

  const bytes = writeBundle({ ...base, server: nodeServer }, code);
  const sha256 = createHash('sha256').update(bytes).digest('hex');

  test('is downloaded into the cache, through redirects, and its hash is shown', async () => {
    const { url } = await serve(bytes);
    const cacheFolder = writeFolder();
    const server = await read({ place: `${url}/moved.mcpb`, isRemote: true }, { cacheFolder });
    expect(server.reference).toBe(`${url}/moved.mcpb`);
    expect(server.content!.file).toBe(path.join(cacheFolder, 'bundles', `${sha256}.mcpb`));
    expect(server.notes).toEqual([
      `moved.mcpb has the SHA-256 ${sha256}. To accept only this file, pass: --sha256 ${sha256}`,
    ]);
  });

  test('with an expected hash is downloaded once', async () => {
    const { url, paths } = await serve(bytes);
    const cacheFolder = writeFolder();
    for (let round = 0; round < 2; round++) {
      const request = { place: `${url}/w.mcpb`, isRemote: true, sha256: sha256.toUpperCase() };
      expect((await read(request, { cacheFolder })).notes).toEqual([]);
    }
    expect(paths).toEqual(['/w.mcpb']);
  });

  test('with another hash is refused', async () => {
    const { url } = await serve(bytes);
    const request = { place: `${url}/w.mcpb`, isRemote: true, sha256: '0'.repeat(64) };
    await expect(read(request, { cacheFolder: writeFolder() })).rejects.toThrow(
      `is not the expected file: its SHA-256 is ${sha256}`,
    );
  });

  test('is named with the reason if it is missing', async () => {
    const { url } = await serve(404);
    const request = { place: `${url}/w.mcpb`, isRemote: true };
    await expect(read(request, { cacheFolder: writeFolder() })).rejects.toThrow(
      `${url}/w.mcpb was not downloaded: /w.mcpb at 127.0.0.1`,
    );
  });
});
