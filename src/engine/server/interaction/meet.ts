import type { Dialogue } from './dialogue.js';
import { clientOf, Exchange } from './exchange.js';
import type { Partner } from './partner.js';
import { beginRound } from './rounds.js';

/** Who answers in an era: the client while the handler waits, or what it brought along. */
export async function meet(dialogue: Dialogue): Promise<Partner> {
  return dialogue.connection.era === 'modern' ? await beginRound(dialogue) : new Exchange(clientOf(dialogue));
}
