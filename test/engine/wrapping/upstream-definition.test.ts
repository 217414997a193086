// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references to variables.
import { expect, it } from 'vitest';
import type { ExistingServer, ServerInput } from '../../../src/engine/existing-servers/existing-server.js';
import { writeUpstreamServer } from '../../../src/engine/wrapping/upstream-definition.js';

const input = (id: string, fields: Partial<ServerInput>): ServerInput => ({
  id,
  givenBy: 'env',
  name: id,
  isRequired: false,
  isSecret: false,
  isRepeated: false,
  format: 'string',
  ...fields,
});

const server: ExistingServer = {
  source: 'registry',
  reference: 'io.github.acme/tickets@1.0.0',
  name: 'tickets',
  title: 'Tickets',
  inputs: [
    input('TOKEN', { isRequired: true, isSecret: true }),
    input('region', { givenBy: 'arg', name: '--region', default: 'eu', choices: ['eu', 'us'] }),
    input('LEVEL', { default: 'info' }),
    input('PROXY', {}),
    input('depth', { givenBy: 'arg', name: '--depth' }),
  ],
  template: {
    kind: 'program',
    runner: { by: 'command', command: '/bin/tickets' },
    args: [
      { words: [['--region'], [{ input: 'region' }]] },
      { words: [['literal ${X}']] },
      { words: [['--depth'], [{ input: 'depth' }]] },
    ],
    env: { TOKEN: [{ input: 'TOKEN' }], LEVEL: [{ input: 'LEVEL' }], PROXY: [{ input: 'PROXY' }] },
  },
  notes: [],
};

const deps = { cwd: '/work', surroundings: { home: '/home/me', env: {}, platform: 'linux' } } as never;
const write = async (given: object = {}, choices = {}) =>
  await writeUpstreamServer(server, { given: { env: [], args: [], headers: [], ...given }, choices }, deps);

it('writes variables for inputs, and escapes literal texts', async () => {
  expect(await write()).toEqual({
    definition: {
      title: 'Tickets',
      tools: [
        {
          upstream: {
            name: 'tickets',
            command: '/bin/tickets',
            args: ['--region', '${REGION:-eu}', 'literal $${X}'],
            env: { TOKEN: '${TOKEN}', LEVEL: '${LEVEL:-info}', PROXY: '${PROXY:-}' },
          },
        },
      ],
    },
    variables: ['TOKEN'],
    values: {},
    omitted: ['--depth'],
  });
});

it('writes given values, except secrets, and choices', async () => {
  const env = [
    { name: 'TOKEN', value: 's3cret', isSecret: true },
    { name: 'LEVEL', value: 'debug', isSecret: false },
  ];
  const choices = { only: ['find'], prefix: 'x_', toolList: 'catalog' } as const;
  const { definition } = await write({ env, args: ['region=us', 'more'] }, choices);
  expect(JSON.stringify(definition)).not.toContain('s3cret');
  expect(definition).toMatchObject({
    toolList: 'catalog',
    tools: [
      {
        only: ['find'],
        prefix: 'x_',
        upstream: {
          args: ['--region', 'us', 'literal $${X}', 'more'],
          env: { TOKEN: '${TOKEN}', LEVEL: 'debug' },
        },
      },
    ],
  });
  await expect(write({ args: ['region=asia'] })).rejects.toThrow('is not one of eu, us');
});

it('writes variables for secrets that a file holds as values', async () => {
  const remote: ExistingServer = {
    source: 'client-config',
    reference: '/home/me/mcp.json',
    name: 'far',
    inputs: [],
    template: {
      kind: 'remote',
      url: ['https://mcp.example.com/mcp'],
      headers: {
        Authorization: ['Bearer 4f1c9a8b7d6e5f40'],
        'X-Api-Key': ['k3y-9a8b7c6d5e'],
        'X-Team': ['blue'],
      },
    },
    notes: [],
  };
  const program: ExistingServer = {
    ...remote,
    name: 'near',
    template: {
      kind: 'program',
      runner: { by: 'command', command: '/bin/near' },
      args: [{ words: [['--api-key'], ['k3y-9a8b7c6d5e']] }, { words: [['--token=t0k3n-9a8b7c6d5e']] }],
      env: { NEAR_TOKEN: ['t0k3n-9a8b7c6d5e'], LEVEL: ['info'] },
    },
  };
  const none = { given: { env: [], args: [], headers: [] }, choices: {} };
  const [far, near] = [
    await writeUpstreamServer(remote, none, deps),
    await writeUpstreamServer(program, none, deps),
  ];
  expect(far).toMatchObject({
    definition: {
      tools: [
        {
          upstream: {
            headers: { Authorization: 'Bearer ${FAR_TOKEN}', 'X-Api-Key': '${X_API_KEY}', 'X-Team': 'blue' },
          },
        },
      ],
    },
    variables: ['FAR_TOKEN', 'X_API_KEY'],
    values: { FAR_TOKEN: '4f1c9a8b7d6e5f40', X_API_KEY: 'k3y-9a8b7c6d5e' },
  });
  expect(near).toMatchObject({
    definition: {
      tools: [
        {
          upstream: {
            args: ['--api-key', '${API_KEY}', '--token=${TOKEN}'],
            env: { NEAR_TOKEN: '${NEAR_TOKEN}', LEVEL: 'info' },
          },
        },
      ],
    },
  });
});
