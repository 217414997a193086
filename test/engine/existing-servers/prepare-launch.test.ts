import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExistingServer, ServerInput } from '../../../src/engine/existing-servers/existing-server.js';
import {
  completeInputs,
  type GivenOptions,
  readHeaders,
} from '../../../src/engine/existing-servers/given-inputs.js';
import { prepareLaunch } from '../../../src/engine/existing-servers/prepare-launch.js';
import { writeFolder } from '../../support/packages.js';

const nothing: GivenOptions = { env: [], args: [], headers: [] };

function input(fields: Partial<ServerInput> & Pick<ServerInput, 'id'>): ServerInput {
  return {
    givenBy: 'arg',
    name: fields.id,
    isRequired: false,
    isSecret: false,
    isRepeated: false,
    format: 'string',
    ...fields,
  };
}

function server(fields: Partial<ExistingServer>): ExistingServer {
  return {
    source: 'registry',
    reference: 'io.github.acme/tickets@1.0.0',
    name: 'tickets',
    inputs: [],
    template: { kind: 'program', runner: { by: 'command', command: '/bin/tickets' }, args: [], env: {} },
    notes: [],
    ...fields,
  };
}

/** A folder with stub programs, as the PATH. */
function pathWith(...names: readonly string[]): string {
  const folder = writeFolder(Object.fromEntries(names.map((name) => [name, '#!/bin/sh\n'])));
  for (const name of names) chmodSync(path.join(folder, name), 0o755);
  return folder;
}

async function prepare(prepared: ExistingServer, given: Partial<GivenOptions> = {}, PATH = '') {
  return await prepareLaunch(prepared, {
    given: { ...nothing, ...given },
    base: { cwd: path.resolve('/work'), home: path.resolve('/home/me') },
    env: { PATH },
    startNpm: async ({ name }) => ({ command: '/usr/bin/node', args: [`/servers/${name}.js`] }),
    unpack: async () => undefined,
  });
}

describe('the launch of a program', () => {
  const inputs = [
    input({ id: '--port', format: 'number', default: '80' }),
    input({ id: '--verbose', format: 'boolean' }),
    input({ id: 'folder', isRepeated: true }),
    input({ id: 'env:TOKEN', givenBy: 'env', name: 'TOKEN', isSecret: true }),
  ];
  const template: ExistingServer['template'] = {
    kind: 'program',
    runner: { by: 'npm', name: 'tickets', version: '1.0.0' },
    args: [
      { words: [['serve']] },
      { words: [['--port'], [{ input: '--port' }]] },
      { words: [['--verbose']], when: '--verbose' },
      { words: [['--folder'], [{ input: 'folder' }]], repeats: 'folder' },
    ],
    env: { TOKEN: [{ input: 'env:TOKEN' }], AUTH: ['Bearer ', { input: 'env:TOKEN' }] },
  };
  const program = server({ inputs, template });

  test('has fixed words and defaults, and leaves out inputs without a value', async () => {
    expect(await prepare(program)).toEqual({
      kind: 'program',
      command: '/usr/bin/node',
      args: ['/servers/tickets.js', 'serve', '--port', '80'],
      shownArgs: ['/servers/tickets.js', 'serve', '--port', '80'],
      env: {},
      secretNames: [],
      secretArguments: [],
    });
  });

  test('names declared secrets in its arguments and in the arguments of its runner', async () => {
    const inputs = [
      input({ id: '--token', isSecret: true }),
      input({ id: '--key', isSecret: true }),
      input({ id: 'volume', isSecret: true }),
    ];
    const options = [{ words: [['-v'], ['/x/', { input: 'volume' }]] }];
    const args = ['--token', '--key'].map((id) => ({ words: [[id], [{ input: id }]] }));
    const runner = { by: 'docker', image: 'acme/mcp:1', options } as const;
    const launch = await prepare(
      server({ inputs, template: { kind: 'program', runner, args, env: {} } }),
      { args: ['--token=abc', 'volume=def'] },
      pathWith('docker'),
    );
    expect(launch).toMatchObject({ secretArguments: ['volume', '--token'] });
  });

  test('has given values, and further arguments and variables', async () => {
    const launch = await prepare(program, {
      args: ['port=8080', '--verbose=true', '/data', 'folder=/more'],
      env: [
        { name: 'TOKEN', value: 'abc', isSecret: false },
        { name: 'REGION', value: 'eu', isSecret: false },
      ],
    });
    expect(launch).toMatchObject({
      args: [
        ...['/servers/tickets.js', 'serve', '--port', '8080', '--verbose'],
        ...['--folder', '/data', '--folder', '/more'],
      ],
      env: { TOKEN: 'abc', AUTH: 'Bearer abc', REGION: 'eu' },
      secretNames: ['TOKEN', 'AUTH'],
    });
  });

  test('has absolute paths for files and folders', async () => {
    const files = server({
      inputs: [
        input({ id: 'root', format: 'folder', isRepeated: true }),
        input({ id: 'env:FILE', givenBy: 'env', name: 'FILE', format: 'file' }),
        input({ id: '--label' }),
      ],
      template: {
        ...template,
        runner: { by: 'command', command: '/bin/files' },
        args: [
          { words: [[{ input: 'root' }]], repeats: 'root' },
          { words: [['--label'], [{ input: '--label' }]] },
        ],
        env: { FILE: [{ input: 'env:FILE' }] },
      },
    });
    const launch = await prepare(files, {
      args: ['label=./x', 'root=.', 'root=../data', 'root=~/notes', 'root=/abs', 'root=file:///x'],
      env: [{ name: 'FILE', value: '~', isSecret: false }],
    });
    const roots = ['/work', '/data', '/home/me/notes', '/abs'].map((one) => path.resolve(one));
    expect(launch).toMatchObject({
      args: [...roots, 'file:///x', '--label', './x'],
      env: { FILE: path.resolve('/home/me') },
    });
  });

  test.for([
    ['uvx', { by: 'uvx', name: 'fetch', version: '1.2', options: [] }, ['fetch==1.2']],
    ['uvx', { by: 'uvx', name: 'fetch', script: 'serve', options: [] }, ['--from', 'fetch', 'serve']],
    [
      'docker',
      { by: 'docker', image: 'acme/x:1', options: [{ words: [['--network'], ['none']] }] },
      ['run', '-i', '--rm', '-e', 'TOKEN', '--network', 'none', 'acme/x:1'],
    ],
    [
      'dnx',
      { by: 'dnx', name: 'Acme.Mcp', version: '1.0.0', options: [] },
      ['Acme.Mcp@1.0.0', '--yes', '--'],
    ],
  ] as const)('by %s has its arguments and no secret', async ([name, runner, args]) => {
    const folder = pathWith(name);
    const made = server({
      inputs,
      template: {
        ...template,
        runner,
        args: [{ words: [['serve']] }],
        env: { TOKEN: [{ input: 'env:TOKEN' }] },
      },
    });
    const launch = await prepare(made, { env: [{ name: 'TOKEN', value: 'abc', isSecret: true }] }, folder);
    expect(launch).toMatchObject({
      command: path.join(folder, name),
      args: [...args, 'serve'],
      env: { TOKEN: 'abc' },
    });
    await expect(prepare(made)).rejects.toThrow(`The server runs by ${name}, which is not on the PATH.`);
  });
});

describe('the launch of a remote server', () => {
  const remote = server({
    inputs: [input({ id: 'tenant', isRequired: true }), input({ id: 'token', isSecret: true })],
    template: {
      kind: 'remote',
      transport: 'http',
      url: ['https://', { input: 'tenant' }, '.acme.example/mcp'],
      headers: { Authorization: ['Bearer ', { input: 'token' }] },
    },
  });

  test('has its address, headers, and further headers', async () => {
    const headers = readHeaders(['X-Team: one two']);
    expect(await prepare(remote, { args: ['tenant=eu', 'token=abc'], headers })).toEqual({
      kind: 'remote',
      transport: 'http',
      url: 'https://eu.acme.example/mcp',
      headers: { Authorization: 'Bearer abc', 'X-Team': 'one two' },
      secretNames: ['Authorization'],
      secretArguments: [],
    });
  });

  test('names declared secrets in its address', async () => {
    const inputs = [input({ id: 'key', isSecret: true, isRequired: true })];
    const template = {
      kind: 'remote',
      url: ['https://acme.example/', { input: 'key' }],
      headers: {},
    } as const;
    expect(await prepare(server({ inputs, template }), { args: ['abc'] })).toMatchObject({
      url: 'https://acme.example/abc',
      secretArguments: ['key'],
    });
  });

  test('leaves out a header without its input', async () => {
    expect(await prepare(remote, { args: ['eu'] })).toMatchObject({ headers: {}, secretNames: [] });
  });

  test('refuses inputs that make no address', async () => {
    await expect(prepare(remote, { args: ['tenant=a b/'] })).rejects.toThrow('is not a valid URL');
  });
});

test('all missing and invalid inputs are listed with their options', () => {
  const inputs = [
    input({ id: 'env:KEY', givenBy: 'env', name: 'KEY', isRequired: true, description: 'From your account' }),
    input({ id: 'header:X', givenBy: 'header', name: 'X', isRequired: true }),
    input({ id: 'region', isRequired: true, choices: ['eu', 'us'] }),
    input({ id: '--port', format: 'number', min: 1, max: 9 }),
    input({ id: 'pin', format: 'number', isSecret: true }),
    input({ id: 'fast', format: 'boolean' }),
  ];
  const given = { region: 'asia', '--port': '10', pin: 's3cret', fast: 'yes' };
  expect(() => completeInputs({ inputs }, given)).toThrow(
    [
      'The server needs other inputs:',
      '  --env KEY=<value> is missing.  From your account',
      '  --header "X: <value>" is missing.',
      '  --arg region: "asia" is not one of eu, us.',
      '  --arg --port: "10" is above 9.',
      '  --arg pin: its value is not a number.',
      '  --arg fast: "yes" is neither true nor false.',
    ].join('\n'),
  );
});

test.for(['X', 'X Y: z', ': z', 'X: a\r\nY: b'])('the header %j is refused', (word) => {
  expect(() => readHeaders([word])).toThrow('Expected: --header "Name: value"');
});
