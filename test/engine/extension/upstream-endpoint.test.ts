import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkEndpoint } from '../../../src/engine/extension/check-upstream.js';
import { readEndpoint, requirePlace } from '../../../src/engine/extension/upstream-endpoint.js';
import { endpointName, findLiteralSecrets } from '../../../src/engine/extension/upstream-secrets.js';
import { writeFolder } from '../../support/packages.js';

const folder = writeFolder({
  'server.js': '',
  'data/notes.txt': '',
  'node_modules/@acme/one/package.json': { bin: './cli.js' },
  'node_modules/@acme/one/cli.js': '',
  'node_modules/several/package.json': { bin: { first: 'first.js', second: 'gone.js' } },
  'node_modules/several/first.js': '',
  'node_modules/single/package.json': { bin: { other: 'other.js' } },
  'node_modules/single/other.js': '',
  'node_modules/none/package.json': {},
  'node_modules/outward/package.json': { bin: '../one/cli.js' },
});
symlinkSync(path.dirname(folder), path.join(folder, 'up'));

const packageJson = {
  dependencies: { '@acme/one': '1', several: '1', single: '1', none: '1', absent: '1', outward: '1' },
};
const scope = { directory: folder, packageJson };
const read = (place: object, env: Record<string, string> = {}) =>
  readEndpoint(place as Record<string, unknown>, { scope, env });

describe('a program', () => {
  test('runs in the package folder, with what it is given filled in', async () => {
    const place = { command: 'npx', args: ['-y', `\${WHAT}`], env: { TOKEN: `\${T:-none}` }, type: 'stdio' };
    expect(await read(place, { WHAT: 'x' })).toEqual({
      command: 'npx',
      args: ['-y', 'x'],
      env: { TOKEN: 'none' },
      cwd: folder,
    });
  });

  test.each([
    ['node', 'node'],
    ['/opt/server', '/opt/server'],
    ['./server.js', path.join(folder, 'server.js')],
    [`\${PROGRAM}`, '/usr/local/bin/it'],
  ])('%s is %s', async (command, meant) => {
    expect(await read({ command }, { PROGRAM: '/usr/local/bin/it' })).toMatchObject({ command: meant });
  });

  test.each([
    ['data', path.join(folder, 'data')],
    [`\${HOME_OF_IT}`, path.dirname(folder)],
  ])('runs in the given folder %s', async (cwd, meant) => {
    const place = await read({ command: 'x', cwd }, { HOME_OF_IT: path.dirname(folder) });
    expect(place).toMatchObject({ cwd: meant });
  });

  test.each<[object, string, RegExp]>([
    [{ command: './gone.js' }, 'missing', /^needs \.\/gone\.js, which is not a file of the package$/],
    [{ command: './up/no-such-program' }, 'missing', /not a file of the package/],
    [{ command: 'x', cwd: 'gone' }, 'missing', /^runs in gone, which is not a folder of the package$/],
    [{ command: 'x', cwd: 'server.js' }, 'missing', /not a folder/],
    [{ command: 'x', cwd: '..' }, 'outside', /leaves the package/],
    [{ command: 'x', cwd: '/' }, 'outside', /leaves the package/],
    [{ command: 'x', cwd: 'up' }, 'outside', /leaves the package/],
    [{ command: `\${P}` }, 'form', /^has the command "bin\/it"\. Expected a name on the PATH/],
    [
      { command: 'x', args: [`\${GONE}`] },
      'variable',
      /^needs the environment variable GONE, which is not set$/,
    ],
  ])('rejects %j as %s', async (place, fault, message) => {
    await expect(read(place, { P: 'bin/it' })).rejects.toMatchObject({
      fault,
      message: expect.stringMatching(message),
    });
  });

  test('names the argument with an unset variable', async () => {
    const reading = read({ command: 'x', args: ['-y', `\${GONE}`] });
    await expect(reading).rejects.toMatchObject({ fault: 'variable', key: 'args.1' });
  });

  test('runs with Node if it is in a dependency', async () => {
    const cli = path.join(folder, 'node_modules/@acme/one/cli.js');
    expect(await read({ package: '@acme/one', args: ['a'] })).toMatchObject({
      command: 'node',
      args: [cli, 'a'],
    });
    const other = path.join(folder, 'node_modules/single/other.js');
    expect(await read({ package: 'single' })).toMatchObject({ args: [other] });
    const first = path.join(folder, 'node_modules/several/first.js');
    expect(await read({ package: 'several', bin: 'first' })).toMatchObject({ args: [first] });
  });

  test.each<[object, RegExp]>([
    [{ package: 'absent' }, /^needs the package absent, which is not installed\. Run npm install$/],
    [{ package: 'several' }, /has several programs\. Choose one with "bin": first, second$/],
    [
      { package: 'several', bin: 'third' },
      /the program "third" of the package several, which it does not have/,
    ],
    [{ package: 'several', bin: 'second' }, /^needs gone\.js of the package several, which is missing$/],
    [{ package: 'none' }, /which it does not have\. It has: none$/],
    [{ package: 'outward' }, /which is missing$/],
    [
      { package: 'stranger' },
      /^needs the package stranger, which is not a dependency of this package, and is not installed\. Add it/,
    ],
    [{ package: '../x' }, /is not installed/],
  ])('rejects %j', async (place, message) => await expect(read(place)).rejects.toThrow(message));

  test('is rejected before it runs if its package is not a dependency', async () => {
    const bare = { ...scope, packageJson: {} };
    const looking = requirePlace({ package: '@acme/one' }, bare);
    await expect(looking).rejects.toMatchObject({
      fault: 'undeclared',
      key: 'package',
      message: expect.stringContaining('not a dependency of this package, though it is installed'),
    });
    const absent = requirePlace({ package: 'stranger' }, scope);
    await expect(absent).rejects.toThrow(/not a dependency of this package, and is not installed/);
    await expect(requirePlace({ package: '@acme/one' }, scope)).resolves.toBeUndefined();
  });
});

describe('the file that Node is given', () => {
  const node = (args: readonly string[], more: object = {}) =>
    requirePlace({ command: 'node', args, ...more }, scope);

  test.each<[readonly string[], object?]>([
    [['./server.js']],
    [['--no-warnings', './server.js', './gone.json']],
    [['../server.js'], { cwd: 'data' }],
    [['./gone.js'], { cwd: `\${WHERE}` }],
    [['--import', './gone.js', './server.js']],
    [['--import', 'tsx', './server.js']],
    [['-e', '0', './gone.js']],
    [['--test', './gone.js']],
    [[`\${SCRIPT}`, './gone.js']],
    [['server', './gone.js']],
    [[]],
  ])('%j is there, or is not known (%j)', async (args, more) => {
    await expect(node(args, more)).resolves.toBeUndefined();
  });

  test.each<[readonly string[], object, string, string, string]>([
    [['./gone.js'], {}, 'missing', 'args.0', 'runs gone.js, which is not a file of the package'],
    [['--no-warnings', './gone.js'], {}, 'missing', 'args.1', 'runs gone.js'],
    [['--import', 'tsx', './gone.ts'], {}, 'missing', 'args.2', 'runs gone.ts'],
    [['./server.js'], { cwd: 'data' }, 'missing', 'args.0', 'runs data/server.js'],
    [['../server.js'], {}, 'outside', 'args.0', 'leaves the package'],
    [['./up/no-such-program'], {}, 'missing', 'args.0', 'not a file of the package'],
  ])('%j with %j is %s', async (args, more, fault, key, words) => {
    const message = expect.stringContaining(words);
    await expect(node(args, more)).rejects.toMatchObject({ fault, key, message });
  });
});

describe('an address', () => {
  test.each([
    ['http', 'http'],
    ['streamable-http', 'http'],
    ['sse', 'sse'],
    [undefined, 'http'],
  ])('maps type %s to transport %s', async (type, transport) => {
    const headers = { Authorization: `Bearer \${T}` };
    expect(await read({ url: `https://\${H}/mcp`, headers, type }, { T: 't', H: 'a.example' })).toEqual({
      url: 'https://a.example/mcp',
      headers: { Authorization: 'Bearer t' },
      transport,
    });
  });

  test('gives its name and password away as a header only', async () => {
    expect(await read({ url: `https://me:\${P}@a.example/` }, { P: 'p%40' })).toEqual({
      url: 'https://a.example/',
      headers: { Authorization: `Basic ${Buffer.from('me:p@').toString('base64')}` },
      transport: 'http',
    });
  });

  test('is one of http', async () => {
    await expect(read({ url: `\${U}` }, { U: 'file:///etc' })).rejects.toThrow(/http: or https:/);
  });
});

describe('the rules between the keys', () => {
  const paths = (place: unknown) => [...checkEndpoint(place)].map((fault) => fault.path.join('.'));

  test.each<[unknown, readonly string[]]>([
    [{ command: 'x', args: [], env: {}, cwd: 'a' }, []],
    [{ package: 'x', bin: 'y', args: [] }, []],
    [{ url: 'https://a.example', headers: { A: 'b' }, type: 'http' }, []],
    [{ place: './x.js' }, []],
    ['./x.js', []],
    [{}, ['command']],
    [{ command: 'x', url: 'https://a' }, ['url']],
    [{ command: 'x', headers: {} }, ['headers']],
    [{ command: 'x', bin: 'y' }, ['bin']],
    [{ url: 'https://a', args: [], env: {}, cwd: 'b' }, ['args', 'env', 'cwd']],
    [{ place: './x.js', env: {} }, ['env']],
    [{ command: 'x', type: 'http' }, ['type']],
    [{ url: 'https://a', type: 'stdio' }, ['type']],
    [{ command: 'bin/x' }, ['command']],
    [{ command: ' ' }, ['command']],
    [{ url: 'ftp://a' }, ['url']],
    [{ url: `\${URL}` }, []],
    [{ command: 'x', env: { A: `\${input:a}` } }, ['env.A']],
    [{ url: 'https://a', headers: { 'a b': 'c', D: 'e\nf' } }, ['headers.a b', 'headers.D']],
  ])('%j: %j', (place, expected) => expect(paths(place)).toEqual(expected));
});

describe('labels in messages', () => {
  test.each<[object, string]>([
    [{ command: 'npx', args: ['-y', 'it'] }, 'npx -y it'],
    [{ package: '@acme/one', args: ['a'] }, '@acme/one a'],
    [
      { command: 'x', args: ['--api-key', 'rose', '--token=tulip', `--token=\${T}`] },
      `x --api-key … --token=… --token=\${T}`,
    ],
    [{ command: 'x', args: [['ghp', 'abcdefghij0123456789'].join('_')] }, 'x …'],
    [
      { command: 'npx', args: ['mcp-remote', '--header', 'Authorization: Bearer abcdef1234567890'] },
      'npx mcp-remote --header Authorization: …',
    ],
    [{ command: 'x', args: ['-H', 'X-Api-Key: rose'] }, 'x -H X-Api-Key: …'],
    [
      { command: 'x', args: ['-HX-Api-Key: rose', '-HAuthorization:rose'] },
      'x -HX-Api-Key: … -HAuthorization:…',
    ],
    [{ command: 'x', args: ['--header=Cookie: rose', 'Bearer rose'] }, 'x --header=Cookie: … …'],
    [
      { command: 'x', args: ['--header', `Authorization: Bearer \${T}`, '--header', `Authorization:\${T}`] },
      `x --header Authorization: Bearer \${T} --header Authorization:\${T}`,
    ],
    [
      {
        command: 'x',
        args: ['--header', 'Accept: text/html', '--at', 'https://a.example/b', 'C:\\d', 'a:b'],
      },
      'x --header Accept: text/html --at https://a.example/b C:\\d a:b',
    ],
    [{ command: 'x\u0007', args: [] }, 'x\\u0007'],
    [{ url: 'https://me:rose@a.example/mcp?key=tulip#x' }, 'https://a.example/mcp'],
    [{ url: `https://\${HOST}/mcp` }, `https://\${HOST}/mcp`],
    [
      { url: `https://a.example/s/${['ghp', 'abcdefghij0123456789'].join('_')}/mcp` },
      'https://a.example/s/…/mcp',
    ],
  ])('%j is called %s', (place, name) => expect(endpointName(place as Record<string, unknown>)).toBe(name));

  test('a variable is no secret, and neither is a switch', () => {
    const place = {
      command: 'x',
      args: ['--token', `\${T}`],
      env: { KEY: `\${K}`, TOKEN_LIMIT: '7', MY_KEY: 'rose' },
    };
    expect(findLiteralSecrets(place)).toEqual([['env', 'MY_KEY']]);
  });

  test('a header is one wherever it is written', () => {
    const place = {
      command: 'npx',
      args: ['mcp-remote', 'https://a.example/mcp', '--header', 'Authorization: Bearer abcdef1234567890'],
      env: { AUTH_HEADER: 'Bearer rose', OTHER: `Bearer \${T}` },
    };
    expect(findLiteralSecrets(place)).toEqual([
      ['args', 3],
      ['env', 'AUTH_HEADER'],
    ]);
    const remote = { url: 'https://a.example/mcp', headers: { Authorization: 'Basic rose' } };
    expect(findLiteralSecrets(remote)).toEqual([['headers', 'Authorization']]);
  });
});
