import { expect, test } from 'vitest';
import { describeShortfall, findShortfall } from '../../../src/engine/runtime/requirements.js';
import { composeLive, openSession } from '../../support/session.js';

const bare = { client: [], env: [], bin: [], level: 'required' } as const;
const env = { PATH: process.env.PATH, TOKEN: 'x' };

test.each([
  ['a client capability', { ...bare, client: ['sampling'] }, /client capability "sampling"/],
  ['an environment variable', { ...bare, env: ['NO_SUCH'] }, /environment variable NO_SUCH/],
  ['a program', { ...bare, bin: ['no-such-program-anywhere'] }, /program "no-such-program-anywhere"/],
  [
    'one of several environment variables',
    { ...bare, env: [['NO_SUCH', 'NOR_THIS', 'NOR_THAT']] },
    /^one of the environment variables NO_SUCH, NOR_THIS or NOR_THAT, none of which is set$/,
  ],
  [
    'one of several programs',
    { ...bare, bin: [['no-such-program', 'nor-this']] },
    /^one of the programs "no-such-program" or "nor-this", none of which is on the PATH$/,
  ],
])('%s that is missing is named', async (_, requires, message) => {
  expect(describeShortfall(await findShortfall(requires, { can: () => false, env }))).toMatch(message);
});

test.each([
  ['what is there', { ...bare, env: ['TOKEN'], bin: ['node'], client: ['sampling'] }],
  ['one of several variables', { ...bare, env: [['NO_SUCH', 'TOKEN']] }],
  ['one of several programs', { ...bare, bin: [['no-such-program', 'node']] }],
  ['what is only suggested', { ...bare, env: ['NO_SUCH'], level: 'suggested' as const }],
])('%s is no shortfall', async (_, requires) => {
  expect(describeShortfall(await findShortfall(requires, { can: () => true, env }))).toBeUndefined();
});

const tools = {
  ask: { requires: ['elicitation'], handler: () => 'asked' },
  either: {
    requires: { env: [['AGENTTOOLS_TEST_NO_SUCH_KEY', 'AGENTTOOLS_TEST_NOR_THIS']] },
    handler: () => 'opened',
  },
  keyed: { requires: { env: ['AGENTTOOLS_TEST_NO_SUCH_KEY'] }, handler: () => 'opened' },
};

test('a tool that the client cannot serve is a failed result for clients of 2025', async () => {
  const session = await openSession(await composeLive({ tools }));
  const result = await session.request('tools/call', { name: 'ask' });
  expect(result).toMatchObject({
    isError: true,
    content: [
      { text: 'Tool "ask" needs the client capability "elicitation", which this client does not have.' },
    ],
  });
});

test('fails with the missing capabilities for clients of 2026-07-28', async () => {
  const session = await openSession(await composeLive({ tools }), { era: 'modern' });
  await expect(session.request('tools/call', { name: 'ask' })).rejects.toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { elicitation: {} } },
  });
});

test('a client that has what is needed is served', async () => {
  const session = await openSession(await composeLive({ tools }), { capabilities: { elicitation: {} } });
  expect(await session.request('tools/call', { name: 'ask' })).toMatchObject({
    content: [{ text: 'asked' }],
  });
});

test('reports a missing environment variable at the call, in either era', async () => {
  for (const era of ['legacy', 'modern'] as const) {
    const session = await openSession(await composeLive({ tools }), { era });
    const result = await session.request('tools/call', { name: 'keyed' });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('not set') }] });
  }
});

test('names the alternatives of a requirement at the call', async () => {
  const session = await openSession(await composeLive({ tools }));
  const text =
    'Tool "either" needs one of the environment variables AGENTTOOLS_TEST_NO_SUCH_KEY or AGENTTOOLS_TEST_NOR_THIS, none of which is set.';
  expect(await session.request('tools/call', { name: 'either' })).toMatchObject({
    isError: true,
    content: [{ text }],
  });
});

test('no name of a capability reaches what all objects inherit', async () => {
  const hostile = {
    x: { requires: ['__proto__.polluted', 'constructor.prototype.polluted'], handler: () => 1 },
  };
  const session = await openSession(await composeLive({ tools: hostile }), { era: 'modern' });
  await expect(session.request('tools/call', { name: 'x' })).rejects.toMatchObject({ code: -32021 });
  expect({}).not.toHaveProperty('polluted');
});

test('reports the missing requirements of a prompt', async () => {
  const prompts = { p: { requires: { env: ['AGENTTOOLS_TEST_NO_SUCH_KEY'] }, content: 'x' } };
  const session = await openSession(await composeLive({ prompts }));
  await expect(session.request('prompts/get', { name: 'p' })).rejects.toMatchObject({
    message: expect.stringContaining('AGENTTOOLS_TEST_NO_SUCH_KEY'),
  });
});
