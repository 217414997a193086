export interface QuotaLimits {
  /** Limit for all users together. */
  readonly all: number;
  /** Limit for one user. */
  readonly perUser: number;
}

/** The limit that is reached: for all users, or for one. */
export type QuotaFault = 'all' | 'user';

/** Counts a limited resource, in total and per user. */
export class QuotaCounter {
  readonly #limits: QuotaLimits;
  readonly #perUser = new Map<string, number>();
  #all = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  /** Takes one; `user` is undefined if users are not identified. Returns its release function, to be called once. */
  take(user: string | undefined): (() => void) | QuotaFault {
    const own = user === undefined ? 0 : (this.#perUser.get(user) ?? 0);
    if (own >= this.#limits.perUser) return 'user';
    if (this.#all >= this.#limits.all) return 'all';
    this.#change(user, 1);
    return () => this.#change(user, -1);
  }

  #change(user: string | undefined, by: 1 | -1): void {
    this.#all += by;
    if (user === undefined) return;
    const own = (this.#perUser.get(user) ?? 0) + by;
    if (own === 0) this.#perUser.delete(user);
    else this.#perUser.set(user, own);
  }
}
