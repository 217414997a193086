import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startTurns } from './turns.mjs';

test('gives turns up to the limit, and the next one after a client has gone', async () => {
  const { port, close } = await startTurns(2);
  const running: Socket[] = [];
  const arrive = async () => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => running.push(socket));
    await once(socket, 'connect');
    return socket;
  };
  const clients = [await arrive(), await arrive(), await arrive(), await arrive()];
  await expect.poll(() => running.length).toBe(2);
  // One that waits, and one that runs.
  clients.find((one) => !running.includes(one))?.destroy();
  running[0]?.destroy();
  await expect.poll(() => running.length).toBe(3);
  running[1]?.destroy();
  running[2]?.destroy();
  close();
});
