import type { Client, WritableClient } from '../client.js';
import { chatClients } from './chat.js';
import { codingClients } from './coding.js';
import { ideClients } from './ide.js';
import { manualClients } from './manual-clients.js';

/**
 * Clients with writable config files. If several clients read one file, it belongs to the first by default.
 */
export const writableClients: readonly WritableClient[] = [...chatClients, ...codingClients, ...ideClients];

/** Every known client. To add a client, add a row to one of these tables. */
export const clients: readonly Client[] = [...writableClients, ...manualClients];
