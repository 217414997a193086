/** Gets packages that are not here; resolves to what could not be had, by package, with the reason. */
export type Obtain = (
  names: readonly string[],
  options: { readonly signal?: AbortSignal },
) => Promise<ReadonlyMap<string, string>>;
