import { createServer, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { servePages } from '../../../src/engine/preview/pages.js';
import { temporaryFolder, writeFiles } from '../../support/run-cli.js';

test('a port that is taken leaves nothing open', async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'frame.html': '', 'index.html': '', 'page.js': '', 'page.css': '' });
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const listening = vi.spyOn(Server.prototype, 'listen');
  try {
    const pages = servePages({ folder, port, actions: {}, greet: () => {} });
    await expect(pages).rejects.toThrow(`Cannot listen on 127.0.0.1:${port}: the port is in use.`);
    expect(listening.mock.contexts.map((server) => (server as Server).listening)).toEqual([false]);
  } finally {
    listening.mockRestore();
    other.close();
  }
});
