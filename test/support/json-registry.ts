import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterFile } from './file-jobs.js';

const closing: (() => void)[] = [];

afterFile(() => {
  for (const close of closing.splice(0)) close();
});

/** A registry in this process that answers by path and query as a table says, and 404 to anything else. */
export async function startJsonRegistry(answers: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const isKnown = Object.hasOwn(answers, url);
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? answers[url] : { error: 'not found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
