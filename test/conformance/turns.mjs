// The suite starts the clients of all scenarios together. They take turns, as many at once as there are processors.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';

/** Starts a server that gives turns. A client has its turn from the first byte that it gets, until it disconnects. */
export async function startTurns(limit = availableParallelism()) {
  const waiting = [];
  let running = 0;
  const next = () => {
    while (running < limit && waiting.length > 0) {
      const socket = waiting.shift();
      running += 1;
      socket.write('.');
      socket.once('close', () => {
        running -= 1;
        next();
      });
    }
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('close', () => {
      if (waiting.includes(socket)) waiting.splice(waiting.indexOf(socket), 1);
    });
    // Notices the end of the client.
    socket.resume();
    waiting.push(socket);
    next();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: server.address().port, close: () => server.close() };
}
