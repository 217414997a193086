import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';

describe.each(revisions)('a handler (%s)', (revision) => {
  let server: Connected;

  beforeAll(async () => {
    const env = { MCP_TOOL_OPTIONS: '{"facts":{"style":"bold"}}' };
    server = await connect(`${installFixture('authoring')}/context`, { revision, env });
  });

  test('knows who asks, in which revision, and what it is itself [N-77]', async () => {
    expect((await server.call('facts')).structuredContent).toEqual({
      client: { name: 'official', version: '1.0.0' },
      protocolVersion: revision,
      hasRequestId: true,
      server: { name: '@acme/authoring/context', version: '3.1.4' },
      tool: { name: 'facts' },
      options: { style: 'bold', level: 3 },
      hasSession: revision === '2025-11-25',
      auth: null,
    });
  });

  test('provides the same facts to the read function of a resource [N-77]', async () => {
    const { contents } = await server.client.readResource({ uri: 'kit://facts/protocolVersion' });
    expect(contents).toMatchObject([{ text: JSON.stringify(revision) }]);
  });

  test('reports growing progress to requests with a token [N-70, L-101]', async () => {
    // The client drops progress that it reads together with the answer; the pipe does not.
    const params = { name: 'steps', arguments: {} };
    await server.client.callTool(params, { onprogress: () => {} });
    const told = server.heard('notifications/progress').map(({ params }) => params);
    expect(told).toMatchObject([
      { progress: 1, total: 2, message: 'half' },
      { progress: 2, total: 2 },
    ]);
    const before = server.heard('notifications/progress').length;
    await server.call('steps');
    expect(server.heard('notifications/progress')).toHaveLength(before);
  });

  test('sends log messages from the level that the client requested [N-71]', async () => {
    const before = server.heard('notifications/message').length;
    const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    await server.client.callTool({ name: 'talk', arguments: {}, _meta });
    const heard = (await server.hears('notifications/message', before + 2)).slice(before);
    expect(heard).toMatchObject([
      { params: { level: 'info', logger: 'talk', data: { step: 1 } } },
      { params: { level: 'error', logger: 'talk', data: 'a fault' } },
    ]);
  });

  test('is notified when the client cancels [N-72]', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const call = server.client.callTool({ name: 'hold', arguments: {} }, { signal });
    const refused = expect(call).rejects.toThrow();
    // Calls run side by side, so the server answers this one meanwhile.
    const state = async () => (await server.textOf('held')).includes('begun');
    while (!(await state()));
    controller.abort(new Error('enough'));
    await refused;
    while (!(await server.textOf('held')).includes('ended'));
    expect(await server.textOf('held')).toBe('["begun","ended"]');
  });

  test('has its time, and no more', async () => {
    expect(await server.call('slow')).toMatchObject({ isError: true });
    expect(await server.textOf('slow')).toContain('within 0.05 s');
  });

  test('runs after what is to be done once, before the first of all [N-76]', async () => {
    expect((await server.call('begun')).structuredContent).toEqual({ begun: 1 });
  });

  test('may use the other tools of its server, and look at them [N-53]', async () => {
    expect((await server.call('chain')).structuredContent).toEqual({
      begun: 1,
      found: 'A tool called facts.',
    });
  });

  test('has resources changed by an entry like tools [N-25, N-31]', async () => {
    const { resources } = await server.client.listResources();
    expect(resources).toMatchObject([
      { uri: 'kit://about', name: 'renamed', description: 'Told otherwise.' },
    ]);
  });
});
