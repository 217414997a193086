import { isDeepStrictEqual } from 'node:util';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { isIntact } from '../clients/edit/merge-entry.js';
import type { Receipt } from '../clients/receipt.js';

/**
 * Action for one entry of one client. `compare`: an entry without record, which may be equal. `keep`: only the client has
 * changed it. `conflict`: both sides have changed it, or it is foreign.
 */
type SyncAction = 'add' | 'update' | 'remove' | 'none' | 'compare' | 'keep' | 'conflict';

export interface Decision {
  readonly action: SyncAction;
  /** For the user, in a sentence. */
  readonly reason?: string;
  /** True if the action needs `--force`, and has it. */
  readonly isForced?: boolean;
}

/** The three sides of one entry. */
export interface EntrySides {
  /** Side of the set; undefined if the set does not have the entry any more. */
  readonly wanted:
    | {
        readonly declared: unknown;
        /** True for a receipt of the same server. */
        readonly isSameServer: (receipt: Receipt) => boolean;
      }
    | undefined;
  /** Last written state; undefined without one. */
  readonly written: Receipt | undefined;
  /** Side of the client; undefined without an entry. */
  readonly current: ConfigEntry | undefined;
  /** Set, or client, to synchronise with. */
  readonly set: string;
  /** True if the written entry must be written again, since its program is gone or a secret of it is stored now. */
  readonly isStale?: boolean;
}

/** Decides the action for an entry. Entries never move to another key, and sides are never exchanged. */
export function decide(sides: EntrySides, { force }: { readonly force: boolean }): Decision {
  const { wanted, written, current } = sides;
  if (!wanted) return decideRemoval(sides, force);
  if (!written) {
    if (!current) return { action: 'add' };
    return { action: 'compare' };
  }
  const forced = (action: SyncAction, otherwise: Decision): Decision =>
    force ? { action, isForced: true } : otherwise;
  if (written.set !== sides.set && !wanted.isSameServer(written))
    return forced(current ? 'update' : 'add', {
      action: 'conflict',
      reason: `It starts another server, ${written.server}.`,
    });
  const isSame = isDeepStrictEqual(written.declared, wanted.declared);
  const byHand = current ? 'edited' : 'removed';
  if (current && isIntact(current, written.entry))
    return { action: isSame && !sides.isStale ? 'none' : 'update' };
  return forced(
    current ? 'update' : 'add',
    isSame
      ? { action: 'keep', reason: `It was ${byHand} by hand.` }
      : { action: 'conflict', reason: `It was ${byHand} by hand, and has changed in the set.` },
  );
}

function decideRemoval({ written, current }: EntrySides, force: boolean): Decision {
  if (!written) return { action: 'none' };
  if (!current || isIntact(current, written.entry)) return { action: 'remove' };
  if (force) return { action: 'remove', isForced: true };
  return { action: 'conflict', reason: 'It was edited by hand, and is not in the set any more.' };
}
