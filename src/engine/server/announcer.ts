import type { LiveServer } from '../live/live-server.js';
import { resourceAt } from '../methods/resources.js';
import { listEvent } from '../protocol/subscriptions.js';
import type { Context, ListedKind } from '../runtime/context.js';
import { listedKinds } from '../runtime/served-kind.js';
import { reportOnce } from '../runtime/server-runtime.js';

/**
 * Creates the functions that handlers announce changes with. They belong to no request, so background work may keep
 * them. `mayChange` is true for lists that the server declares `listChanged` for.
 */
export function createAnnouncer(
  live: LiveServer,
  mayChange: (kind: ListedKind) => boolean,
): Pick<Context, 'notifyChanged' | 'notifyResourceUpdated'> {
  const reportIgnored = (what: string, why: string) =>
    reportOnce(live.calls, `${live.current.qualifiedName}: ${what} has no effect: ${why}.`, what);
  return {
    notifyChanged(kind) {
      if (!listedKinds.includes(kind)) {
        throw new TypeError(`There is no list of "${String(kind)}". Expected tools, prompts or resources.`);
      }
      if (mayChange(kind)) live.announce(listEvent(kind));
      else
        reportIgnored(
          `notifyChanged('${kind}')`,
          `the server has no "list" hook of ${kind}, so their list is always the same`,
        );
    },
    notifyResourceUpdated(uri) {
      if (typeof uri !== 'string') throw new TypeError('The address of a resource is a string.');
      if (resourceAt(live.current.registry, uri)?.spec.subscribable) {
        live.announce({ kind: 'resource_updated', uri });
      } else {
        reportIgnored('notifyResourceUpdated', `no resource that is "subscribable" has the address ${uri}`);
      }
    },
  };
}
