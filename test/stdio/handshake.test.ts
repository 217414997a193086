import { describe, expect, test } from 'vitest';
import { fixture, type Message } from '../support/program.js';
import { serveHere } from '../support/serving-here.js';
import { call, handshakeVersions, legacy, modern } from './support/messages.js';

const weather = fixture('weather/weather');
const workshop = fixture('stdio-workshop');

const namesIn = (list: readonly Message[]) => list.map(({ name }) => name);

describe.concurrent.each(handshakeVersions)('a client of %s', (version) => {
  test('gets its version, who we are, how to use us and what there is', async () => {
    const program = serveHere(weather);
    expect(await program.initialize(version)).toEqual({
      protocolVersion: version,
      capabilities: {
        tools: {},
        prompts: {},
        // A template lists what it holds, which may be other things any moment.
        resources: { listChanged: true },
        completions: {},
        logging: {},
      },
      serverInfo: {
        name: '@acme/weather/weather',
        title: 'Acme Weather',
        description: 'Forecasts and alerts for made-up places.',
        version: '1.2.0',
      },
      instructions: 'Ask the stations resource for the places that exist before calling forecast.',
    });
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  });

  test('lists, calls, gets, reads and completes', async () => {
    const program = serveHere(weather);
    await program.initialize(version);
    expect(namesIn((await program.request('tools/list')).tools)).toEqual(['forecast', 'alerts', 'compare']);
    expect(namesIn((await program.request('prompts/list')).prompts)).toEqual(['briefing', 'packing-list']);
    const { resources } = await program.request('resources/list');
    expect(namesIn(resources)).toEqual(['stations', 'Ostwick', 'Port Sable', 'High Fell']);
    const { resourceTemplates } = await program.request('resources/templates/list');
    expect(namesIn(resourceTemplates)).toEqual(['station']);

    const { structuredContent } = await program.call('forecast', { place: 'Ostwick' });
    expect(structuredContent).toMatchObject({ place: 'Ostwick', unit: 'celsius' });
    const place = { place: 'Port Sable' };
    expect(
      (await program.request('prompts/get', { name: 'packing-list', arguments: place })).messages,
    ).toHaveLength(3);
    const { contents } = await program.request('resources/read', { uri: 'weather://stations/Port%20Sable' });
    expect(JSON.parse(contents[0].text)).toMatchObject({ name: 'Port Sable' });
    const ref = { type: 'ref/resource', uri: 'weather://stations/{name}' };
    const { completion } = await program.request('completion/complete', {
      ref,
      argument: { name: 'name', value: 'o' },
    });
    expect(completion.values).toEqual(['Ostwick']);
    expect(await program.request('ping')).toEqual({});
    expect(await program.request('logging/setLevel', { level: 'error' })).toEqual({});
    expect((await program.request('no/such/method')).code).toBe(-32601);
    expect(program.messages.some(({ result }) => result && 'resultType' in result)).toBe(false);
    await program.end();
  });

  test('gets content in the kinds it knows', async () => {
    const program = serveHere(workshop);
    await program.initialize(version);
    const { content } = await program.call('blocks');
    const audio = version < '2025-03-26' ? 'text' : 'audio';
    const link = version < '2025-06-18' ? 'text' : 'resource_link';
    expect(content.map(({ type }: Message) => type)).toEqual([audio, link]);
    expect((await program.call('list')).structuredContent).toEqual({ result: [1, 2, 3] });
    await program.end();
  });
});

describe.concurrent('a client of 2026-07-28', () => {
  test('discovers what there is without a handshake', async () => {
    const program = serveHere(weather);
    const { result } = await program.ask(modern(1, 'server/discover'));
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
      instructions: expect.stringContaining('stations'),
      ttlMs: expect.any(Number),
      cacheScope: expect.stringMatching(/^(public|private)$/),
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: '@acme/weather/weather', version: '1.2.0' } },
    });
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
  });

  test('lists, calls, gets, reads and completes, with resultType "complete" in every result', async () => {
    const program = serveHere(weather);
    const ask = async (method: string, params: object = {}) =>
      (await program.ask(modern(program.freshId(), method, { ...params }))).result;
    expect(namesIn((await ask('tools/list')).tools)).toEqual(['forecast', 'alerts', 'compare']);
    expect(namesIn((await ask('prompts/list')).prompts)).toEqual(['briefing', 'packing-list']);
    expect((await ask('resources/list')).resources).toHaveLength(4);
    expect((await ask('resources/templates/list')).resourceTemplates).toHaveLength(1);
    const called = await ask('tools/call', { name: 'forecast', arguments: { place: 'Ostwick' } });
    expect(called.structuredContent).toMatchObject({ place: 'Ostwick' });
    await ask('prompts/get', { name: 'briefing', arguments: { place: 'Ostwick' } });
    await ask('resources/read', { uri: 'weather://stations' });
    const ref = { type: 'ref/prompt', name: 'packing-list' };
    const { completion } = await ask('completion/complete', { ref, argument: { name: 'place', value: '' } });
    expect(completion.values).toEqual(['Ostwick', 'Port Sable', 'High Fell']);
    expect(program.messages.map(({ result }) => result.resultType)).toEqual(
      program.messages.map(() => 'complete'),
    );
    await program.end();
  });

  test('gets a structured result that is no object as it is', async () => {
    const program = serveHere(workshop);
    const { result } = await program.ask(modern(1, 'tools/call', { name: 'list', arguments: {} }));
    expect(result.structuredContent).toEqual([1, 2, 3]);
    await program.end();
  });

  test('gets an error for an unsupported version in every request', async () => {
    const program = serveHere(weather);
    for (const id of [1, 2]) {
      const { error } = await program.ask(modern(id, 'tools/list', { version: '2031-01-01' }));
      expect(error).toMatchObject({
        code: -32022,
        data: { supported: ['2026-07-28'], requested: '2031-01-01' },
      });
      expect((await program.ask(modern(`${id}`, 'tools/list'))).result.tools).toHaveLength(3);
    }
    await program.end();
  });

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'no/such/method',
  ])('has no method %s', async (method) => {
    const program = serveHere(weather);
    expect((await program.ask(modern(1, method))).error.code).toBe(-32601);
    await program.end();
  });
});

describe.concurrent('one connection', () => {
  test('serves both eras at once, each answer in the manner of its request', async () => {
    const program = serveHere(workshop);
    program.send(modern('m1', 'tools/call', { name: 'hold', arguments: { key: 'modern' } }));
    await program.said('<hold modern>');
    await program.initialize('2025-06-18');
    program.send(call('l1', 'hold', { key: 'legacy' }));
    await program.said('<hold legacy>');
    expect(
      (await program.ask(modern('m2', 'tools/call', { name: 'release', arguments: { key: 'legacy' } })))
        .result,
    ).toBeDefined();
    expect((await program.next('l1')).result).toEqual({
      content: [{ type: 'text', text: 'released legacy' }],
    });
    await program.call('release', { key: 'modern' });
    expect((await program.next('m1')).result).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: 'released modern' }],
    });
    const facts = async (message: { readonly id: unknown }) =>
      (await program.ask(message)).result.structuredContent;
    expect(await facts(modern('m3', 'tools/call', { name: 'facts' }))).toMatchObject({
      protocolVersion: '2026-07-28',
    });
    expect(await facts(call('l2', 'facts'))).toMatchObject({ protocolVersion: '2025-06-18' });
    await program.end();
  });

  test('answers a second initialize afresh and goes on by it', async () => {
    const program = serveHere(workshop);
    expect((await program.initialize('2025-11-25')).protocolVersion).toBe('2025-11-25');
    expect((await program.initialize('2025-03-26', { elicitation: {} })).protocolVersion).toBe('2025-03-26');
    const { structuredContent } = await program.call('facts');
    expect(structuredContent).toMatchObject({ protocolVersion: '2025-03-26', elicitation: true });
    program.send('[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]');
    await program.next('b');
    expect(JSON.parse(program.lines.at(-1) ?? '')).toHaveLength(2);
    await program.end();
  });

  test.each(['2026-07-28', '2024-10-07', '1999-01-01', ''])(
    'offers 2025-11-25 to an initialize at "%s"',
    async (version) => {
      const program = serveHere(weather);
      expect((await program.initialize(version)).protocolVersion).toBe('2025-11-25');
      await program.end();
    },
  );

  test('explains both ways to begin in an early request, answers ping, and does not set the era', async () => {
    const program = serveHere(weather);
    const { error } = await program.ask(legacy(1, 'tools/list'));
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/initialize.*_meta/) });
    expect((await program.ask(legacy(2, 'ping'))).result).toEqual({});
    expect((await program.ask(modern(3, 'tools/list'))).result.tools).toHaveLength(3);
    expect((await program.initialize('2024-11-05')).protocolVersion).toBe('2024-11-05');
    await program.end();
  });

  test('has a list of every kind, empty where there is nothing, and claims no more than there is', async () => {
    const program = serveHere(workshop);
    expect((await program.initialize()).capabilities).toEqual({ tools: {}, logging: {} });
    const lists = {
      'prompts/list': 'prompts',
      'resources/list': 'resources',
      'resources/templates/list': 'resourceTemplates',
    };
    for (const [method, key] of Object.entries(lists)) {
      expect((await program.request(method))[key]).toEqual([]);
      const { result } = await program.ask(modern(method, method));
      expect(result).toMatchObject({
        [key]: [],
        resultType: 'complete',
        ttlMs: expect.any(Number),
        cacheScope: expect.any(String),
      });
    }
    await program.end();
  });

  test('answers what does not exist on the protocol level, in the number of the era', async () => {
    const program = serveHere(weather);
    await program.initialize();
    expect((await program.call('nope')).code).toBe(-32602);
    expect((await program.request('prompts/get', { name: 'nope' })).code).toBe(-32602);
    const uri = 'weather://nowhere';
    expect(await program.request('resources/read', { uri })).toMatchObject({ code: -32002, data: { uri } });
    expect((await program.ask(modern(1, 'resources/read', { uri }))).error).toMatchObject({
      code: -32602,
      data: { uri },
    });
    expect((await program.ask(modern(2, 'tools/call', { name: 'nope' }))).error.code).toBe(-32602);
    await program.end();
  });

  test('reports wrong arguments to the model, and a wrong envelope to the client', async () => {
    const program = serveHere(weather);
    await program.initialize();
    const wrong = await program.call('forecast', { place: 'Ostwick', days: 'many' });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('days') }] });
    const list = await program.request('tools/call', { name: 'forecast', arguments: [] });
    expect(list).toMatchObject({ code: -32602, message: expect.stringContaining('arguments') });
    await program.end();
  });
});
