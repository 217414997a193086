import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectHttp } from '../support/http-client.js';
import { type HttpProgram, startHttp, startProxy } from '../support/http-program.js';
import type { Message } from '../support/program.js';
import { writeTellingServer } from '../support/telling-server.js';

/** Passes each line on to everybody, as a broker does. */
async function startHub(): Promise<{ readonly port: number; readonly server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (line) => {
      for (const other of sockets) other.write(line);
    });
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}

/** A server that tells which process answers, and beside it what docs/deploy.md does with a broker, done with a socket. */
const directory = writeTellingServer({
  'bus.js': `import { connect } from 'node:net';
    export default () => {
      const listeners = new Set();
      const socket = connect(Number(process.env.HUB_PORT), '127.0.0.1');
      let rest = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        const lines = (rest + chunk).split('\\n');
        rest = lines.pop();
        for (const line of lines) for (const listener of listeners) listener(JSON.parse(line));
      });
      return {
        publish: (event) => void socket.write(JSON.stringify(event) + '\\n'),
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      };
    };`,
});

describe('two processes behind a proxy', () => {
  let programs: readonly HttpProgram[] = [];
  let hub: Awaited<ReturnType<typeof startHub>>;

  beforeAll(async () => {
    hub = await startHub();
    const options = {
      flags: ['--event-bus', path.join(directory, 'bus.js')],
      env: {
        HUB_PORT: String(hub.port),
        AGENTTOOLS_STATE_SECRET: 'one secret that both of them are told',
      },
    };
    programs = await Promise.all([startHttp(directory, options), startHttp(directory, options)]);
  });

  afterAll(() => {
    hub.server.close();
  });

  /** Every request goes to the other one. */
  async function roundRobin() {
    let turn = 0;
    return await startProxy(() => {
      turn += 1;
      return { port: programs[turn % 2]!.port };
    });
  }

  const textOf = (result: unknown): string => (result as Message).content[0].text;

  test('take each request of 2026-07-28, whichever it comes to', async () => {
    const { url, counts } = await roundRobin();
    const client = await connectHttp(url, { mode: 'pinned' });
    const pids = new Set<string>();
    for (let call = 0; call < 4; call += 1) pids.add(textOf(await client.callTool({ name: 'pid' })));
    expect(pids).toEqual(new Set(programs.map(({ child }) => String(child.pid))));
    expect([...counts.values()].every((count) => count >= 2)).toBe(true);
  });

  test('go on with questions that the other one asked', async () => {
    const { url, counts } = await roundRobin();
    const asked: string[] = [];
    const client = await connectHttp(url, {
      mode: 'pinned',
      client: { capabilities: { elicitation: { form: {} } } },
      answers: {
        'elicitation/create': ({ message }) => {
          asked.push(message);
          return { action: 'accept', content: { value: message === 'to?' ? 'Rome' : 'train' } };
        },
      },
    });
    const before = [...counts.values()].reduce((sum, count) => sum + count, 0);
    // Three rounds: the one that ends the call is the first one's again, and the step was done by that.
    expect(textOf(await client.callTool({ name: 'trip' }))).toBe('Rome by train true');
    expect([...counts.values()].reduce((sum, count) => sum + count, 0) - before).toBe(3);
    expect(asked).toEqual(['to?', 'by?']);
  });

  test('notify subscribers of one process about changes in the other', async () => {
    const { url } = await roundRobin();
    const heard: string[] = [];
    const listener = await connectHttp(programs[0]!.url, {
      mode: 'pinned',
      prepare: (client) => {
        client.setNotificationHandler(
          'notifications/resources/updated',
          ({ params }) => void heard.push(params.uri),
        );
        client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'));
      },
    });
    const subscription = await listener.listen({
      toolsListChanged: true,
      resourceSubscriptions: ['clock://time'],
    });
    const old = await connectHttp(programs[1]!.url, {
      mode: 'legacy',
      prepare: (client) =>
        client.setNotificationHandler(
          'notifications/tools/list_changed',
          () => void heard.push('tools, too'),
        ),
    });
    const caller = await connectHttp(url, { mode: 'pinned' });
    const tellers = new Set([
      textOf(await caller.callTool({ name: 'tick' })),
      textOf(await caller.callTool({ name: 'tick' })),
    ]);
    expect(tellers.size).toBe(2);
    await expect
      .poll(() => [...heard].sort())
      .toEqual(['clock://time', 'clock://time', 'tools', 'tools', 'tools, too', 'tools, too']);
    await subscription.close();
    await old.close();
  });

  test('keep sessions of 2025-11-25 if the proxy routes them by their id', async () => {
    let turn = 0;
    const homes = new Map<string, number>();
    const { url, counts } = await startProxy(({ headers }) => {
      const known = homes.get(String(headers['mcp-session-id']));
      if (known !== undefined) return { port: known };
      turn += 1;
      const { port } = programs[turn % 2]!;
      return {
        port,
        answered: (answer) => {
          const id = answer.headers['mcp-session-id'];
          if (typeof id === 'string') homes.set(id, port);
        },
      };
    });
    const clients = [await connectHttp(url, { mode: 'legacy' }), await connectHttp(url, { mode: 'legacy' })];
    for (const expected of ['1', '2', '3']) {
      for (const client of clients) expect(textOf(await client.callTool({ name: 'visits' }))).toBe(expected);
    }
    expect(counts.size).toBe(2);
  });
});
