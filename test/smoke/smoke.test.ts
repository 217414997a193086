import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { connectHttp } from '../support/http-client.js';
import { startHttp } from '../support/http-program.js';
import { connect, revisions } from '../support/official-client.js';
import { writeFolder, writePackage } from '../support/packages.js';
import { bareEnvironment, fixture, openProgram, programFile, root } from '../support/program.js';

/** The main jobs on the Node that runs this file, by the built program in processes of their own. */

const run = promisify(execFile);

async function agenttools(words: readonly string[], home: string = writeFolder()) {
  return await run(process.execPath, [programFile, ...words], {
    cwd: root,
    env: bareEnvironment({ HOME: home }),
  });
}

describe.each(revisions)('start serves %s', (revision) => {
  test('lists and calls a tool, gets a prompt, reads a resource', async () => {
    const { client, textOf, toolNames } = await connect(fixture('weather/weather'), {
      revision,
      ownProcess: true,
    });
    expect(await toolNames()).toContain('forecast');
    expect(await textOf('alerts', { place: 'High Fell' })).toMatch(/High Fell/);
    const { messages } = await client.getPrompt({
      name: 'packing-list',
      arguments: { place: 'Port Sable' },
    });
    expect(messages).not.toEqual([]);
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0]!.uri });
    expect(contents).toHaveLength(1);
  });

  test('asks the user during a call', async () => {
    const questions: unknown[] = [];
    const server = await connect(fixture('bird-guide'), {
      revision,
      ownProcess: true,
      capabilities: { elicitation: { form: {} } },
      answers: {
        'elicitation/create': (params) => {
          questions.push(params);
          return { action: 'decline' };
        },
      },
    });
    const [name] = await server.toolNames();
    expect((await server.call(name!)).content).not.toEqual([]);
    expect(questions).not.toEqual([]);
    expect(server.stderr()).toBe('');
  });
});

test.each(['legacy', 'auto'] as const)('start --http serves the official client (%s)', async (mode) => {
  const { url, end } = await startHttp(fixture('weather/weather'));
  const client = await connectHttp(url, { mode });
  const { content } = await client.callTool({ name: 'alerts', arguments: { place: 'High Fell' } });
  expect(content).toMatchObject([{ type: 'text' }]);
  await client.close();
  expect(await end()).toBe(0);
});

test('validate passes a good extension, with code, and fails a bad one', async () => {
  const { stdout } = await agenttools(['validate', fixture('weather'), fixture('valid-code'), '--boot']);
  expect(stdout).toMatch(/^valid @acme\/weather/m);
  await expect(agenttools(['validate', fixture('missing-definition')])).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('missing-definition'),
  });
});

test('test runs cases in TypeScript where Node does', async () => {
  const cases = `const text: string = 'a'; export default { tool: 'x', expect: { text } };`;
  const own = writePackage(
    { tools: ['x'] },
    {
      'agenttools/tools/x.js': `export default { handler: () => 'a' };`,
      'agenttools/tools/x.case.ts': cases,
    },
  );
  const ran = agenttools(['test', own, '--against', 'none']);
  if ('typescript' in process.features && process.features.typescript)
    expect((await ran).stdout).toContain('2 passed');
  else
    await expect(ran).rejects.toMatchObject({ stdout: expect.stringContaining('Use Node 22.18 or later') });
});

test('install starts the server once and writes it; uninstall restores the file', async () => {
  const home = writeFolder();
  const file = path.join(home, '.cursor/mcp.json');
  const original = '{\r\n\t"mcpServers": { "mine": { "command": "x" } }\r\n}';
  mkdirSync(path.dirname(file));
  writeFileSync(file, original);
  await agenttools(['install', 'cursor', fixture('weather/weather')], home);
  const { command, args, env } = JSON.parse(readFileSync(file, 'utf8')).mcpServers.weather;
  const program = await openProgram(undefined, { command: [command, ...args], env });
  const { tools } = await program.request('tools/list');
  expect(tools).toHaveLength(3);
  expect(await program.end()).toEqual({ code: 0, signal: null });
  await agenttools(['uninstall', 'cursor', fixture('weather/weather')], home);
  expect(readFileSync(file, 'utf8')).toBe(original);
});

test('a tool has its app', async () => {
  const { client, tool } = await connect(fixture('weather-app'), {
    revision: '2026-07-28',
    ownProcess: true,
    capabilities: {
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
    },
  });
  const { _meta } = await tool('forecast');
  const { contents } = await client.readResource({ uri: _meta.ui.resourceUri });
  expect(contents).toMatchObject([{ mimeType: 'text/html;profile=mcp-app' }]);
});

test('keeps stdout to the protocol if an extension prints', async () => {
  const server = writePackage(
    { tools: ['print'] },
    {
      'agenttools/tools/print.json': { description: 'Prints.', handler: './print.js' },
      'print.js': `import { writeSync } from 'node:fs';
        export default () => { console.log('one'); writeSync(1, 'two'); process.stdout.write('three'); return 'done'; };`,
    },
  );
  const program = await openProgram(server);
  expect(await program.textOf('print')).toBe('done');
  expect(await program.end()).toEqual({ code: 0, signal: null });
  expect(program.stderr.replaceAll(/\s/g, '')).toBe('onetwothree');
});

test('call and show print', async () => {
  const { stdout } = await agenttools([
    'call',
    fixture('weather/weather'),
    'alerts',
    '{"place":"High Fell"}',
  ]);
  expect(stdout).toContain('High Fell');
  expect((await agenttools(['show', fixture('weather')])).stdout).toContain('forecast');
});
