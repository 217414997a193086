import type { LoadCode } from '../extension/extension.js';
import type { CodeHost, Connection } from '../live/connection.js';
import type { GivenPlace } from '../runtime/upstream.js';
import type { PlaceFinder } from '../upstream/upstream-hub.js';
import type { HookOutcome, HostClient, HostClientOptions, Renewal } from './host-client.js';

/** Extension host of a server, loaded on first use: most servers are only listed. */
export class LazyHost implements CodeHost, PlaceFinder {
  readonly #options: HostClientOptions;
  #loading: Promise<HostClient> | undefined;
  #client: HostClient | undefined;

  constructor(options: HostClientOptions) {
    this.#options = options;
  }

  readonly loadCode: LoadCode = async (file, relative) => await (await this.#load()).loadCode(file, relative);

  /** Resolves when no definition is loading. */
  async loaded(): Promise<void> {
    await this.#client?.loaded();
  }

  /** Resolves when one more definition is loaded or skipped. */
  async loadedMore(): Promise<void> {
    await this.#client?.loadedMore();
  }

  get isLoading(): boolean {
    return this.#client?.isLoading ?? false;
  }

  async answer(...asked: Parameters<CodeHost['answer']>): ReturnType<CodeHost['answer']> {
    const client = this.#client ?? (await this.#load());
    return await client.answer(...asked);
  }

  async placeKey(id: string): Promise<string> {
    return await (await this.#load()).placeKey(id);
  }

  async place(given: GivenPlace): Promise<unknown> {
    return await (await this.#load()).place(given);
  }

  async initialize(tool: string | undefined, limitMs: number): Promise<HookOutcome> {
    return await (await this.#load()).initialize(tool, limitMs);
  }

  async swap(renew: () => Promise<void>, renewal?: Renewal): Promise<void> {
    await (this.#client ? this.#client.swap(renew, renewal) : renew());
  }

  async warm(): Promise<void> {
    await (await this.#load()).warm();
  }

  hasTask(id: unknown): boolean {
    return this.#client?.hasTask(id) ?? false;
  }

  async endTasks(limitMs: number): Promise<void> {
    await this.#client?.endTasks(limitMs);
  }

  async isWell(): Promise<boolean> {
    return (await this.#client?.isWell()) ?? true;
  }

  update(connection: Connection): void {
    this.#client?.update(connection);
  }

  forget(connection: Connection): void {
    this.#client?.forget(connection);
  }

  recompose(): void {
    this.#client?.recompose();
  }

  async close(): Promise<void> {
    await (await this.#loading)?.close();
  }

  #load(): Promise<HostClient> {
    this.#loading ??= import('./host-client.js').then(({ HostClient }) => {
      this.#client = new HostClient(this.#options);
      return this.#client;
    });
    return this.#loading;
  }
}
