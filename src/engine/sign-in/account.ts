import { setTimeout } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { errorMessage } from '../base/thrown-value.js';
import type { SecretStore } from '../secrets/secret-store.js';
import { createGuardedFetch } from './guarded-fetch.js';
import type { SignInRecord, SignInStore } from './sign-in-record.js';
import { renewTokens, SignInOverError } from './token-requests.js';

export interface AccountDeps {
  readonly store: SignInStore;
  /** The secrets of the user, for clients with a secret by reference. */
  readonly secrets: SecretStore;
  /** Default: the fetch of Node, guarded. */
  readonly guard?: (server: URL) => FetchLike;
}

/** Tokens are renewed this long before their end, in milliseconds. */
const earlyMs = 30_000;

/** Tokens are read again from the store after this time, in milliseconds. Other processes may have renewed them. */
const freshMs = 60_000;

/** Time between two looks for a changed sign-in, in milliseconds. */
const pollMs = 2000;

/** The sign-in of this user to one server. Several accounts in several processes share the stored tokens. */
export class Account {
  readonly server: string;
  readonly #deps: AccountDeps;
  #record: SignInRecord | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  /** Tokens and secrets of this and earlier records. */
  readonly #seen: string[] = [];
  #renewing: Promise<SignInRecord | undefined> | undefined;
  /** Why the last renewal failed, as the end of a sentence. */
  problem: string | undefined;

  constructor(server: string, deps: AccountDeps) {
    this.server = server;
    this.#deps = deps;
  }

  /** Fetch for addresses that the server names. */
  get guardedFetch(): FetchLike {
    const server = new URL(this.server);
    return this.#deps.guard?.(server) ?? createGuardedFetch({ server });
  }

  get secrets(): SecretStore {
    return this.#deps.secrets;
  }

  /** The present sign-in, with tokens that have not ended; undefined without one. Never rejects. */
  async current(): Promise<SignInRecord | undefined> {
    if (performance.now() - this.#readAt > freshMs) await this.#read();
    const record = this.#record;
    if (!record || (record.expiresAt ?? Number.POSITIVE_INFINITY) - earlyMs > Date.now()) return record;
    return (await this.renew(record.accessToken)) ?? record;
  }

  async #read(): Promise<void> {
    try {
      this.#keep(await this.#deps.store.read(this.server));
    } catch (error) {
      this.problem = errorMessage(error).replace(/\.$/, '');
    }
  }

  /** The sign-in that another process has stored since, if it has another access token. Never rejects. */
  async reread(rejected: string | undefined): Promise<SignInRecord | undefined> {
    await this.#read();
    return this.#record?.accessToken === rejected ? undefined : this.#record;
  }

  /** Resolves when a process stores a sign-in, or removes it. @throws the reason of the signal */
  async changed(signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    const read = async () => await store.changed(this.server).catch(() => undefined);
    const before = await read();
    do await setTimeout(pollMs, undefined, { signal, ref: false });
    while ((await read()) === before);
  }

  /**
   * Returns a sign-in with another access token than the rejected one: the token that another process has stored, or a
   * new one. Undefined if the user has to sign in. Never rejects.
   */
  async renew(rejected: string | undefined): Promise<SignInRecord | undefined> {
    this.#renewing ??= this.#renew(rejected).finally(() => {
      this.#renewing = undefined;
    });
    return await this.#renewing;
  }

  async #renew(rejected: string | undefined): Promise<SignInRecord | undefined> {
    const deps = { fetch: this.guardedFetch, secrets: this.#deps.secrets };
    try {
      const record = await this.#deps.store.update(this.server, async (current) => {
        if (!current || current.accessToken !== rejected) return current;
        return await renewTokens(current, deps);
      });
      this.#keep(record);
      this.problem = record?.over;
      return record?.over === undefined ? record : undefined;
    } catch (error) {
      const reason = errorMessage(error).replace(/\.$/, '');
      this.problem =
        error instanceof SignInOverError ? reason : `its authorization server cannot be used: ${reason}`;
      return undefined;
    }
  }

  /** Hides tokens and secrets in a text, which a server may have repeated. */
  hide(text: string): string {
    return this.#seen.reduce((sofar, secret) => sofar.replaceAll(secret, '[hidden]'), text);
  }

  /** Computes and stores a new sign-in. Undefined forgets it. @throws errors of `change` and of the store */
  async replace(
    change: (before: SignInRecord | undefined) => Promise<SignInRecord | undefined>,
  ): Promise<SignInRecord | undefined> {
    const record = await change(await this.#deps.store.read(this.server));
    // Not inside the update: the user may take minutes, and others would wait.
    await this.#deps.store.update(this.server, async () => record);
    this.problem = undefined;
    this.#keep(record);
    return record;
  }

  #keep(record: SignInRecord | undefined): void {
    this.#record = record;
    this.#readAt = performance.now();
    const { accessToken, refreshToken, client } = record ?? {};
    const secret = client?.secret && 'value' in client.secret ? client.secret.value : undefined;
    const values = [accessToken, refreshToken, secret].filter((value) => value !== undefined);
    // Shorter values occur in too many words.
    this.#seen.unshift(...values.filter((value) => value.length > 5 && !this.#seen.includes(value)));
  }
}
