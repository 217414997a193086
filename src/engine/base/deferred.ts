/** A promise with its `resolve` and `reject`, as `Promise.withResolvers` of Node 22 returns it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

export function deferred<Value = void>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((done, fail) => {
    resolve = done;
    reject = fail;
  });
  return { promise, resolve, reject };
}

interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** The functions that settle a promise, with a step before each: the end of a timer, the removal of a listener. */
export function settleAfter<T>(before: () => void, { resolve, reject }: Settle<T>): Settle<T> {
  return {
    resolve: (value) => {
      before();
      resolve(value);
    },
    reject: (error) => {
      before();
      reject(error);
    },
  };
}
