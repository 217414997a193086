/**
 * A signal that aborts with another one, or after a time. `AbortSignal.any` with `AbortSignal.timeout` is not enough: the
 * garbage collector may remove the timeout before it fires.
 * @see https://github.com/nodejs/node/issues/54614
 */
export function withTimeLimit(signal: AbortSignal | undefined, limitMs: number): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(timeoutError(limitMs)), limitMs);
  timer.unref();
  const end = (): void => {
    clearTimeout(timer);
    controller.abort(signal?.reason);
  };
  if (signal?.aborted) end();
  else signal?.addEventListener('abort', end, { once: true, signal: controller.signal });
  return controller.signal;
}

/** The error of `AbortSignal.timeout`. */
function timeoutError(limitMs: number): DOMException {
  return new DOMException(`The operation took longer than ${limitMs} ms`, 'TimeoutError');
}
