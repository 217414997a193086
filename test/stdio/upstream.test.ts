import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connected, type ConnectOptions, connect, revisions } from '../support/official-client.js';
import { addFiles, packageJson } from '../support/packages.js';
import { bareEnvironment, eventually, type Message, programFile, root } from '../support/program.js';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'agenttools-kit-')));

const run = promisify(execFile);
const noted = path.join(folder, 'noted');
const npm = (name: string) =>
  path.join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const scripted = (told: object) => [
  path.join(root, 'test/support/scripted-upstream.mjs'),
  JSON.stringify({ logFile: noted, ...told }),
];
const upstream = (args: readonly string[], more: object = {}) => ({
  upstream: { command: process.execPath, args, ...more },
});

addFiles(folder, {
  'package.json': packageJson({ servers: ['kit', 'away'], tools: ['own'] }),
  'agenttools/tools/own.json': { description: 'Ours.', handler: './own.js' },
  'own.js': 'export default () => "own";',
  'agenttools/servers/kit.json': {
    tools: [
      { ...upstream([npm('everything')]), prefix: 'every_' },
      'own',
      { ...upstream([npm('filesystem'), folder]), only: ['read_text_file'] },
      {
        ...upstream([npm('memory')], { env: { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') } }),
        prefix: 'm_',
      },
    ],
  },
  'agenttools/servers/away.json': {
    tools: ['own', upstream(scripted({ tools: ['crash', 'environment'], atEnd: 'stay' }))],
  },
});

const open = async (server: string, options: ConnectOptions): Promise<Connected> =>
  await connect(path.join(folder, server), options);

describe.each(revisions)('servers from npm behind `start`, for the official client of %s', (revision) => {
  let kit: Connected;

  beforeAll(async () => {
    const answers = {
      'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada' } }),
      'sampling/createMessage': () => ({
        role: 'assistant',
        model: 'test',
        content: { type: 'text', text: 'a poem' },
      }),
    };
    const capabilities = { elicitation: { form: {} }, sampling: {} };
    kit = await open('kit', { revision, capabilities, answers, ownProcess: true });
  });

  afterAll(async () => await kit.close());

  it('are listed as one, in the order of their entries, and called', async () => {
    const { toolNames, textOf, call } = kit;
    const names = await toolNames();
    expect(names).toContain('every_echo');
    expect(names.indexOf('own')).toBeGreaterThan(names.indexOf('every_echo'));
    expect(names.slice(names.indexOf('own'), names.indexOf('own') + 2)).toEqual(['own', 'read_text_file']);
    expect(names).toContain('m_create_entities');
    expect(await textOf('every_echo', { message: 'hi' })).toBe('Echo: hi');
    expect(await textOf('own')).toBe('own');
    expect(await textOf('read_text_file', { path: path.join(folder, 'own.js') })).toContain('own');
    const entity = { name: revision, entityType: 'revision', observations: ['spoken'] };
    const { structuredContent } = await call('m_create_entities', { entities: [entity] });
    expect(structuredContent).toEqual({ entities: [entity] });
  });

  it('have the user and the model of the client asked', async () => {
    const { call } = kit;
    const asked = await call('every_trigger-elicitation-request');
    expect(JSON.stringify(asked.content)).toContain('Ada');
    const sampled = await call('every_trigger-sampling-request', { prompt: 'Write', maxTokens: 10 });
    expect(JSON.stringify(sampled.content)).toContain('a poem');
  });

  it('fail alone with a reason, and end with the client', async () => {
    const { toolNames, call, textOf, stderr, close } = await open('away', { revision, ownProcess: true });
    expect(await toolNames()).toEqual(['own', 'crash', 'environment']);
    const crashed: Message = await call('crash');
    expect(crashed.isError).toBe(true);
    expect(crashed.content[0].text).toContain('it exited with code 7');
    expect(await textOf('own')).toBe('own');
    expect(stderr()).toContain('is lost: it exited with code 7');
    await close();
    const pids = readFileSync(noted, 'utf8').match(/(?<=pid )\d+/g) ?? [];
    expect(pids.length).toBeGreaterThan(0);
    await eventually(() => !pids.some((pid) => isRunning(Number(pid))), 'no program is left');
  });
});

it('`agenttools call` starts what answers a tool, and ends it', async () => {
  const args = [programFile, 'call', path.join(folder, 'kit'), 'every_echo', '{"message":"hi"}'];
  const { stdout } = await run(process.execPath, args, { env: bareEnvironment() });
  expect(stdout).toBe('Echo: hi\n');
  const gone = run(process.execPath, [programFile, 'call', path.join(folder, 'kit'), 'every_ecco'], {
    env: bareEnvironment(),
  });
  await expect(gone).rejects.toThrow('Did you mean "every_echo"?');
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
