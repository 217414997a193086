import { didYouMean } from '../../../engine/base/did-you-mean.js';
import type { Client } from '../../../engine/clients/client.js';
import type { Receipt } from '../../../engine/clients/receipt.js';
import type { Scope } from '../../../engine/installation/entry-target.js';
import type { OtherInstallation } from '../../shared/text/uninstallation.js';

/** Splits receipts into those in the requested place and all others. */
export function findOtherInstallations(
  receipts: readonly Receipt[],
  place: OtherPlace & { readonly wanted: string | undefined },
): OtherInstallation {
  const here = receipts.filter((receipt) => isIn(receipt, place));
  const names = here.flatMap(({ key, server }) => [key, server]);
  const meant = place.wanted === undefined ? undefined : didYouMean(place.wanted, names);
  const isMeant = ({ key, server }: Receipt) => key === meant || server === meant;
  return {
    here: [...here.filter(isMeant), ...here.filter((receipt) => !isMeant(receipt))],
    elsewhere: receipts.filter((receipt) => !here.includes(receipt)),
  };
}

/** Requested place. */
interface OtherPlace {
  /** Undefined: every client. */
  readonly clients: readonly Client[] | undefined;
  readonly scope: Scope;
}

function isIn(receipt: Receipt, { clients, scope }: OtherPlace): boolean {
  if (clients?.every(({ id }) => id !== receipt.client)) return false;
  if (scope.kind === 'config') return receipt.file === scope.file;
  if (scope.kind === 'project') return receipt.project === scope.folder;
  return receipt.scope === 'user';
}
