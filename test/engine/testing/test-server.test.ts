import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../src/testing.js';
import { writePackage } from '../../support/packages.js';

const tools = `export default {
  greet: { description: 'Greets.', input: { name: 'string' }, handler: ({ name }) => 'Hello, ' + name + '!' },
  ask: { description: 'Asks.', handler: async (args, ctx) => (await ctx.elicit('Which city?', { city: 'string' })).action },
  work: { description: 'Works.', handler: (args, ctx) => { ctx.log.info('on it'); console.log('printed'); return process.env.PLACE + ctx.options.unit; } },
};`;

const directory = () =>
  writePackage({ tools: ['greet', 'ask', 'work'] }, { 'agenttools/tools.js': tools } as never);

describe.each(['legacy', 'modern'] as const)('a test server for a client of the %s era', (era) => {
  test('calls tools, answers questions and records notifications', async () => {
    await using server = await startTestServer<{
      greet: { arguments: { name: string }; output: unknown };
      ask: { arguments: object; output: unknown };
      work: { arguments: object; output: unknown };
    }>(directory(), {
      era,
      user: { elicit: [{ question: 'city', accept: { city: 'Rome' } }] },
      env: { PLACE: 'here ' },
      options: { work: { unit: 'm' } },
    });
    expect((await server.listTools()).map(({ name }) => name)).toEqual(['greet', 'ask', 'work']);
    expect((await server.callTool('greet', { name: 'Ada' })).text).toBe('Hello, Ada!');
    expect((await server.callTool('ask')).text).toBe('accept');
    expect(server.questions.map(({ text }) => text)).toEqual(['Which city?']);
    server.answer({ elicit: [{ decline: true }] });
    expect((await server.callTool('ask')).text).toBe('decline');
    expect((await server.callTool('work')).text).toBe('here m');
    expect((await server.waitForNotification('notifications/message')).params).toMatchObject({
      data: 'on it',
    });
    await expect.poll(() => server.stderr).toContain('printed');
    await expect(server.request('tools/call', { name: 'nope' })).rejects.toMatchObject({ code: -32602 });
  });
});

test('an existing server is started by its command', async () => {
  const script = path.resolve(import.meta.dirname, '../../support/scripted-upstream.mjs');
  const server = await startTestServer({ command: process.execPath, args: [script] });
  expect(Array.isArray(await server.listTools())).toBe(true);
  await server.close();
});

test('a server that cannot be found is an error', async () => {
  await expect(startTestServer('./nowhere/at/all')).rejects.toThrow('There is no folder ');
});
