import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { packageJson, writeFolder } from '../support/packages.js';
import { bareEnvironment, programFile } from '../support/program.js';

const original = '{\n    "other": 1\n}\n';

test('a server that was made is installed, started by a client from anywhere, and gone without a trace', async () => {
  const home = writeFolder({
    'data/packages/node_modules/@acme/kit/package.json': packageJson({ tools: ['forecast'] }),
    'data/packages/node_modules/@acme/kit/agenttools/tools/forecast.json': {
      description: 'Gives the weather.',
      input: { place: { type: 'string', required: true }, units: { type: 'string', required: true } },
      handler: './forecast.js',
    },
    'data/packages/node_modules/@acme/kit/forecast.js': 'export default (args) => JSON.stringify(args);',
    'mine/trip.jsonc': `{ // mine
      "tools": [
        { "use": "@acme/kit/forecast", "name": "weather", "arguments": { "units": "metric" } },
        { "name": "say", "handler": "./say.mjs#hello" },
      ],
    }`,
    'mine/say.mjs': 'export const hello = () => "hello";',
  });
  const env = { ...bareEnvironment(), HOME: home, AGENTTOOLS_HOME: path.join(home, 'data') };
  const run = (...words: readonly string[]) =>
    execFileSync(process.execPath, [programFile, ...words], { env, cwd: home, stdio: 'pipe' }).toString();
  const config = path.join(home, '.cursor/mcp.json');
  mkdirSync(path.dirname(config));
  writeFileSync(config, original);

  run(
    'create-server',
    'trip',
    '--from',
    'mine/trip.jsonc',
    '--tool',
    'catalog',
    '--instructions',
    'Be kind.',
  );
  expect(JSON.parse(run('list-servers', 'trip', '--json'))).toMatchObject([
    { name: 'trip', source: 'user-made' },
  ]);
  run('install', 'cursor', 'trip');
  const { trip } = JSON.parse(readFileSync(config, 'utf8')).mcpServers;
  expect(run('list-installed')).toContain('intact');

  const client = new Client({ name: 'test', version: '1' });
  const launch = { command: trip.command, args: trip.args, env: { ...env, ...trip.env } };
  await client.connect(new StdioClientTransport({ ...launch, cwd: writeFolder(), stderr: 'pipe' }));
  expect(client.getServerVersion()).toMatchObject({ name: 'trip', version: '1.0.0' });
  expect(client.getInstructions()).toBe('Be kind.');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['weather', 'say', 'catalog']);
  expect(Object.keys(tools[0]!.inputSchema.properties!)).toEqual(['place']);
  const answer = await client.callTool({ name: 'weather', arguments: { place: 'Bonn' } });
  expect(answer.content).toEqual([{ type: 'text', text: '{"place":"Bonn","units":"metric"}' }]);
  expect((await client.callTool({ name: 'say', arguments: {} })).content).toEqual([
    { type: 'text', text: 'hello' },
  ]);
  await client.close();

  run('delete-server', 'trip');
  expect(readFileSync(config, 'utf8')).toBe(original);
  expect(JSON.parse(run('list-servers', 'trip', '--json'))).toEqual([]);
});
