import type { Client, WritableClient } from '../client.js';
import { chatClients } from './chat.js';
import { codingClients } from './coding.js';
import { ideClients } from './ide.js';
import { manualClients } from './manual-clients.js';

/** Clients whose files can be written. Where several read one file, the first one owns what does not tell. */
export const writableClients: readonly WritableClient[] = [...chatClients, ...codingClients, ...ideClients];

/** Every client that is known. A new one takes effect by a row in one of these. */
export const clients: readonly Client[] = [...writableClients, ...manualClients];
