import type { Connection } from '../live/connection.js';
import type { RequestContext } from '../protocol/request.js';
import type { ListPage } from '../runtime/paging.js';

/** The request of a list: who asks, and where the page begins. */
export interface ListRequest {
  readonly connection: Connection;
  readonly request: RequestContext;
  readonly cursor: string | undefined;
}

/** What a list shows to whoever asks. */
export interface SelectedListItems<S> {
  readonly specs: readonly S[];
  /** Cuts the page that was asked for out of what was made of the items. @throws CursorError for a cursor that is not ours. */
  page<T>(entries: readonly T[]): ListPage<T>;
}
