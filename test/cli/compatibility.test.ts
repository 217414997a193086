import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFolder, writePackage } from '../support/packages.js';
import { serveRecordings } from '../support/recorded-servers.js';
import { runCli } from '../support/run-cli.js';

let recordings: Awaited<ReturnType<typeof serveRecordings>>;
beforeAll(async () => {
  recordings = await serveRecordings();
});
afterAll(async () => await recordings.close());

const cwd = writeFolder({ '.codex/config.toml': '' });
const run = async (...words: readonly string[]) =>
  await runCli(words, { cwd, home: cwd, env: { PATH: '', HOME: cwd } });
const validate = async (...words: readonly string[]) =>
  await run('validate', recordings.urlOf('mongodb'), '--rule', 'wrong-error-code=off', '--json', ...words);

const codesOf = (stdout: string) => {
  const [{ diagnostics }] = JSON.parse(stdout).extensions;
  return [...new Set((diagnostics as { code: string }[]).map(({ code }) => code))].sort();
};

test('validate reports lost descriptions in the default run', async () => {
  const usual = await validate();
  expect({ code: usual.code, codes: codesOf(usual.stdout) }).toEqual({
    code: 0,
    codes: ['compat/schema-size'],
  });
});

test('validate reports all limits of the chosen clients', async () => {
  const codex = codesOf((await validate('--clients', 'codex')).stdout);
  expect(codex).toContain('compat/keyword-lost');
  expect(codesOf((await validate('--clients', 'installed')).stdout)).toEqual(codex);
});

test('validate reports the limits of all clients', async () => {
  expect(codesOf((await validate('--clients', 'all')).stdout)).toContain('compat/param-name-charset');
});

test('validate refuses an unknown client, and a budget that is no number', async () => {
  expect(await validate('--clients', 'codx')).toMatchObject({ code: 2 });
  const { stderr } = await run('validate', '.', '--clients', 'codx');
  expect(stderr).toContain('There is no client "codx". Did you mean "codex"?');
  expect((await run('validate', '.', '--budget', 'many')).stderr).toContain('--budget many is not a number');
});

test('validate counts the tokens of a server, and fails over its budget', async () => {
  const { code, stdout } = await validate('--budget', '10_000');
  expect(code).toBe(1);
  expect(codesOf(stdout)).toContain('compat/token-budget');
  const [{ costs }] = JSON.parse(stdout).extensions;
  expect(costs[0]).toMatchObject({ counter: 'estimate', tools: expect.any(Array) });
  const pretty = await run('validate', recordings.urlOf('memory'), '--budget', '5000');
  expect(pretty.stdout).toMatch(
    /≈ \d+ tokens \(estimate, ±13 %; claude-code ≈ [\d,]+, codex ≈ \d+\)\n {2}\S+ +█{24} {2}\d+/,
  );
});

test('list-clients lists the limits, of installed clients with the APIs that they use', async () => {
  const all = JSON.parse((await run('list-clients', '--limits', '--json')).stdout);
  expect(all.map(({ id }: { id: string }) => id)).toContain('cursor');
  const detected = JSON.parse((await run('list-clients', '--limits', '--detected', '--json')).stdout);
  expect(detected.map(({ id }: { id: string }) => id)).toEqual(['codex', 'openai-responses-api']);
  const { stdout } = await run('list-clients', '--limits');
  expect(stdout).toContain(
    'compat/schema-size over 5,000 bytes: drops all parameter descriptions (measured)',
  );
});

test('show counts the tokens of a server', async () => {
  const weather = new URL('../../fixtures/extensions/weather', import.meta.url).pathname;
  const { stdout } = await run('show', weather, '--tokens', '--json');
  const cost = JSON.parse(stdout);
  expect(cost).toMatchObject({ server: 'weather', counter: 'estimate', errorPercent: 13 });
  expect(cost.tools.map(({ name }: { name: string }) => name)).toEqual(['forecast', 'compare', 'alerts']);
  expect((await run('show', weather, '--tokens')).stdout).toContain(`weather: ≈ ${cost.tokens} tokens`);
  const item = await run('show', `${weather}/forecast`, '--tokens');
  expect(item.stderr).toContain('--tokens needs the tools of an installed server, and this is a tool.');
});

test('show lists the tools of an existing server as a client gets them, and counts their tokens', async () => {
  const notion = recordings.urlOf('notion');
  const { stdout } = await run('show', notion, '--as', 'codex', '--adapt');
  expect(stdout).toMatch(/^24 tools for codex \(adapt: on\), 24 changed\n/);
  expect(stdout).toContain('  API-update-page-markdown  compat/keyword-lost\n');
  expect((await run('show', notion, '--as', 'codex')).stdout).toContain('(adapt: auto), 0 changed');
  expect((await run('show', notion, '--tokens')).stdout).toContain('≈');
});

test.each([['--tokens'], ['--as', 'codex']])('show %s warns of hidden text', async (...words) => {
  const package_ = writeFolder({
    'package.json': { name: 'kit', version: '1.0.0', agenttools: { tools: ['odd'] } },
    'agenttools/tools/odd.json': { description: 'a\u202eb', handler: './run.js' },
    'run.js': 'export default () => 1;',
  });
  const { code, stderr } = await run('show', package_, ...words);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: text\/bidi-controls: .*: "a\\u\{202E\}b"$/m),
  ]);
});

test('show lists the tools as a client gets them', async () => {
  const union = { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] };
  const package_ = writeFolder({
    'package.json': {
      name: 'kit',
      version: '1.0.0',
      type: 'module',
      agenttools: { tools: ['draw', 'plain'] },
    },
    'agenttools/tools/draw.json': {
      description: 'Draws.',
      input: { type: 'object', ...union },
      handler: './run.js',
    },
    'agenttools/tools/plain.json': { description: 'Is plain.', handler: './run.js' },
    'run.js': 'export default () => 1;',
  });
  const { stdout } = await run('show', package_, '--as', 'claude-desktop');
  expect(stdout).toBe(
    '2 tools for claude-desktop (adapt: auto), 1 changed\n  draw  compat/root-union\n  plain\n',
  );
  const whole = writeFolder({
    'package.json': { name: 'kit', version: '1.0.0', agenttools: { tools: ['plain'], servers: ['all'] } },
    'agenttools/tools/plain.json': { description: 'Is plain.', handler: './run.js' },
    'agenttools/servers/all.json': { tools: ['plain'], adapt: 'on' },
    'run.js': 'export default () => 1;',
  });
  expect((await run('show', `${whole}/all`, '--as', 'claude-desktop')).stdout).toBe(
    '1 tool for claude-desktop (adapt: on), 0 changed\n  plain\n  read_result  added by AgentTools\n',
  );
  const data = JSON.parse((await run('show', package_, '--as', 'claude-desktop', '--json')).stdout);
  const adapted = await run('show', `${whole}/all`, '--as', 'claude-desktop', '--tokens');
  expect(adapted.stdout).toMatch(/^all: ≈ \d+ tokens/);
  expect(data.tools[0].tool.inputSchema).toEqual({ type: 'object', properties: { a: {}, b: {} } });
  const { code, stderr } = await run('show', package_, '--as', 'claude-desktpo');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('Did you mean "claude-desktop"?'),
  });
});

/** A server with a tool that clients with the TypeScript SDK refuse, with the whole list. */
const nullServer = `
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1.0.0' } }
    : { tools: [{ name: 'note', description: null, inputSchema: { type: 'object' } }] };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

describe('install', () => {
  const configOf = (home: string) => readFileSync(path.join(home, '.codex/config.toml'), 'utf8');
  const install = async (home: string, ...words: readonly string[]) =>
    await runCli(['install', 'codex', ...words], { cwd: home, home, env: { PATH: '', HOME: home } });
  const newHome = () => writeFolder({ '.codex/config.toml': '' });

  test('names the tools that the client damages, and writes an entry through AgentTools with --adapt', async () => {
    const home = newHome();
    const { code, stdout, stderr } = await install(home, recordings.urlOf('mongodb'), '--json');
    expect(code).toBe(0);
    expect(configOf(home)).not.toContain('start');
    expect(stderr).toContain(
      'Codex drops all parameter descriptions (limit: 5,000 bytes): aggregate, create-index, explain, export.',
    );
    expect(stderr).toContain('repeat the command with --adapt');
    expect(JSON.parse(stdout).harmed).toMatchObject([
      {
        code: 'compat/schema-size',
        subject: 'codex',
        tools: ['aggregate', 'create-index', 'explain', 'export'],
      },
    ]);
    const adapted = await install(home, recordings.urlOf('mongodb'), '--adapt', '--json', '--no-verify');
    expect(configOf(home)).toContain('"start", "--adapt"');
    expect(adapted.stderr).toContain('through AgentTools, which adapts its tools to Codex.');
    expect(JSON.parse(adapted.stdout)).not.toHaveProperty('harmed');
  });

  test('proposes nothing for tools that the client uses whole', async () => {
    const { stderr } = await install(newHome(), recordings.urlOf('memory'));
    expect(stderr).toContain('Installed');
    expect(stderr).not.toContain('--adapt');
  });

  test('names the tool by which a client loses all of a server', async () => {
    const home = newHome();
    const server = path.join(writeFolder({ 'server.mjs': nullServer }), 'server.mjs');
    const words = ['install', 'opencode', '--', process.execPath, server];
    const { code, stderr } = await runCli(words, { cwd: home, home, env: { PATH: '', HOME: home } });
    expect(code).toBe(0);
    expect(stderr).toContain('OpenCode loses all tools of the server: note.');
    expect(stderr).toContain('repeat the command with --adapt');
  });

  test('writes the mode into the entry of an extension', async () => {
    const home = newHome();
    const weather = new URL('../../fixtures/extensions/weather', import.meta.url).pathname;
    expect(await install(home, weather, '--adapt=off', '--no-verify')).toMatchObject({ code: 0 });
    expect(configOf(home)).toContain('"start", "--adapt=off"');
  });

  describe('for an extension', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }] } },
    };
    const extension = (adapt: string) =>
      writePackage(
        { tools: ['pick'], servers: ['kit'] },
        {
          'agenttools/servers/kit.json': { tools: ['pick'], adapt },
          'agenttools/tools/pick.json': {
            description: 'Picks.',
            inputSchema: schema,
            handler: './run.js#run',
          },
          'run.js': 'export const run = () => "picked";',
        },
      );

    test('names tools that the client loses if its adaptation is off', async () => {
      const { stderr } = await install(newHome(), extension('off'));
      expect(stderr).toContain('Codex leaves the tool out: pick.');
      expect(stderr).toContain('repeat the command with --adapt.\n');
    });

    test.each([
      ['auto', []],
      ['off', ['--env', 'AGENTTOOLS_ADAPT=on']],
      ['off', ['--env', 'AGENTTOOLS_ADAPT=off']],
    ])('with "adapt": "%s" and %j names none', async (adapt, words) => {
      const { code, stderr } = await install(newHome(), extension(adapt), ...words);
      expect(code).toBe(0);
      expect(stderr).not.toContain('--adapt');
    });

    test('passes a key that is longer than the one of the server', async () => {
      const home = newHome();
      const name = 'the-kit-with-a-name-that-is-long';
      expect(await install(home, extension('auto'), '--name', name, '--no-verify')).toMatchObject({
        code: 0,
      });
      expect(configOf(home)).toContain(`AGENTTOOLS_SERVER_KEY = "${name}"`);
      expect(await install(home, extension('auto'), '--name', 'k', '--no-verify')).toMatchObject({ code: 0 });
      expect(configOf(home).match(/AGENTTOOLS_SERVER_KEY/g)).toHaveLength(1);
    });
  });

  test('passes a long key to an existing server that AgentTools starts, and to no other', async () => {
    const home = newHome();
    const name = 'the-memory-with-a-name-that-is-long';
    const words = [recordings.urlOf('memory'), '--name', name, '--no-verify'];
    await install(home, ...words, '--adapt');
    expect(configOf(home)).toContain(`AGENTTOOLS_SERVER_KEY = "${name}"`);
    await install(home, ...words, '--force');
    expect(configOf(home)).not.toContain('AGENTTOOLS_SERVER_KEY');
  });

  test('refuses an unknown mode', async () => {
    const { code, stderr } = await install(newHome(), recordings.urlOf('memory'), '--adapt=some');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--adapt is auto, on or off, not "some".'),
    });
  });
});
