import { describe, expect, test } from 'vitest';
import { manyEntries, registryEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { type Run, runCli } from '../support/run-cli.js';

const entries = [
  registryEntry({
    name: 'io.github.acme/tickets',
    version: '1.2.0',
    title: 'Tickets',
    description: 'Tickets of\u001b[2J Acme',
    repository: { url: 'https://github.com/acme/tickets' },
    packages: [
      {
        registryType: 'npm',
        identifier: '@acme/tickets',
        version: '1.2.0',
        packageArguments: [{ type: 'named', name: '--region', choices: ['eu', 'us'], default: 'eu' }],
        environmentVariables: [
          {
            name: 'TOKEN',
            description: 'From your account',
            isRequired: true,
            isSecret: true,
            default: 's3cret',
          },
        ],
      },
    ],
  }),
  registryEntry({ name: 'com.example/mail', description: 'Also about tickets' }, { status: 'deprecated' }),
  registryEntry(
    { name: 'com.example/gone', description: 'tickets' },
    { status: 'deleted', statusMessage: 'Malware.' },
  ),
];

async function run(words: readonly string[], { url }: { readonly url: string }): Promise<Run> {
  return await runCli(words, { env: { AGENTTOOLS_MCP_REGISTRY: url } });
}

describe('list-servers --remote', () => {
  test('lists servers of the MCP Registry by name and description, without deleted ones', async () => {
    const standIn = await startMcpRegistry(entries);
    const { code, stdout, stderr } = await run(['list-servers', '--remote', 'tickets', '--json'], standIn);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        name: 'com.example/mail',
        source: 'mcp-registry',
        description: 'Also about tickets',
        version: '1.0.0',
        tools: [],
        prompts: [],
        location: null,
        publisher: 'com.example',
        published: '2026-05-04T03:02:01.000Z',
        deprecated: 'no reason is given',
      },
      expect.objectContaining({ name: 'io.github.acme/tickets', version: '1.2.0', deprecated: null }),
    ]);
    // Each registry may fail alone: nobody answers for npm here.
    expect(stderr).toContain('note: The registry 127.0.0.1:9 cannot be reached');
  });

  test('prints names without control characters, and the command to get one', async () => {
    const { stdout } = await run(
      ['list-servers', '--remote', 'io.github.acme/*'],
      await startMcpRegistry(entries),
    );
    expect(stdout).toContain('in the MCP Registry; get one with: agenttools install <client> <server>');
    expect(stdout).toMatch(/io\.github\.acme\/tickets {2}1\.2\.0 {2}Tickets of\S+ Acme/);
    expect(stdout).not.toContain('\u001b');
  });

  test('shows the first hundred of many', async () => {
    const { stdout } = await run(['list-servers', '--remote'], await startMcpRegistry(manyEntries(300)));
    expect(stdout).toMatch(/and \d+ more; name a part of what you search for/);
    expect(stdout.match(/io\.github\.user/g)?.length).toBeLessThan(300);
  });

  test('notes a registry that cannot be reached', async () => {
    const { code, stderr } = await run(['list-servers', '--remote'], { url: 'http://127.0.0.1:9' });
    expect(code).toBe(0);
    expect(stderr).toContain('note: The MCP registry 127.0.0.1:9 cannot be searched');
  });

  test('asks another registry by --mcp-registry, and none by none', async () => {
    const standIn = await startMcpRegistry(entries);
    const words = ['list-servers', '--remote', '--json', '--mcp-registry'];
    const { stdout } = await run([...words, standIn.url], { url: 'http://127.0.0.1:9' });
    expect(JSON.parse(stdout)).toHaveLength(2);
    const { stdout: nothing } = await run([...words, 'none'], standIn);
    expect(JSON.parse(nothing)).toEqual([]);
  });
});

describe('show', () => {
  test('describes an entry of the MCP Registry with its launch and inputs', async () => {
    const { code, stdout } = await run(
      ['show', 'io.github.acme/tickets', '--json'],
      await startMcpRegistry(entries),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'existing server',
      name: 'tickets',
      title: 'Tickets',
      description: 'Tickets of\u001b[2J Acme',
      version: '1.2.0',
      source: 'registry',
      reference: 'io.github.acme/tickets@1.2.0',
      publisher: 'io.github.acme',
      repository: 'https://github.com/acme/tickets',
      websiteUrl: null,
      launch: 'npx -y @acme/tickets@1.2.0 --region <--region>',
      findings: [expect.objectContaining({ code: 'text/control-characters', severity: 'error' })],
      inputs: [
        {
          name: '--arg --region',
          description: null,
          required: false,
          secret: false,
          default: 'eu',
          choices: ['eu', 'us'],
        },
        {
          name: '--env TOKEN',
          description: 'From your account',
          required: true,
          secret: true,
          default: null,
          choices: [],
        },
      ],
      tools: null,
      prompts: null,
      resources: null,
      notes: [],
    });
  });

  test('prints the inputs in words', async () => {
    const { stdout } = await run(['show', 'io.github.acme/tickets@1.2.0'], await startMcpRegistry(entries));
    expect(stdout).toContain('--arg --region (one of eu, us; default: eu)');
    expect(stdout).toContain('--env TOKEN (required; secret)  From your account');
    expect(stdout).not.toContain('\u001b');
  });

  test.for([
    ['com.example/gone', 'com.example/gone 1.0.0 was deleted from'],
    ['com.example/none', 'has no com.example/none. Search it with: agenttools list-servers --remote none'],
    ['com.example/mail', 'It has no packages and no remotes.'],
  ] as const)('%s fails with the reason', async ([name, message]) => {
    const { code, stderr } = await run(['show', name], await startMcpRegistry(entries));
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});
