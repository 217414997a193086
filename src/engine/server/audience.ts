import { type Calls, reportOnce } from '../items/calls.js';
import type { Context, ListedKind } from '../items/context.js';
import { listedKinds } from '../items/registry.js';
import { resourceAt } from './requests/resources.js';

/** A connection, as far as it is told what changes. */
export interface Listener {
  listChanged(kind: ListedKind): void;
  resourceUpdated(uri: string): void;
}

/** Where those who are served hear what changes, and where it is told. */
export type Announcements = Pick<Audience, 'join' | 'leave' | 'listChanged' | 'resourceUpdated'>;

/** Everybody whom one server serves. What changes is told to all of them, and here alone. */
export class Audience {
  readonly #listeners = new Set<Listener>();
  /** What is still to be told in this turn, by what it is about. */
  readonly #news = new Map<string, (listener: Listener) => void>();

  join(listener: Listener): void {
    this.#listeners.add(listener);
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  listChanged(kind: ListedKind): void {
    this.#tell(kind, (listener) => listener.listChanged(kind));
  }

  resourceUpdated(uri: string): void {
    this.#tell(`resource ${uri}`, (listener) => listener.resourceUpdated(uri));
  }

  /** What a handler says in a loop is told once. */
  #tell(about: string, tell: (listener: Listener) => void): void {
    if (this.#news.size === 0) queueMicrotask(() => this.#tellAll());
    this.#news.set(about, tell);
  }

  #tellAll(): void {
    const news = [...this.#news.values()];
    this.#news.clear();
    for (const listener of this.#listeners) for (const tell of news) tell(listener);
  }
}

export interface AnnouncerOptions {
  readonly calls: Calls;
  readonly audience: Pick<Announcements, 'listChanged' | 'resourceUpdated'>;
  /** Whether clients were promised to hear of a list. */
  readonly mayChange: (kind: ListedKind) => boolean;
}

/** What handlers announce by. It knows no request, so that what goes on in the background may keep it. */
export function announcer({
  calls,
  audience,
  mayChange,
}: AnnouncerOptions): Pick<Context, 'notifyChanged' | 'notifyResourceUpdated'> {
  const inVain = (what: string, why: string) =>
    reportOnce(calls, `${calls.server.qualifiedName}: ${what} tells nobody: ${why}.`, what);
  return {
    notifyChanged(kind) {
      if (!listedKinds.includes(kind)) {
        throw new TypeError(`There is no list of "${String(kind)}". Expected tools, prompts or resources.`);
      }
      if (mayChange(kind)) audience.listChanged(kind);
      else
        inVain(
          `notifyChanged('${kind}')`,
          `the server has no "list" hook of ${kind}, so their list is always the same`,
        );
    },
    notifyResourceUpdated(uri) {
      if (typeof uri !== 'string') throw new TypeError('The address of a resource is a string.');
      if (resourceAt(calls.server.registry, uri)?.spec.subscribable) audience.resourceUpdated(uri);
      else inVain('notifyResourceUpdated', `no resource that is "subscribable" has the address ${uri}`);
    },
  };
}
