import { showsUi } from '../interaction/handler-context.js';
import type { Connection } from '../live/connection.js';
import { downgradeTool } from '../protocol/downgrade-content.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import type { ListedItem, ListedKind, ShownQuery } from '../runtime/context.js';
import { toListedItem } from '../runtime/registry-view.js';
import type { SpecOf } from '../runtime/served-kind.js';
import { isUiResource } from '../runtime/ui.js';
import { selectListItems } from './lists.js';
import { shownApps } from './resources.js';
import { appEntry, entryWithUi } from './ui.js';

/** The client request that a handler runs for. */
interface ShownRequester {
  readonly connection: Connection;
  readonly request: RequestContext;
}

/** `ctx.registry.shown` */
export async function listShownItems(
  asking: ShownRequester,
  { kind = 'tools', name }: ShownQuery = {},
): Promise<readonly ListedItem[]> {
  const { connection, request } = asking;
  const hasUi = showsUi(connection, request);
  // Pending items are waited for, as in a list request.
  await connection.live.ready(kind, request.signal);
  const visible = await visibleItems(kind, asking);
  const { registry } = connection.calls.server;
  const specs = registry
    .all(kind)
    .filter((spec) => name === undefined || spec.name === name)
    .filter((spec) => hasUi || spec.kind !== 'resources' || !isUiResource(spec));
  const items = specs.map(async (spec) => {
    const listed = toListedItem(spec, await toListedEntry(spec, asking));
    const isVisible = visible.has(spec) || (kind === 'tools' && registry.fronts?.has(spec.name));
    return { ...listed, hidden: listed.forApps === true || !isVisible };
  });
  const apps = kind === 'resources' ? [...shownApps(connection, request).values()] : [];
  const pages = apps
    .filter((app) => name === undefined || app.name === name)
    .map(async (app) => {
      const { item, hidden } = app;
      return { kind, name: app.name, item, definition: await appEntry(app, connection.calls), hidden };
    });
  return await Promise.all([...items, ...pages]);
}

/** Returns the specs on all pages of a list. */
async function visibleItems<K extends ListedKind>(
  kind: K,
  asking: ShownRequester,
): Promise<ReadonlySet<unknown>> {
  const visible = new Set<SpecOf<K>>();
  const cursors = new Set<string | undefined>();
  for (let cursor: string | undefined; !cursors.has(cursor); ) {
    cursors.add(cursor);
    const { specs, page } = await selectListItems(kind, { ...asking, cursor });
    for (const spec of specs) visible.add(spec);
    // Without a paging hook, `specs` is complete and an empty page has no next cursor. A paging hook returns its own.
    cursor = page([]).nextCursor;
    if (cursor === undefined) break;
  }
  return visible;
}

async function toListedEntry(
  spec: SpecOf<ListedKind>,
  { connection, request }: ShownRequester,
): Promise<WireObject> {
  if (spec.kind !== 'tools') return spec.wire;
  const entry = showsUi(connection, request) ? await entryWithUi(spec, connection, request) : spec.wire;
  return downgradeTool(connection.peer.version, entry);
}
