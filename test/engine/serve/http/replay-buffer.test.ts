import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { ReplayBudget, type ReplayBuffer } from '../../../../src/engine/serve/http/replay-buffer.js';
import type { Message } from '../../../support/program.js';

const said = (text: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { text },
});

/** What is told again of a stream after its first event. */
async function replayed(events: ReplayBuffer, stream = 'a'): Promise<string[]> {
  const texts: string[] = [];
  const send = async (_: string, message: Message) => void texts.push(message.params.text);
  await events.replayEventsAfter(`${stream}/1`, { send });
  return texts;
}

async function tell(events: ReplayBuffer, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await events.storeEvent('a', said(text));
}

test('replays the events of a stream after an event', async () => {
  const events = new ReplayBudget().open();
  expect(await events.storeEvent('a', {} as JSONRPCMessage)).toBe('a/1');
  await tell(events, 'one');
  await events.storeEvent('b', said('other'));
  await tell(events, 'two');
  expect(await replayed(events)).toEqual(['one', 'two']);
});

test('the latest of a session counts', async () => {
  const events = new ReplayBudget().open();
  await tell(events, ...Array.from({ length: 300 }, (_, index) => `${index}`));
  expect(await replayed(events)).toHaveLength(256);
  await tell(events, 'x'.repeat(2 ** 20));
  expect((await replayed(events)).map(({ length }) => length)).toEqual([2 ** 20]);
});

test('limits the events of all sessions: the longest silent one loses its events', async () => {
  const all = new ReplayBudget(3000);
  const [first, second, third] = [all.open(), all.open(), all.open()];
  for (const events of [first, second]) await tell(events, '', 'x'.repeat(800));
  await tell(first, 'again');
  await tell(third, '', 'x'.repeat(800));
  expect((await replayed(first)).length).toBe(2);
  expect(await replayed(second)).toEqual([]);
  expect((await replayed(third)).length).toBe(1);
});

test('a session that is over keeps nothing, and leaves its share to others', async () => {
  const all = new ReplayBudget(1000);
  const [gone, other] = [all.open(), all.open()];
  await tell(gone, '', 'x'.repeat(400));
  gone.close();
  await tell(gone, 'late');
  await tell(other, '', 'x'.repeat(400));
  expect(await replayed(gone)).toEqual([]);
  expect((await replayed(other)).length).toBe(1);
});
