type Fetch = typeof fetch;

let find: (() => Promise<Fetch | undefined>) | undefined;
let found: Promise<Fetch | undefined> | undefined;

/**
 * Sets the fetch of all outgoing requests of this process, for proxies and private certificate authorities. `search` runs
 * before the first request; undefined: the fetch of the platform.
 */
export function setOutgoingFetch(search: () => Promise<Fetch | undefined>): void {
  find = search;
  found = undefined;
}

/** Fetches through the proxy of the user, and trusts the certificate authorities of the user. */
export const outgoingFetch: Fetch = async (input, init) => {
  found ??= find?.();
  const send = (await found) ?? fetch;
  return await send(input, init);
};
