import type { WritableClient } from '../../../../src/engine/clients/client.js';
import { writableClients } from '../../../../src/engine/clients/table/index.js';

/** The row of a client that can be written. */
export function writable(id: string): WritableClient {
  const client = writableClients.find((one) => one.id === id);
  if (!client) throw new Error(`There is no writable client "${id}".`);
  return client;
}
