// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references to variables.
import { expect, it } from 'vitest';
import { writeUpstreamServer } from '../../../src/engine/bridge/upstream-definition.js';
import type { ExistingServer, ServerInput } from '../../../src/engine/existing-servers/existing-server.js';

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
  ],
  template: {
    kind: 'program',
    runner: { by: 'command', command: '/bin/tickets' },
    args: [{ words: [['--region'], [{ input: 'region' }]] }, { words: [['literal ${X}']] }],
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
            env: { TOKEN: '${TOKEN}', LEVEL: '${LEVEL:-info}' },
          },
        },
      ],
    },
    variables: ['TOKEN'],
    omitted: ['PROXY'],
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
