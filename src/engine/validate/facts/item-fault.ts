import { describeFault, isSerious } from '../../extension/describe-fault.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import type { Kind } from '../../extension/item-kinds.js';
import { definitionLabel, locate } from '../../runtime/read-definition.js';
import type { ItemSnapshot } from './items.js';

/** A fault that makes an item unusable, ready for a diagnostic. */
export interface ItemFault {
  readonly location: Location;
  readonly item: ItemRef;
  readonly facts: string;
}

/** Faults in the keys of all items of a kind. Other rules report handlers and schemas of tools. */
export function* faultsOfKind(kind: Kind, items: readonly ItemSnapshot[]): Iterable<ItemFault> {
  for (const { kind: own, ref, definition, faults } of items) {
    if (own !== kind || !definition) continue;
    for (const { path, message } of kind === 'tools' ? [] : definition.translation.faults) {
      const facts = `${definitionLabel(definition)} has an unusable "${path.join('.')}": ${message}`;
      yield { location: locate(definition, path), item: ref, facts };
    }
    for (const fault of faults) {
      if (!isSerious(fault) || (kind === 'tools' && fault.path[0] === 'handler')) continue;
      yield {
        location: locate(definition, fault.path),
        item: ref,
        facts: describeFault(definitionLabel(definition), fault),
      };
    }
  }
}
