import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Launch, WritableClient } from '../../src/engine/clients/client.js';
import { readEntry } from '../../src/engine/clients/edit/entries.js';
import { writableClients } from '../../src/engine/clients/table/index.js';
import { remoteShapeOf } from '../../src/engine/clients/table/remote-shapes.js';
import { registryEntry, startMcpRegistry } from '../support/mcp-registry.js';
import { addFiles, writeFolder } from '../support/packages.js';
import { startRegistryHere } from '../support/registry.js';
import { runAtHome } from '../support/run-cli.js';
import { ticketsServer } from '../support/tickets-server.js';
import { writeBundle } from '../support/zip.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

const url = 'https://mcp.example.com/mcp';
const npmName = '@acme/mcp';
const home = writeFolder({ 'server.mjs': ticketsServer });
const cache = writeFolder();
const nodeLink = path.join(home, 'agenttools/bin/node');
const npmFile = path.join(home, `agenttools/npm-servers/@acme+mcp@1.2.0/node_modules/${npmName}/server.js`);
const bundleFile = () => {
  const bundles = path.join(home, 'agenttools/bundles');
  return path.join(bundles, readdirSync(bundles)[0]!, 'server.mjs');
};

const run = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  await runAtHome(home, words, { npm_config_cache: cache, ...env });

beforeAll(async () => {
  const registry = await startRegistryHere();
  await registry.publish({
    'package.json': { name: npmName, version: '1.2.0', type: 'module', bin: 'server.js' },
    'server.js': ticketsServer,
  });
  writeFileSync(path.join(home, '.npmrc'), registry.settings());
  const server = { type: 'node', entry_point: 'server.mjs' };
  const manifest = { manifest_version: '0.3', name: 'bundled', version: '1.0.0', server };
  writeFileSync(path.join(home, 'bundled.mcpb'), writeBundle(manifest, { 'server.mjs': ticketsServer }));
  // Entries elsewhere keep the folders of both servers.
  for (const reference of [`npm:${npmName}`, './bundled.mcpb'])
    await run([
      'install',
      '--config',
      path.join(home, 'kept.json'),
      '--client',
      'cursor',
      reference,
      '--no-verify',
    ]);
});

/** The sources of servers, by the keys of their entries, and what each client starts. */
const programs: Readonly<
  Record<string, { readonly words: readonly string[]; readonly launch: () => Launch }>
> = {
  package: {
    words: [`npm:${npmName}`, '--arg', '/data', '--env', 'A=b'],
    launch: () => ({ command: nodeLink, args: [npmFile, '/data'], env: { A: 'b' } }),
  },
  entry: {
    words: ['io.github.acme/tickets', '--arg', 'region=eu'],
    launch: () => ({ command: nodeLink, args: [npmFile, '--region', 'eu'], env: { LEVEL: 'info' } }),
  },
  bundle: {
    words: ['./bundled.mcpb'],
    launch: () => ({ command: nodeLink, args: [bundleFile()], env: {} }),
  },
  command: {
    words: ['--', process.execPath, 'server.mjs', '--flag'],
    launch: () => ({
      command: nodeLink,
      args: [path.join(home, 'server.mjs'), '--flag'],
      env: {},
    }),
  },
};

const packages = [
  {
    registryType: 'npm',
    identifier: npmName,
    version: '1.2.0',
    packageArguments: [{ type: 'named', name: '--region', isRequired: true }],
    environmentVariables: [{ name: 'LEVEL', default: 'info' }],
  },
];

/** Text of a file before, which is laid out by hand. */
const originals = {
  json: '{\n   "mine" : { "b":1 }\n}',
  jsonc: '{\n   "mine" : { "b":1 }\n}',
  toml: '# mine\n[mine]\nb   =   1',
  yaml: '# mine\nmine:   {b: 1}\n',
} as const satisfies Readonly<Record<WritableClient['format'], string>>;

/** Own text in a file. A list of entries alone has none. */
function originalOf({ format, container }: WritableClient): string {
  return container.path.length === 0 && container.shape === 'list'
    ? '[ {"name":"mine"}\n]'
    : originals[format];
}

/** The file of the user, or a file elsewhere for clients that have none here or one for each entry. */
function placeOf(client: WritableClient): { readonly file: string; readonly words: readonly string[] } {
  const surroundings = { home, env: {}, platform: process.platform, exists: existsSync, namesIn: () => [] };
  const [file] = client.userFiles(surroundings);
  if (file !== undefined && !file.includes('<key>')) return { file, words: [client.id] };
  const own = path.join(home, `${client.id}.${client.format}`);
  return { file: own, words: ['--config', own, '--client', client.id] };
}

const places = new Map(writableClients.map((client) => [client.id, placeOf(client)]));
/** Clients with a file of the user in one list, and each other one. */
const targets = [
  [[...places].flatMap(([id, { words }]) => (words.length === 1 ? [id] : [])).join(',')],
  ...[...places.values()].flatMap(({ words }) => (words.length > 1 ? [words] : [])),
];

beforeAll(async () => {
  for (const client of writableClients) {
    const { file } = places.get(client.id)!;
    addFiles(path.dirname(file), { [path.basename(file)]: originalOf(client) });
  }
  const entry = registryEntry({ name: 'io.github.acme/tickets', version: '3.0.0', packages });
  const registry = await startMcpRegistry([entry], { onEnd: () => {} });
  const env = { AGENTTOOLS_MCP_REGISTRY: registry.url };
  for (const [client = '', ...place] of targets) {
    const options = ['--no-verify', ...(place.length > 0 ? [client, ...place] : [])];
    const first = place.length > 0 ? [] : [client];
    for (const [key, { words }] of Object.entries(programs)) {
      const all = words[0] === '--' ? ['--name', key, ...words] : [...words, '--name', key];
      const sorted = words[0] === '--' ? [...options, ...all] : [all[0]!, ...options, ...all.slice(1)];
      const installed = await run(['install', ...first, ...sorted], env);
      expect({ client, key, ...installed }).toMatchObject({ code: 0 });
    }
    await run(['install', ...first, url, ...options, '--header', 'A: b']);
  }
  await registry.close();
});

describe('every client', () => {
  test.for(writableClients.map((client) => [client.id, client] as const))(
    '%s gets every kind of server in its form, and its file back to the byte',
    async ([id, client]) => {
      const { format, container } = client;
      const { file, words } = places.get(id)!;
      const entry = async (key: string) =>
        await readEntry(readFileSync(file, 'utf8'), { format, container, key });
      for (const [key, { launch }] of Object.entries(programs))
        expect(await entry(key)).toEqual(client.entry(launch(), key));
      expect(await entry('example')).toEqual(remoteEntry(client));
      expect((await run(['uninstall', ...words])).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(originalOf(client));
    },
  );

  test('with a new file loses it', async () => {
    const target = ['--config', path.join(home, 'new.json'), '--client', 'vscode'];
    expect((await run(['install', `npm:${npmName}`, ...target])).code).toBe(0);
    expect((await run(['uninstall', ...target])).code).toBe(0);
    expect(existsSync(path.join(home, 'new.json'))).toBe(false);
  });
});

/** Entry of a remote server as the shape of the client writes it; without a shape, the entry through AgentTools. */
function remoteEntry(client: WritableClient): object {
  const headers = { A: 'b' };
  const shape = remoteShapeOf(client);
  if (shape) return shape.entry({ url, transport: 'http', headers }, 'example');
  const script = path.join(path.dirname(nodeLink), 'agenttools.js');
  const args = [script, 'start', '--transport', 'http', '--header', 'A: b', url];
  const env = { AGENTTOOLS_HOME: path.join(home, 'agenttools') };
  return client.entry({ command: nodeLink, args, env }, 'example');
}
