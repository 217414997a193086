import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { workspaceFolders } from '../../src/engine/base/folders.js';
import type {
  ClientEnvironment,
  ConfigFormat,
  Launch,
  SyntaxTolerance,
  WritableClient,
} from '../../src/engine/clients/client.js';
import type { ConfigEntry } from '../../src/engine/clients/edit/editor.js';
import { writableClients } from '../../src/engine/clients/table/index.js';
import { nodeCommand, scriptArgument } from '../../src/engine/existing-servers/node-link.js';
import { writeFolder } from '../support/packages.js';
import { fixture, programFile } from '../support/program.js';
import { runCli } from '../support/run-cli.js';

/** What each client reads its file with, or a parser that takes no more than the client does. */
const parsers = {
  json: (text) => JSON.parse(text) as unknown,
  jsonc: (text, { trailingCommas }) => {
    const errors: ParseError[] = [];
    const data = parseJsonc(text, errors, { allowTrailingComma: trailingCommas }) as unknown;
    expect(errors).toEqual([]);
    return data;
  },
  toml: (text) => parseToml(text),
  yaml: (text) => parseYaml(text) as unknown,
} as const satisfies Record<ConfigFormat, (text: string, tolerance: SyntaxTolerance) => unknown>;

/** What a client that has been used for a while has in its file, as a part of every original. */
const used = {
  json: '{\n    "other": 1\n}\n',
  jsonc: '{\n    // mine\n    "other": 1\n}\n',
  toml: '# mine\nmodel = "x"\n',
  yaml: '# mine\nother: 1\n',
} as const;

function entryIn(client: WritableClient, text: string): ConfigEntry {
  let held = parsers[client.format](text, client.tolerance) as never;
  for (const key of client.container.path) held = held[key];
  const entries = held as Record<string, ConfigEntry> | ConfigEntry[];
  return Array.isArray(entries) ? entries.find(({ name }) => name === 'weather')! : entries.weather!;
}

/** A file of a client on this system; where it has none, any name will do. */
function fileOf(client: WritableClient, home: string): string {
  const surroundings: ClientEnvironment = {
    home,
    env: {},
    platform: process.platform,
    exists: existsSync,
    namesIn: () => [],
  };
  const file = client.userFiles(surroundings)[0] ?? path.join(home, `${client.id}.${client.format}`);
  return file.replace('<key>', 'weather');
}

async function run(home: string, words: readonly string[]): Promise<void> {
  const { PATH = '' } = process.env;
  // The usual data folder is in no entry.
  const { code, stderr } = await runCli(words, { home, cwd: home, env: { PATH, AGENTTOOLS_HOME: '' } });
  expect(code, stderr).toBe(0);
}

/** The words after the script, and the variables, that each client reads from its file. */
const words = ['start', path.join(fixture('weather'), 'weather')];
const env: Launch['env'] = { MCP_SERVER_NAME: '@acme/weather/weather' };

describe.each(writableClients.map((client) => [client.id, client] as const))('%s', (_, client) => {
  test('reads the launch from its file, which is as before afterwards', async () => {
    const home = writeFolder();
    const file = fileOf(client, home);
    const { dataFolder } = workspaceFolders({ home, cwd: home, env: {}, platform: process.platform });
    const isRootList = client.container.path.length === 0;
    const original = isRootList ? '[\n  { "name": "other", "command": "x" }\n]\n' : used[client.format];
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, original);

    const place = ['--config', file, '--client', client.id];
    await run(home, ['install', ...place, fixture('weather'), '--no-verify']);
    const facts = { dataFolder, execPath: process.execPath, platform: process.platform };
    expect(client.launchOf(entryIn(client, readFileSync(file, 'utf8')))).toEqual({
      command: nodeCommand(facts),
      args: [scriptArgument({ ...facts, script: programFile }), ...words],
      env,
    });

    await run(home, ['uninstall', ...place]);
    expect(readFileSync(file, 'utf8')).toBe(original);
  });
});

test('a launch starts the server', async () => {
  const command = process.execPath;
  const args = [programFile, ...words];
  const transport = new StdioClientTransport({ command, args, env: { ...env }, stderr: 'pipe' });
  const session = new Client({ name: 'tester', version: '1' });
  await session.connect(transport);
  const { tools } = await session.listTools();
  await session.close();
  expect(tools.map(({ name }) => name)).toContain('forecast');
});
