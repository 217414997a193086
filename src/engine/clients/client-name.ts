import { clients } from './table/index.js';

/** What a client is called; one that only a newer version knows goes by its id. */
export function clientName(id: string): string {
  return clients.find((client) => client.id === id)?.name ?? id;
}
