import { Buffer } from 'node:buffer';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turnEnd } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import {
  type ChannelOptions,
  type ChannelOutput,
  JsonLineChannel,
} from '../../../src/engine/host/json-line-channel.js';

function openChannel(options: Partial<ChannelOptions> = {}) {
  const input = new PassThrough();
  const writes: string[] = [];
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      writes.push(String(chunk));
      done();
    },
  });
  const seen: unknown[] = [];
  const channel = new JsonLineChannel({
    input,
    output,
    onMessage: (message) => seen.push(message),
    onEnd: () => seen.push('end'),
    onFault: (fault) => seen.push(fault),
    ...options,
  });
  return { channel, input, writes, seen };
}

describe('sending', () => {
  test('joins the messages of one turn into one write', async () => {
    const { channel, writes } = openChannel();
    channel.send({ id: 1 });
    await Promise.resolve();
    channel.sendText('{"id":2}');
    await turnEnd();
    channel.send({ id: 3 });
    await turnEnd();
    expect(writes).toEqual(['{"id":1}\n{"id":2}\n', '{"id":3}\n']);
  });

  test('writes long text before the turn ends', () => {
    const { channel, writes } = openChannel();
    channel.send({ text: 'x'.repeat(100_000) });
    expect(writes).toHaveLength(1);
  });

  test('writes at once on `flush`', () => {
    const { channel, writes } = openChannel();
    channel.send({ id: 1 });
    channel.flush();
    expect(writes).toEqual(['{"id":1}\n']);
  });

  test('refuses messages that the peer would not accept', async () => {
    const { channel, writes } = openChannel({ maxBytes: 30 });
    expect(() => channel.send({ text: 'é'.repeat(20) })).toThrow(
      new RangeError('The message is longer than 30 bytes.'),
    );
    expect(() => channel.send({ id: 1n })).toThrow(TypeError);
    expect(() => channel.send({ toJSON: () => undefined })).toThrow('The message has no JSON form.');
    channel.send({ text: 'x'.repeat(15) });
    await turnEnd();
    expect(writes).toEqual([`{"text":"${'x'.repeat(15)}"}\n`]);
  });

  test('writes what waits, then ends the output on `close`', async () => {
    const ended: string[] = [];
    const { channel, seen, input } = openChannel({ output: recordingOutput(ended) });
    channel.send({ id: 1 });
    channel.close();
    channel.send({ id: 2 });
    await turnEnd();
    expect(ended).toEqual(['{"id":1}\n', 'end']);
    input.write('{"id":3}\n');
    await turnEnd();
    expect(seen).toEqual([{ id: 3 }]);
  });
});

function recordingOutput(log: string[]): ChannelOutput {
  return { write: (text) => log.push(text) > 0, on: () => {}, end: () => log.push('end') };
}

/** An output whose reader is asleep until `drain()`. */
function fullOutput() {
  const writes: string[] = [];
  let onDrain = (): void => {};
  const output: ChannelOutput = {
    write: (text) => writes.push(text) === 0,
    on: (event, listener) => {
      if (event === 'drain') onDrain = listener;
    },
    end: () => {},
  };
  return { output, writes, drain: () => onDrain() };
}

describe('back pressure', () => {
  test('holds messages until the peer reads again', async () => {
    const { output, writes, drain } = fullOutput();
    const { channel } = openChannel({ output });
    expect(channel.send({ id: 1 })).toBe(true);
    channel.flush();
    expect(channel.send({ id: 2 })).toBe(false);
    expect(channel.send({ id: 3 })).toBe(false);
    await turnEnd();
    expect(writes).toEqual(['{"id":1}\n']);

    const onDrained = vi.fn();
    void channel.drained().then(onDrained);
    drain();
    expect(writes).toEqual(['{"id":1}\n', '{"id":2}\n{"id":3}\n']);
    await turnEnd();
    expect(onDrained).not.toHaveBeenCalled();
    drain();
    await turnEnd();
    expect(onDrained).toHaveBeenCalledOnce();
    await channel.drained();
  });

  test('reports a peer that does not read before too much waits', async () => {
    const { output } = fullOutput();
    const { channel, seen } = openChannel({ output, maxWaiting: 100 });
    channel.send({ id: 0 });
    channel.flush();
    for (let id = 1; id < 50; id++) channel.send({ id });
    expect(seen).toEqual(['does not read its messages']);
    await channel.drained();
  });
});

describe('receiving', () => {
  test('reads messages however they are cut', async () => {
    const { input, seen } = openChannel();
    const bytes = Buffer.from('{"text":"héé"}\n{"id":2}\n');
    for (const byte of bytes) input.write(Buffer.of(byte));
    await turnEnd();
    expect(seen).toEqual([{ text: 'héé' }, { id: 2 }]);
  });

  test('reports a message without the key of the peer, and takes those with it', () => {
    const { channel, input, writes, seen } = openChannel({ ownKey: 'mine', peerKey: 'yours' });
    channel.send({ id: 1 });
    channel.flush();
    expect(writes).toEqual(['mine{"id":1}\n']);
    input.write('yours{"id":2}\n{"id":3}\nyours{"id":4}\n');
    expect(seen).toEqual([
      { id: 2 },
      'sent a message without its key: other code has written to its channel',
    ]);
  });

  test('passes the text of a message along', async () => {
    const onMessage = vi.fn();
    const { input } = openChannel({ onMessage });
    input.write('{ "a": 1.0 }\n');
    await turnEnd();
    expect(onMessage).toHaveBeenCalledWith({ a: 1 }, '{ "a": 1.0 }');
  });

  test.each([
    ['text', 'not json\n', 'sent a message that is not JSON'],
    ['an empty line', '\n', 'sent a message that is not JSON'],
    ['a list', '[{"id":1}]\n', 'sent a message that is not an object'],
    ['null', 'null\n', 'sent a message that is not an object'],
    ['a long line', `{"text":"${'x'.repeat(2000)}"}\n`, 'sent a message longer than 1000 bytes'],
    ['a long line without end', 'x'.repeat(2000), 'sent a message longer than 1000 bytes'],
  ])('reports %s as a fault, then nothing more', async (_, text, fault) => {
    const { input, seen, channel } = openChannel({ maxBytes: 1000 });
    input.write(`{"id":1}\n${text}{"id":2}\n`);
    input.end('{"id":3}\n');
    await turnEnd();
    channel.send({ id: 4 });
    await turnEnd();
    expect(seen).toEqual([{ id: 1 }, fault]);
  });

  test('reports the end once, without the rest of an unfinished message', async () => {
    const { input, seen } = openChannel();
    input.end('{"id":1}\n{"id":');
    await turnEnd();
    await turnEnd();
    expect(seen).toEqual([{ id: 1 }, 'end']);
  });

  test('takes a read error as the end', async () => {
    const { input, seen } = openChannel();
    input.destroy(new Error('ECONNRESET'));
    await turnEnd();
    expect(seen).toEqual(['end']);
  });

  test('takes time linear in the length of a message', async () => {
    const { input, seen } = openChannel();
    const piece = Buffer.alloc(4096, 'x');
    const started = performance.now();
    input.write('{"text":"');
    for (let count = 0; count < 4000; count++) input.write(piece);
    input.write('"}\n');
    while (seen.length === 0) await turnEnd();
    expect((seen[0] as { text: string }).text).toHaveLength(4000 * 4096);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
