export interface QuotaLimits {
  /** How many there may be. */
  readonly all: number;
  /** How many of these one user may have. */
  readonly perUser: number;
}

/** Why nothing is left: for anybody, or for one user. */
export type QuotaFault = 'all' | 'user';

/** Counts what there is only so much of. */
export class QuotaCounter {
  readonly #limits: QuotaLimits;
  readonly #perUser = new Map<string, number>();
  #all = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  /** Takes one, for a user if users are told apart. Gives what gives it back, which may be called once. */
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
