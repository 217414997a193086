import type { Connection } from '../live/connection.js';
import type { RequestContext } from '../protocol/request.js';
import type { ListPage } from '../runtime/paging.js';

/** A list request. `cursor` is undefined for the first page. */
export interface ListRequest {
  readonly connection: Connection;
  readonly request: RequestContext;
  readonly cursor: string | undefined;
}

/** Items that a list shows to one client. */
export interface SelectedListItems<S> {
  readonly specs: readonly S[];
  /** Returns the requested page of the entries made from the items. @throws CursorError for an unknown cursor */
  page<T>(entries: readonly T[]): ListPage<T>;
}
