import type { ChildProcess } from 'node:child_process';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  bareEnvironment,
  eventually,
  fixture,
  isAlive,
  type Message,
  programFile,
} from '../support/program.js';

const weather = fixture('weather/weather');
const workshop = fixture('stdio-workshop');

const command = (server: string) => ({
  command: process.execPath,
  args: [programFile, 'start', server],
  env: bareEnvironment(),
  stderr: 'pipe' as const,
});

/** A client of either SDK, as far as they are alike. */
interface AnyClient {
  readonly client: Message;
  readonly pid: number;
  /** The process of the server, which the client holds. */
  readonly child: ChildProcess;
  readonly stderr: () => string;
}

const open = new Set<AnyClient>();
afterEach(async () => {
  for (const { client } of open) await client.close();
  open.clear();
});

function opened(
  client: Message,
  transport: StdioClientTransport | StdioClientTransportV1,
  said: readonly unknown[],
): AnyClient {
  const { _process: child } = transport as unknown as { readonly _process: ChildProcess };
  const one = { client, pid: Number(transport.pid), child, stderr: () => said.join('') };
  open.add(one);
  return one;
}

function connectV2(versionNegotiation: NonNullable<ClientOptions['versionNegotiation']>) {
  return async (server: string): Promise<AnyClient> => {
    const transport = new StdioClientTransport(command(server));
    const said: unknown[] = [];
    transport.stderr?.on('data', (chunk) => said.push(chunk));
    const client = new Client({ name: 'interop', version: '1.0.0' }, { versionNegotiation });
    await client.connect(transport);
    return opened(client, transport, said);
  };
}

async function connectV1(server: string): Promise<AnyClient> {
  const transport = new StdioClientTransportV1(command(server));
  const said: unknown[] = [];
  transport.stderr?.on('data', (chunk) => said.push(chunk));
  const client = new ClientV1({ name: 'interop', version: '1.0.0' });
  await client.connect(transport as never);
  return opened(client, transport, said);
}

/** The official clients, and the revision each of them speaks to us. */
const clients = {
  'v2, legacy': { connect: connectV2({ mode: 'legacy' }), version: '2025-11-25' },
  'v2, auto': { connect: connectV2({ mode: 'auto' }), version: '2026-07-28' },
  'v2, pinned': { connect: connectV2({ mode: { pin: '2026-07-28' } }), version: '2026-07-28' },
  v1: { connect: connectV1, version: '2025-11-25' },
} as const;

describe.each(Object.entries(clients))('the official client (%s)', (_, { connect, version }) => {
  let forecaster: AnyClient;
  let worker: AnyClient;

  beforeAll(async () => {
    [forecaster, worker] = await Promise.all([connect(weather), connect(workshop)]);
    for (const one of [forecaster, worker]) open.delete(one);
  });

  afterAll(async () => {
    for (const { client } of [forecaster, worker]) await client.close();
  });

  test('learns who we are', async () => {
    const { client, stderr } = forecaster;
    expect(client.getServerVersion()).toMatchObject({
      name: '@acme/weather/weather',
      title: 'Acme Weather',
      version: '1.2.0',
    });
    expect(client.getServerCapabilities()).toMatchObject({
      tools: {},
      prompts: {},
      resources: {},
      completions: {},
      logging: {},
    });
    expect(client.getInstructions()).toMatch(/stations/);
    expect(stderr()).toBe('');
  });

  test('uses tools', async () => {
    const { client } = forecaster;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }: Message) => name)).toEqual(['forecast', 'alerts', 'compare']);
    // The client checks structured content against the output schema it listed.
    const { structuredContent } = await client.callTool({
      name: 'forecast',
      arguments: { place: 'Ostwick', days: 2 },
    });
    expect(structuredContent).toMatchObject({ place: 'Ostwick', days: [{ day: 1 }, { day: 2 }] });
    expect(await client.callTool({ name: 'forecast', arguments: { place: 'Atlantis' } })).toMatchObject({
      isError: true,
    });
    expect(await client.callTool({ name: 'forecast', arguments: { days: 2 } })).toMatchObject({
      isError: true,
    });
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  test('uses prompts, resources, templates and completion', async () => {
    const { client } = forecaster;
    expect((await client.listPrompts()).prompts).toHaveLength(2);
    const { messages } = await client.getPrompt({ name: 'briefing', arguments: { place: 'High Fell' } });
    expect(messages[0].content.text).toContain('High Fell');
    await expect(client.getPrompt({ name: 'briefing', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    expect((await client.listResources()).resources).toHaveLength(4);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    const { contents } = await client.readResource({ uri: 'weather://stations' });
    expect(JSON.parse(contents[0].text)).toHaveLength(3);
    // The newer client turns the older number into the newer one.
    const code = client instanceof ClientV1 ? -32002 : -32602;
    await expect(client.readResource({ uri: 'weather://nowhere' })).rejects.toMatchObject({ code });
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'packing-list' },
      argument: { name: 'place', value: 'Port' },
    });
    expect(completion.values).toContain('Port Sable');
  });

  test('receives progress', async () => {
    const { client } = worker;
    const heard: Message[] = [];
    const options = { onprogress: (progress: Message) => heard.push(progress) };
    const params = { name: 'steps', arguments: { count: 3, key: 'a' } };
    const call =
      client instanceof ClientV1
        ? client.callTool(params, undefined, options)
        : client.callTool(params, options);
    // The older client drops progress that it reads together with the answer.
    await eventually(() => heard.length === 3, 'all progress has been heard');
    expect(heard).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    await client.callTool({ name: 'release', arguments: { key: 'a' } });
    expect(await call).toMatchObject({ content: [{ text: 'released a' }] });
  });

  test('cancels', async () => {
    const { client, stderr } = worker;
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const params = { name: 'hold', arguments: { key: 'b' } };
    const call =
      client instanceof ClientV1
        ? client.callTool(params, undefined, options)
        : client.callTool(params, options);
    const refused = expect(call).rejects.toThrow();
    await eventually(() => stderr().includes('<hold b>'), 'the call has begun');
    controller.abort(new Error('enough'));
    await refused;
    await eventually(() => stderr().includes('<aborted b>'), 'the call has been aborted');
    expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({
      content: [{ text: '{}' }],
    });
  });

  test('sends its name and version', async () => {
    const { client } = worker;
    const { structuredContent } = await client.callTool({ name: 'facts', arguments: {} });
    expect(structuredContent).toMatchObject({
      protocolVersion: version,
      client: { name: 'interop', version: '1.0.0' },
    });
  });

  test('has many calls under way', async () => {
    const { client } = worker;
    const calls = Array.from({ length: 50 }, (_, n) => client.callTool({ name: 'echo', arguments: { n } }));
    const texts = (await Promise.all(calls)).map(({ content }: Message) => content[0].text);
    expect(texts).toEqual(texts.map((_, n) => `{"n":${n}}`));
  });

  test('closes without having to kill', async () => {
    const { client, pid, child } = await connect(workshop);
    await client.callTool({ name: 'echo', arguments: {} });
    // The client itself counts the two seconds from the end of the input to its signal.
    const kill = vi.spyOn(child, 'kill');
    await client.close();
    await eventually(() => !isAlive(pid), 'the server is gone');
    expect(kill).not.toHaveBeenCalled();
  });
});

describe('log messages reach the official client', () => {
  const levelsHeard = async ({ client }: AnyClient, ask: () => Promise<unknown>) => {
    const heard: unknown[] = [];
    const hear = ({ params }: Message) => void heard.push(params.level);
    if (client instanceof ClientV1) {
      const { LoggingMessageNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
      client.setNotificationHandler(LoggingMessageNotificationSchema, hear);
    } else {
      client.setNotificationHandler('notifications/message', hear);
    }
    await ask();
    return heard;
  };

  test.each(['v2, legacy', 'v1'] as const)('from the level it sets (%s)', async (name) => {
    const one = await clients[name].connect(workshop);
    await one.client.setLoggingLevel('warning');
    const say = async () => await one.client.callTool({ name: 'say', arguments: {} });
    expect(await levelsHeard(one, say)).toEqual(['warning', 'error']);
  });

  test('from the level its request names (v2, pinned)', async () => {
    const one = await clients['v2, pinned'].connect(workshop);
    const _meta = { 'io.modelcontextprotocol/logLevel': 'error' };
    const say = async () => await one.client.callTool({ name: 'say', arguments: {}, _meta });
    expect(await levelsHeard(one, say)).toEqual(['error']);
  });
});
