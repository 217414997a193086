import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { workspaceFolders } from '../../../../src/engine/base/folders.js';
import { Workspace } from '../../../../src/engine/extension/workspace.js';
import { Service } from '../../../../src/engine/serve/http/http-service.js';
import { serveNodeHttp } from '../../../../src/engine/serve/http/node-server.js';
import { serveDefinition } from '../../../../src/engine/serve/http/serve-definition.js';
import { limitBacklog, onStreamEnd } from '../../../../src/engine/serve/http/stream-backlog.js';
import { defineServer } from '../../../../src/index.js';
import type { Message } from '../../../support/program.js';

const frame = (name: string, bytes = 8) => new TextEncoder().encode(name.padEnd(bytes));

/** An answer whose frames are written by hand. */
function written(): {
  readonly answer: Response;
  readonly writer: ReadableStreamDefaultController<Uint8Array>;
  readonly left: Promise<void>;
} {
  let writer!: ReadableStreamDefaultController<Uint8Array>;
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      writer = controller;
    },
    cancel: () => leave(),
  });
  const answer = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  return { answer, writer, left };
}

const mebibyte = 2 ** 20;

const namesOf = (text: string) => text.split(/ +/).filter((name) => name !== '');

describe('a stream', () => {
  test('reaches its reader as it is written', async () => {
    const { answer, writer } = written();
    const text = limitBacklog(answer, 'end').text();
    for (const name of ['a', 'b', 'c']) writer.enqueue(frame(name));
    writer.close();
    expect(namesOf(await text)).toEqual(['a', 'b', 'c']);
  });

  test('ends after its backlog if it is not read', async () => {
    const { answer, writer, left } = written();
    const stream = limitBacklog(answer, 'end');
    for (const name of ['a', 'b', 'c']) writer.enqueue(frame(name, mebibyte));
    await left;
    expect(namesOf(await stream.text())).toEqual(['a']);
  });

  test('keeps the end of an unread call, and skips the rest', async () => {
    const { answer, writer } = written();
    const stream = limitBacklog(answer, 'skip');
    for (const name of ['a', 'b', 'c', 'result']) writer.enqueue(frame(name, mebibyte));
    writer.close();
    await new Promise<void>((resolve) => onStreamEnd(stream, resolve));
    expect(namesOf(await stream.text())).toEqual(['a', 'result']);
  });

  test('goes on with the latest once it is read again', async () => {
    const { answer, writer } = written();
    const reader = limitBacklog(answer, 'skip').body!.getReader();
    const read = async () => namesOf(new TextDecoder().decode((await reader.read()).value))[0];
    for (const name of ['a', 'b', 'c']) writer.enqueue(frame(name, mebibyte));
    // A turn in which what was written is taken.
    await new Promise((resolve) => setImmediate(resolve));
    expect([await read(), await read()]).toEqual(['a', 'c']);
    writer.enqueue(frame('d'));
    expect(await read()).toBe('d');
    await reader.cancel();
  });

  test('reports its end once, also to later listeners', async () => {
    const { answer, writer } = written();
    const stream = limitBacklog(answer, 'end');
    const told: string[] = [];
    onStreamEnd(stream, () => told.push('first'));
    writer.close();
    await stream.text();
    onStreamEnd(stream, () => told.push('second'));
    expect(told).toEqual(['first', 'second']);
  });

  test('fails with its source', async () => {
    const { answer, writer } = written();
    const stream = limitBacklog(answer, 'end');
    const done = new Promise<void>((resolve) => onStreamEnd(stream, resolve));
    writer.error(new Error('broken'));
    await expect(stream.text()).rejects.toThrow('broken');
    await done;
  });

  test('ends with its signal', async () => {
    const { answer, writer, left } = written();
    const controller = new AbortController();
    const stream = onStreamEnd(limitBacklog(answer, 'end'), () => {}, controller.signal);
    writer.enqueue(frame('a'));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await left;
    expect(namesOf(await stream.text())).toEqual(['a']);
  });
});

test('a client that takes nothing of what it is sent is left', async () => {
  let seen = () => {};
  const aborted = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const served = await serveDefinition(
    defineServer({
      tools: [
        {
          name: 'talk',
          description: 'Talks until nobody is there.',
          async handler(_: unknown, { progress, signal }: Message) {
            signal.addEventListener('abort', seen);
            for (let step = 1; !signal.aborted; step += 1) {
              progress(step, { message: 'x'.repeat(mebibyte) });
              await new Promise((resolve) => setImmediate(resolve));
            }
          },
        },
      ],
    }),
    {
      workspace: new Workspace({
        ...workspaceFolders({ cwd: '/', env: {}, home: '/', platform: 'linux' }),
        cwd: '/',
      }),
      env: {},
      report: () => {},
      directory: '/',
    },
  );
  const service = new Service({ served, report: () => {} });
  const listening = await serveNodeHttp(service, { host: '127.0.0.1', port: 0, readTimeoutMs: 100 });
  const socket = connect(listening.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    progressToken: 1,
  };
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'talk', _meta },
  });
  const headers = {
    Host: '127.0.0.1',
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'talk',
    'Content-Length': Buffer.byteLength(body),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST / HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  await aborted;
  socket.destroy();
  await listening.drain(0);
});
