import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AgentToolsError } from '../../../src/engine/base/errors.js';
import { readServerJson, type ServerJsonOptions } from '../../../src/engine/existing-servers/server-json.js';
import { runs } from '../../support/runs.js';

const options: ServerJsonOptions = {
  source: 'registry',
  available: ['remote', 'npm', 'bundle'],
  locate: (path) => `server.json#/${path.join('/')}`,
};

const base = { name: 'io.github.acme/tickets', description: 'Tickets', version: '1.2.0' };

function read(held: object, more: Partial<ServerJsonOptions> = {}) {
  return readServerJson({ ...base, ...held }, { ...options, ...more });
}

const npmPackage = {
  registryType: 'npm',
  identifier: '@acme/tickets',
  version: '1.2.0',
  transport: { type: 'stdio' },
};

describe('a server.json', () => {
  test('names the server of an npm package, its publisher and its exact version', () => {
    const server = read({
      title: 'Tickets',
      websiteUrl: 'https://acme.example',
      repository: { url: 'https://github.com/acme/tickets', source: 'github' },
      packages: [npmPackage],
    });
    expect(server).toEqual({
      source: 'registry',
      reference: 'io.github.acme/tickets@1.2.0',
      name: 'tickets',
      title: 'Tickets',
      description: 'Tickets',
      version: '1.2.0',
      publisher: 'io.github.acme',
      websiteUrl: 'https://acme.example',
      repository: 'https://github.com/acme/tickets',
      inputs: [],
      template: {
        kind: 'program',
        runner: { by: 'npm', name: '@acme/tickets', version: '1.2.0' },
        args: [],
        env: {},
      },
      notes: [],
    });
  });

  test('is read in the snake case of schema 2025-07-09', () => {
    const { template, inputs } = read({
      packages: [
        {
          registry_type: 'npm',
          identifier: '@acme/tickets',
          version: '1.2.0',
          environment_variables: [{ name: 'TOKEN', is_required: true, is_secret: true }],
          package_arguments: [{ type: 'positional', value_hint: 'folder', is_repeated: true }],
        },
      ],
    });
    expect(template).toMatchObject({
      args: [{ words: [[{ input: 'folder' }]], repeats: 'folder' }],
      env: { TOKEN: [{ input: 'env:TOKEN' }] },
    });
    expect(inputs).toMatchObject([
      { id: 'folder', givenBy: 'arg', name: 'folder', isRepeated: true, isRequired: false },
      { id: 'env:TOKEN', givenBy: 'env', name: 'TOKEN', isRequired: true, isSecret: true },
    ]);
  });

  test('has fixed, named, boolean and positional arguments in their order', () => {
    const packageArguments = [
      { type: 'positional', value: 'start' },
      { type: 'named', name: '--port', default: '8080', format: 'number' },
      { type: 'named', name: '--verbose', format: 'boolean' },
      { type: 'named', name: '--rm' },
      {
        type: 'named',
        name: '--db',
        value: 'pg://{user}:{pass}@{host}',
        variables: { user: {}, pass: { isSecret: true } },
      },
    ];
    const { template, inputs } = read({ packages: [{ ...npmPackage, packageArguments }] });
    expect(template).toMatchObject({
      args: [
        { words: [['start']] },
        { words: [['--port'], [{ input: '--port' }]] },
        { words: [['--verbose']], when: '--verbose' },
        { words: [['--rm']] },
        { words: [['--db'], ['pg://', { input: 'user' }, ':', { input: 'pass' }, '@', '{host}']] },
      ],
    });
    expect(inputs.map(({ name, format, isSecret }) => [name, format, isSecret])).toEqual([
      ['--port', 'number', false],
      ['--verbose', 'boolean', false],
      ['user', 'string', false],
      ['pass', 'string', true],
    ]);
  });

  test.for([
    ['pypi', 'mcp-fetch', { by: 'uvx', name: 'mcp-fetch', version: '2.0.0', options: [] }],
    ['oci', 'ghcr.io/acme/tickets', { by: 'docker', image: 'ghcr.io/acme/tickets:2.0.0', options: [] }],
    ['oci', 'ghcr.io/acme/tickets:1', { by: 'docker', image: 'ghcr.io/acme/tickets:1', options: [] }],
    ['nuget', 'Acme.Mcp', { by: 'dnx', name: 'Acme.Mcp', version: '2.0.0', options: [] }],
  ] as const)('runs %s package %s by its runner', ([registryType, identifier, runner]) => {
    const { template } = read({ packages: [{ registryType, identifier, version: '2.0.0' }] });
    expect(template).toMatchObject({ kind: 'program', runner });
  });

  test('keeps the hash of a bundle', () => {
    const fileSha256 = 'AB'.repeat(32);
    const identifier = 'https://github.com/acme/tickets/releases/tickets.mcpb';
    const { template } = read({ packages: [{ registryType: 'mcpb', identifier, fileSha256 }] });
    expect(template).toEqual({ kind: 'bundle', url: identifier, sha256: 'ab'.repeat(32) });
  });

  test('has the headers and URL variables of a remote server as inputs', () => {
    const { template, inputs } = read({
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{tenant}.acme.example/mcp',
          variables: { tenant: { isRequired: true, choices: ['eu', 'us'] } },
          headers: [
            { name: 'Authorization', value: 'Bearer {token}', variables: { token: { isSecret: true } } },
          ],
        },
      ],
    });
    expect(template).toEqual({
      kind: 'remote',
      transport: 'http',
      url: ['https://', { input: 'tenant' }, '.acme.example/mcp'],
      headers: { Authorization: ['Bearer ', { input: 'token' }] },
    });
    expect(inputs).toMatchObject([
      { id: 'tenant', isRequired: true, choices: ['eu', 'us'] },
      { id: 'token', isSecret: true },
    ]);
  });
});

describe('the choice among packages and remotes', () => {
  const remote = { type: 'sse', url: 'https://acme.example/sse' };
  const secret = { ...remote, headers: [{ name: 'X-Key', isRequired: true, isSecret: true }] };
  const pypi = { registryType: 'pypi', identifier: 'tickets', version: '1.2.0' };

  test.for([
    ['prefers a remote without required secrets', { packages: [npmPackage], remotes: [remote] }, 'remote'],
    [
      'prefers a package to a remote with a required secret',
      { packages: [npmPackage], remotes: [secret] },
      'program',
    ],
    [
      'takes a remote with a secret before a missing runner',
      { packages: [pypi], remotes: [secret] },
      'remote',
    ],
  ] as const)('%s', ([, held, kind]) => {
    expect(read(held).template.kind).toBe(kind);
  });

  test('takes the first package whose runner is available', () => {
    expect(read({ packages: [pypi, npmPackage] }).template).toMatchObject({ runner: { by: 'npm' } });
    const both = { available: ['npm', 'uvx'] as const };
    expect(read({ packages: [pypi, npmPackage] }, both).template).toMatchObject({ runner: { by: 'uvx' } });
  });

  test('obeys a route, and names the others if it is missing', () => {
    expect(read({ packages: [npmPackage], remotes: [remote] }, { route: 'npm' }).template.kind).toBe(
      'program',
    );
    expect(() => read({ packages: [npmPackage] }, { route: 'docker' })).toThrow(
      'io.github.acme/tickets offers no way to use it by docker. It has: npm.',
    );
  });

  test('names packages that cannot be used', () => {
    const packages = [
      { registryType: 'cargo', identifier: 'tickets' },
      { ...npmPackage, transport: { type: 'streamable-http', url: 'http://127.0.0.1:{port}/' } },
    ];
    expect(() => read({ packages })).toThrow(
      'It has: cargo package tickets, npm package @acme/tickets, which serves HTTP on this machine (streamable-http).',
    );
  });
});

describe('an entry of a stranger', () => {
  // npm, uvx and docker read such parts as folders, repositories and addresses.
  test.for([
    ['npm', '@acme/tickets', 'file:/etc'],
    ['npm', '@acme/tickets', 'git+https://evil.example/x.git'],
    ['npm', '@acme/tickets', 'https://evil.example/x.tgz'],
    ['npm', '@acme/tickets', 'npm:other@1.0.0'],
    ['npm', 'tickets', 'evil/repository'],
    ['npm', '../../etc', '1.0.0'],
    ['npm', 'evil/repository', '1.0.0'],
    ['npm', 'tickets@npm:other', '1.0.0'],
    ['pypi', 'git+https://evil.example/x', '1.0.0'],
    ['pypi', 'tickets', '1.0 --index-url=https://evil.example'],
    ['pypi', './folder', '1.0.0'],
    ['nuget', '../Acme.Mcp', '1.0.0'],
    ['oci', 'https://evil.example/x', undefined],
    ['oci', 'acme/tickets:1;x', undefined],
  ] as const)(
    'is refused if a part of %s package %s %s is something else',
    ([registryType, identifier, version]) => {
      const packages = [{ registryType, identifier, ...(version !== undefined && { version }) }];
      expect(() => read({ packages })).toThrow('which is no name and version of such a package');
    },
  );

  test.for([['A=B'], ['A\u0000B'], ['A\nB']])('is refused with the variable %j', ([name]) => {
    const packages = [{ ...npmPackage, environmentVariables: [{ name, value: 'x' }] }];
    expect(() => read({ packages })).toThrow('package @acme/tickets with the impossible variable');
  });

  test.for([
    [{ name: 'X Key', isRequired: true }],
    [{ name: 'X-Key\r\nHost', value: 'x' }],
    [{ name: 'X-Key', value: 'x\r\nHost: evil.example' }],
  ])('is refused with the header %j', ([header]) => {
    const remotes = [{ type: 'sse', url: 'https://acme.example/sse', headers: [header] }];
    expect(() => read({ remotes })).toThrow('a remote with the impossible header');
  });

  test('has its options of the runner named, which give the server more access', () => {
    const runtimeArguments = [
      { type: 'named', name: '-v', value: '/:/host' },
      { type: 'named', name: '--network', isRequired: true },
    ];
    const packages = [{ registryType: 'oci', identifier: 'acme/tickets:1', runtimeArguments }];
    expect(read({ packages }).notes).toEqual([
      'acme/tickets:1 declares these options of docker, which are used: -v /:/host --network <--network>',
    ]);
  });
});

describe('a malformed server.json', () => {
  test.for([
    [[], 'server.json#/: The document is not an object.'],
    [{ name: 7 }, 'server.json#/name: "name" is missing or invalid.'],
    [{ name: 'tickets' }, 'server.json#/name: "name" is missing or invalid.'],
    [{ name: 'a.b/c' }, 'It has no packages and no remotes.'],
    [{ name: 'a.b/c', packages: [null] }, 'an entry of "packages" that is not an object'],
    [{ name: 'a.b/c', remotes: [{ type: 'sse', url: 'ftp://x' }] }, 'a remote without a valid "url"'],
    [
      { name: 'a.b/c', packages: [{ registryType: 'npm', identifier: '--registry=https://evil.example' }] },
      'a package of type npm without "identifier"',
    ],
  ] as const)('is refused with its fault: %j', ([document, message]) => {
    expect(() => readServerJson(document, options)).toThrow(message);
  });

  test('is read or refused in any shape', () => {
    const keys = fc.constantFrom(
      'registryType',
      'identifier',
      'name',
      'type',
      'url',
      'value',
      'variables',
      '__proto__',
    );
    const anything = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('npm', 'oci', 'sse', 'https://x/{a}', '{a}', 'named', '', null, true, 3),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    const parts = fc.record({ packages: fc.array(anything), remotes: fc.array(anything) });
    fc.assert(
      fc.property(parts, (held) => {
        try {
          expect(read(held).template).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(AgentToolsError);
        }
      }),
      { numRuns: runs },
    );
  });
});
