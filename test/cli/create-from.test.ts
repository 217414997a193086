// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references to variables.
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addFiles, writeFolder } from '../support/packages.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { runAtHome } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';
import { writeBundle } from '../support/zip.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let registry: Registry;

beforeAll(async () => {
  registry = await startRegistry();
  await registry.publish({
    'package.json': {
      name: '@acme/mcp',
      version: '1.2.0',
      description: 'Tickets of Acme.',
      type: 'module',
      bin: 'server.js',
    },
    'server.js': ticketsServer,
  });
});

type Files = Parameters<typeof writeFolder>[0];

function open(files: Files = {}) {
  const home = writeFolder({ '.npmrc': registry.settings(), ...files });
  const run = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    await runAtHome(home, words, { AGENTTOOLS_MCP_REGISTRY: 'none', ...env });
  const read = (file: string) => JSON.parse(readFileSync(path.join(home, file), 'utf8'));
  return { home, run, read, upstreamOf: (file: string) => read(file).tools[0].upstream };
}

/** The error of a call to an unknown tool, which names the tools of the server. */
async function toolsOf(
  { run }: ReturnType<typeof open>,
  server: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await run(['call', server, 'none'], env)).stderr;
}

describe('create --from an npm package', () => {
  it('depends on the exact version, and validates without errors before and after npm install', async () => {
    const place = open();
    const made = await place.run(['create', 'desk', '--from', '@acme/mcp', '--arg', 'x', '--json']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(made.stdout)).toMatchObject({
      name: 'desk',
      servers: ['acme'],
      variables: [],
      files: ['package.json', 'agenttools/servers/acme.json', 'README.md', '.gitignore'],
    });
    expect(place.read('desk/package.json')).toMatchObject({
      dependencies: { '@acme/mcp': '1.2.0' },
      description: 'Tickets of Acme.',
      keywords: ['agenttools-extension'],
      agenttools: { servers: [['acme', 'Tickets of Acme.']] },
    });
    expect(place.upstreamOf('desk/agenttools/servers/acme.json')).toEqual({
      name: 'acme',
      package: '@acme/mcp',
      args: ['x'],
    });
    const { code, stdout } = await place.run(['validate', 'desk']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('missing-upstream')]);
    addFiles(path.join(place.home, 'desk/node_modules/@acme/mcp'), {
      'package.json': { name: '@acme/mcp', version: '1.2.0', type: 'module', bin: 'server.js' },
      'server.js': ticketsServer,
    });
    expect((await place.run(['validate', 'desk', '--strict'])).code).toBe(0);
    expect(await toolsOf(place, './desk')).toContain('toolx_');
  });

  it('reports an unknown package, a bare word and a used folder, and writes nothing', async () => {
    const { run, home } = open({ 'full/a.txt': 'a' });
    for (const [words, reason] of [
      [['desk', '--from', 'npm:@acme/none'], 'does not have the npm package @acme/none'],
      [['desk', '--from', 'acme'], 'npm:acme'],
      [['desk', '--from', './full'], 'is no plugin'],
      [['full', '--from', '@acme/mcp'], 'is not empty'],
      [['desk', '--from', '@acme/mcp', '--ts'], 'Leave them out with --from.'],
    ] as const) {
      const { code, stderr } = await run(['create', ...words]);
      expect({ code, stderr }).toEqual({ code: expect.any(Number), stderr: expect.stringContaining(reason) });
      expect(code).not.toBe(0);
    }
    expect(existsSync(path.join(home, 'desk'))).toBe(false);
  });
});

describe('create with a command after --', () => {
  it('includes its server', async () => {
    const place = open();
    const made = await place.run(['create', 'desk', '--', 'npx', '-y', '@acme/mcp@1.2.0', 'x']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const upstream = { package: '@acme/mcp', args: ['x'] };
    expect(place.upstreamOf('desk/agenttools/servers/acme.json')).toMatchObject(upstream);
    const both = await place.run(['create', 'other', '--from', 'npm:x', '--', 'node']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('"npm:x" before it') });
  });
});

describe('create --from a file', () => {
  it('includes all servers of mcp.json, without values of secrets', async () => {
    const place = open({
      'mcp.json': {
        mcpServers: {
          'acme tickets': { command: 'npx', args: ['-y', '@acme/mcp'], env: { TOKEN: 's3cr3t-9a8b7c6d5e' } },
          fetch: { command: 'uvx', args: ['mcp-server-fetch==1.0.0', '--limit', '${LIMIT:-5}'] },
          far: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer s3cr3t-9a8b7c6d5e' } },
        },
      },
    });
    const { code, stdout } = await place.run(['create', 'desk', '--from', './mcp.json', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      servers: ['acme-tickets', 'fetch', 'far'],
      variables: ['TOKEN', 'FAR_TOKEN'],
    });
    expect(place.upstreamOf('desk/agenttools/servers/acme-tickets.json')).toEqual({
      name: 'acme tickets',
      package: '@acme/mcp',
      env: { TOKEN: '${TOKEN}' },
    });
    expect(place.upstreamOf('desk/agenttools/servers/fetch.json')).toMatchObject({
      command: 'uvx',
      args: ['mcp-server-fetch==1.0.0', '--limit', '${LIMIT:-5}'],
    });
    expect(place.upstreamOf('desk/agenttools/servers/far.json')).toMatchObject({
      url: 'https://mcp.example.com/mcp',
      headers: { Authorization: 'Bearer ${FAR_TOKEN}' },
    });
    expect(readFileSync(path.join(place.home, 'desk/README.md'), 'utf8')).toContain(
      '| `FAR_TOKEN` | required |',
    );
    expect((await place.run(['validate', 'desk', '--rule', 'missing-upstream=off', '--strict'])).code).toBe(
      0,
    );
  });

  it('writes no value of a variable or header that may be a secret', async () => {
    const env = {
      K: 'hunter2-hunter2',
      LEVEL: 'info',
      PORT: '8080',
      PLACE: '/data/a b',
      LINK: 'https://x.test/a',
    };
    const place = open({
      'mcp.json': {
        mcpServers: {
          a: { command: 'npx', args: ['@acme/mcp'], env },
          b: { url: 'https://b.test', headers: { 'X-Id': 'Pa55word' } },
        },
      },
    });
    const { stdout } = await place.run(['create', 'desk', '--from', './mcp.json', '--json']);
    expect(JSON.parse(stdout).variables).toEqual(['K', 'X_ID']);
    expect(place.upstreamOf('desk/agenttools/servers/a.json')).toMatchObject({ env: { ...env, K: '${K}' } });
    expect(place.upstreamOf('desk/agenttools/servers/b.json')).toMatchObject({
      headers: { 'X-Id': '${X_ID}' },
    });
  });

  it('includes one server, and reports that a program of this machine stays in its folder', async () => {
    const place = open({
      'mcp.json': {
        mcpServers: {
          a: { command: 'node', args: ['server.mjs', '1'] },
          b: { url: 'https://b.example/mcp' },
        },
      },
      'server.mjs': ticketsServer,
    });
    const { code, stderr } = await place.run(['create', 'desk', '--from', './mcp.json#a']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        `uses ${path.join(place.home, 'server.mjs')}, which the extension does not contain`,
      ),
    });
    expect(place.read('desk/package.json').agenttools).toEqual({ servers: ['a'] });
    expect(await toolsOf(place, './desk')).toContain('tool1_');
  });

  it('declares the inputs of server.json as variables', async () => {
    const environmentVariables = [
      { name: 'TOKEN', isRequired: true, isSecret: true, description: 'Token of the API' },
      { name: 'REGION', default: 'eu', choices: ['eu', 'us'] },
      { name: 'PROXY' },
    ];
    const packages = [
      {
        registryType: 'npm',
        identifier: '@acme/mcp',
        version: '1.2.0',
        transport: { type: 'stdio' },
        environmentVariables,
      },
    ];
    const place = open({
      'server.json': { name: 'io.github.acme/tickets', description: 'Tickets', version: '3.0.0', packages },
    });
    const { code } = await place.run(['create', 'desk', '--from', './server.json', '--env', 'TOKEN=s3cr3t']);
    expect(code).toBe(0);
    const [item] = place.read('desk/package.json').agenttools.servers[0];
    expect(place.upstreamOf(`desk/agenttools/servers/${item}.json`)).toMatchObject({
      package: '@acme/mcp',
      env: { TOKEN: '${TOKEN}', REGION: '${REGION:-eu}', PROXY: '${PROXY:-}' },
    });
    expect(readFileSync(path.join(place.home, 'desk/README.md'), 'utf8')).toContain(
      '| `TOKEN` | required | Token of the API |\n| `REGION` | `eu` | One of: eu, us. |\n| `PROXY` | optional | Environment variable of `tickets`. |',
    );
  });

  it('gives a container its variables by name, also from the command line', async () => {
    const place = open();
    const words = ['create', 'desk', '--from', 'docker:acme/tickets:1.2', '--env', 'LEVEL=info'];
    const { code } = await place.run([...words, '--env', 'TOKEN=s3cr3t-9a8b7c6d5e']);
    expect(code).toBe(0);
    expect(place.upstreamOf('desk/agenttools/servers/tickets.json')).toMatchObject({
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'LEVEL', '-e', 'TOKEN', 'acme/tickets:1.2'],
      env: { LEVEL: 'info', TOKEN: '${TOKEN}' },
    });
  });

  it('contains the content of a bundle', async () => {
    const place = open();
    const server = {
      type: 'node',
      entry_point: 'server.mjs',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server.mjs', '${user_config.limit}'],
        env: { TOKEN: '${user_config.token}' },
      },
    };
    const user_config = {
      limit: { type: 'number', title: 'Limit', default: 5 },
      token: { type: 'string', title: 'Token', required: true, sensitive: true },
    };
    const manifest = {
      manifest_version: '0.3',
      name: 'tickets',
      version: '2.0.0',
      description: 'T.',
      server,
      user_config,
    };
    writeFileSync(
      path.join(place.home, 'tickets.mcpb'),
      writeBundle(manifest, { 'server.mjs': ticketsServer }),
    );
    const made = await place.run(['create', 'desk', '--from', './tickets.mcpb']);
    expect(made.code).toBe(0);
    expect(place.upstreamOf('desk/agenttools/servers/tickets.json')).toEqual({
      name: 'tickets',
      command: 'node',
      args: ['./bundle/server.mjs', '${LIMIT:-5}'],
      env: { TOKEN: '${TOKEN}' },
    });
    expect(place.read('desk/package.json')).toMatchObject({
      version: '0.1.0',
      files: ['agenttools', 'bundle'],
    });
    expect((await place.run(['validate', 'desk', '--strict'])).code).toBe(0);
    expect(await toolsOf(place, './desk', { TOKEN: 'abc', LIMIT: '7' })).toContain('tool7_abc');
  });
});

const skill = '---\nname: brewing-tea\ndescription: How to brew tea.\n---\nBoil water.\n';

/** A plugin in each format, with a server in its folder. */
const plugins: Readonly<Record<string, Files>> = {
  'Claude Code': {
    '.claude-plugin/plugin.json': {
      name: 'tickets',
      version: '1.4.0',
      userConfig: { token: { type: 'string', title: 'Token', description: 'The token', sensitive: true } },
    },
    '.mcp.json': {
      mcpServers: {
        tickets: {
          command: 'node',
          args: ['${CLAUDE_PLUGIN_ROOT}/srv/server.mjs'],
          env: { TOKEN: '${user_config.token}' },
        },
      },
    },
  },
  Codex: {
    '.codex-plugin/plugin.json': { name: 'tickets', version: '1.4.0', mcpServers: './config/servers.json' },
    'config/servers.json': {
      mcpServers: { tickets: { command: 'node', args: ['./srv/server.mjs'], env: { TOKEN: '${TOKEN:-}' } } },
    },
  },
  'Agent Plugins': {
    'plugin.json': {
      $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
      name: 'tickets',
      version: '1.4.0',
    },
    'mcp.json': {
      mcpServers: {
        tickets: {
          type: 'stdio',
          command: 'node',
          args: ['server.mjs'],
          cwd: '${PLUGIN_ROOT}/srv',
          env: { TOKEN: '${TOKEN:-}' },
        },
      },
    },
  },
  'Gemini CLI': {
    'gemini-extension.json': {
      name: 'tickets',
      version: '1.4.0',
      settings: [{ name: 'Token', description: 'The token', envVar: 'TOKEN', sensitive: true }],
      mcpServers: { tickets: { command: 'node', args: ['${extensionPath}${/}srv${/}server.mjs'] } },
    },
  },
};

describe('create --from a plugin', () => {
  it.for(Object.entries(plugins))('copies the server and the skills of %s', async ([, files]) => {
    const place = open();
    addFiles(path.join(place.home, 'plugin'), {
      ...files,
      'srv/server.mjs': ticketsServer,
      'skills/brewing-tea/SKILL.md': skill,
      '.env': 'TOKEN=s3cr3t',
    });
    const made = await place.run(['create', 'desk', '--from', './plugin', '--json']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(made.stdout)).toMatchObject({
      servers: ['tickets'],
      files: expect.arrayContaining(['plugin/', 'skills/brewing-tea/']),
    });
    expect(place.read('desk/package.json')).toMatchObject({
      version: '0.1.0',
      files: ['agenttools', 'plugin', 'skills'],
    });
    expect((await place.run(['validate', 'desk', '--strict'])).stdout).toContain('valid desk');
    expect(await toolsOf(place, './desk', { TOKEN: 'abc' })).toContain('toolabc');
    for (const file of ['.env', '.mcp.json', 'mcp.json', 'gemini-extension.json', 'skills'])
      expect(existsSync(path.join(place.home, 'desk/plugin', file))).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('copies no links', async () => {
    const place = open({
      'plugin/.claude-plugin/plugin.json': { name: 'x' },
      'plugin/.mcp.json': {
        mcpServers: { x: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/srv/server.mjs'] } },
      },
      'plugin/srv/server.mjs': ticketsServer,
      'secret.txt': 's3cr3t',
    });
    symlinkSync(place.home, path.join(place.home, 'plugin/srv/home'));
    symlinkSync(path.join(place.home, 'secret.txt'), path.join(place.home, 'plugin/srv/notes.txt'));
    const { code, stderr } = await place.run(['create', 'desk', '--from', './plugin']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/Links are not copied: srv\/(?:home, srv\/notes\.txt|notes\.txt, srv\/home)\./);
    expect(readdirSync(path.join(place.home, 'desk/plugin/srv'))).toEqual(['server.mjs']);
  });

  it('names the parts that were left out', async () => {
    const place = open({
      'plugin/.claude-plugin/plugin.json': {
        name: 'x',
        hooks: './hooks.json',
        mcpServers: ['./a.mcpb', '../b.json'],
      },
      'plugin/commands/go.md': 'Go.',
      'plugin/skills/brewing-tea/SKILL.md': skill,
      'plugin/skills/broken/SKILL.md': 'no frontmatter',
    });
    const { code, stderr } = await place.run(['create', 'desk', '--from', './plugin']);
    expect(code).toBe(0);
    for (const part of ['"hooks"', '"commands"', './a.mcpb', '../b.json', 'The skill "broken"'])
      expect(stderr).toContain(part);
    expect(place.read('desk/package.json').agenttools).toEqual({});
    expect((await place.run(['validate', 'desk', '--strict'])).stdout).toContain('valid desk');
  });
});
