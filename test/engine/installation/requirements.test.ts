import { expect, test } from 'vitest';
import { checkRequirements, type RequirementInputs } from '../../../src/engine/installation/requirements.js';
import { compose, composeLive } from '../../support/session.js';

/** Tools by name, each with what it requires; they do nothing. */
async function check(
  needs: Readonly<Record<string, unknown>>,
  { prompts = {}, ...facts }: Partial<RequirementInputs> & { readonly prompts?: object } = {},
) {
  const tools = Object.fromEntries(
    Object.entries(needs).map(([name, requires]) => [name, { requires, handler: () => 1 }]),
  );
  const { spec } = await composeLive({ tools, prompts: prompts as Record<string, object> });
  return await checkRequirements(spec, { capabilities: {}, entryEnv: {}, env: { PATH: '' }, ...facts });
}

const suggested = { level: 'suggested' };

test('all tools that miss the same thing are named in one sentence', async () => {
  const program = { bin: ['no-such-program'], ...suggested };
  expect(await check({ a: program, b: program, c: { env: ['KEY'], ...suggested }, d: program })).toEqual({
    missing: [],
    warnings: [
      'The tools "a", "b" and "d" need the program "no-such-program", which is not on the PATH. Install what is missing, or put it on the PATH.',
      'The tool "c" needs the environment variable KEY, which is not set. Give it with: --env KEY=<value>',
    ],
  });
});

test('prompts are named beside them', async () => {
  const requires = { env: ['KEY'] };
  const { missing } = await check({ a: requires }, { prompts: { p: { requires, content: 'x' } } });
  expect(missing).toEqual([
    'The tool "a" and the prompt "p" need the environment variable KEY, which is not set. Give it with: --env KEY=<value>',
  ]);
});

test('combines the requirements of tools with the same ones', async () => {
  const requires = { env: ['A', ['B', 'C']], client: ['sampling'] };
  const { missing } = await check({ x: requires, y: requires }, { capabilities: { sampling: false } });
  expect(missing).toEqual([
    'The tools "x" and "y" need the client capability "sampling", which this client does not have.',
    'The tools "x" and "y" need the environment variable A, which is not set, and one of the environment variables B or C, none of which is set. Give it with: --env A=<value> --env B=<value>',
  ]);
});

test('combines requirements with the same fix in one sentence', async () => {
  const { missing } = await check({
    x: { env: ['A'] },
    y: { env: ['B'] },
    z: { bin: [['no-such', 'nor-this']] },
  });
  expect(missing).toEqual([
    'The tool "x" needs the environment variable A, which is not set; the tool "y" needs the environment variable B, which is not set. Give it with: --env A=<value> --env B=<value>',
    'The tool "z" needs one of the programs "no-such" or "nor-this", none of which is on the PATH. Install what is missing, or put it on the PATH.',
  ]);
});

test('suggests both fixes to a tool without its variable and program', async () => {
  const { missing } = await check({ x: { env: ['A'], bin: ['no-such'] } });
  expect(missing).toEqual([
    expect.stringMatching(/needs the environment variable A.*Give it with: --env A=<value>$/),
    expect.stringMatching(/needs the program "no-such".*Install what is missing, or put it on the PATH\.$/),
  ]);
});

test('reports a requirement and a suggestion separately', async () => {
  expect(await check({ x: { env: ['A'] }, y: { env: ['A'], ...suggested } })).toEqual({
    missing: [expect.stringContaining('The tool "x" needs')],
    warnings: [expect.stringContaining('The tool "y" needs')],
  });
});

test.each([
  ['in the entry', { entryEnv: { B: 'x' } }, []],
  ['in the entry, though the shell has another', { entryEnv: { B: 'x' }, env: { A: 'x' } }, []],
  [
    'in the shell only',
    { env: { B: 'x' } },
    ['The tools "x" and "y" need B, which this shell has, but the client may not. Pass it on with: --env B'],
  ],
])('accepts one of several variables: %s', async (_, facts, warnings) => {
  const requires = { env: [['A', 'B']] };
  expect(await check({ x: requires, y: requires }, facts)).toEqual({ missing: [], warnings });
});

const place = { command: 'npx', args: ['-y', 'it'], env: { KEY: '$' + '{THEIR_KEY}' } };

async function checkFiles(tools: unknown, env: Readonly<Record<string, string>> = {}) {
  const upstream = JSON.stringify({ description: 'It.', upstream: { ...place, tool: 'it' } });
  const { spec } = await compose(
    { servers: ['main'], tools: ['a', 'b'] },
    {
      'agenttools/servers/main.json': { tools },
      'agenttools/tools/a.json': upstream,
      'agenttools/tools/b.json': upstream,
    },
  );
  return await checkRequirements(spec, { capabilities: {}, entryEnv: {}, env });
}

const given = 'The server gives THEIR_KEY to the program npx -y it.';

test('reports the variable of an existing server once for all its tools', async () => {
  expect(await checkFiles(['a', 'b'])).toEqual({
    missing: [],
    warnings: [
      'The tools "a" and "b" need the environment variable THEIR_KEY, which is not set. Give it with: --env THEIR_KEY=<value>',
      given,
    ],
  });
  expect((await checkFiles(['a', 'b'], { THEIR_KEY: 'x' })).warnings).toEqual([
    'The tools "a" and "b" need THEIR_KEY, which this shell has, but the client may not. Pass it on with: --env THEIR_KEY',
    given,
  ]);
});

test('reports the variable of a server listed in parts once', async () => {
  const part = (only: string) => ({ upstream: place, only: [only] });
  expect((await checkFiles([part('x'), part('y')])).warnings).toEqual([
    expect.stringMatching(/^The tools of .* need the environment variable THEIR_KEY, .*Give it with/),
    given,
  ]);
});

test('reports the hosts that get variables, and plain http to other machines', async () => {
  const at = (url: string, headers: object = {}) => ({ upstream: { url, headers } });
  const { warnings } = await checkFiles([
    at(`https://a.example:8443/mcp?k=\${QUERY}`, { A: `Bearer \${TOKEN:-none}` }),
    at('http://b.example/mcp', { A: `\${TOKEN}` }),
    at('http://c.example/mcp'),
    at('http://127.0.0.1:3000/mcp', { A: `\${TOKEN}` }),
    at(`https://\${HOST}/mcp`, { A: `\${TOKEN}` }),
    at(`http://\${SUB:-api}.d.example/mcp`),
  ]);
  expect(warnings.filter((line) => line.startsWith('The server '))).toEqual([
    'The server sends QUERY, TOKEN to a.example:8443.',
    'The server sends TOKEN to b.example by plain http, which others on the way can read and change.',
    'The server connects to c.example by plain http, which others on the way can read and change.',
    'The server sends TOKEN to 127.0.0.1:3000.',
    `The server sends HOST, TOKEN to \${HOST}.`,
    `The server sends SUB to \${SUB:-api}.d.example by plain http, which others on the way can read and change.`,
  ]);
});
