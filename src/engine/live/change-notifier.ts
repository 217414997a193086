import type { ServerEvent } from '../protocol/subscriptions.js';

export type ChangeListener = (change: ServerEvent) => void;

// Kept before extension code loads.
const afterTurn = queueMicrotask;

/** Reports changes to listeners. Reports repeated announcements of a change once per turn of the event loop. */
export class ChangeNotifier {
  readonly #listeners = new Set<ChangeListener>();
  /** Changes of this turn by their subject. */
  readonly #changes = new Map<string, ServerEvent>();

  /** Returns the function that unsubscribes. */
  readonly onChange = (listener: ChangeListener): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly announce = (change: ServerEvent): void => {
    if (this.#changes.size === 0) afterTurn(this.#report);
    this.#changes.set(change.kind === 'resource_updated' ? `resource ${change.uri}` : change.kind, change);
  };

  readonly #report = (): void => {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    for (const listener of this.#listeners) for (const change of changes) listener(change);
  };
}
