/** A verdaccio other than ours. */
export interface RegistryOptions {
  /** The Node that runs it; by default the one that runs the tests. */
  readonly node?: string;
  /** The `node_modules` that verdaccio is in; by default ours. */
  readonly modules?: string;
}

/** A program that answers on 127.0.0.1. `@private/*` is for those who log in. */
export interface RegistryServer {
  readonly url: string;
  /** The credential of its one user. */
  readonly token: string;
  /** The requests so far, such as `GET /-/v1/search?text=…`. */
  requests(): readonly string[];
  stop(): Promise<void>;
}

/** A verdaccio other than ours. */
export interface RegistryOptions {
  /** The Node that runs it; by default the one that runs the tests. */
  readonly node?: string;
  /** The `node_modules` that verdaccio is in; by default ours. */
  readonly modules?: string;
}

/** A program that answers on 127.0.0.1. `@private/*` is for those who log in. */
export interface RegistryServer {
  readonly url: string;
  /** The credential of its one user. */
  readonly token: string;
  /** The requests so far, such as `GET /-/v1/search?text=…`. */
  requests(): readonly string[];
  stop(): Promise<void>;
}
