/** Gets packages that are not here; resolves to what could not be had, by package, with the reason. */
export type Obtain = (
  names: readonly string[],
  options: { readonly signal?: AbortSignal },
) => Promise<ReadonlyMap<string, string>>;

/** Whether the user lets missing packages be obtained: `AGENTTOOLS_AUTO_INSTALL=false` says no. */
export function mayObtain(env: Readonly<Record<string, string | undefined>>): boolean {
  return !['false', '0'].includes(env.AGENTTOOLS_AUTO_INSTALL?.trim().toLowerCase() ?? '');
}
