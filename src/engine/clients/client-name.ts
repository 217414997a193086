import { clients } from './table/index.js';

/** Display name of a client; the id if only a newer version knows the client. */
export function clientName(id: string): string {
  return clients.find((client) => client.id === id)?.name ?? id;
}
