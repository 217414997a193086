/** Result for one package: the installed version, or the reason that the install failed. */
export type InstallOutcome =
  | { readonly name: string; readonly version: string }
  | { readonly name: string; readonly reason: string };

/**
 * Installs missing packages. Resolves to the failed packages with their reasons. Calls `onSettled` as soon as
 * the result of a package is known; not for packages that another process has installed, and not if no
 * install could begin.
 */
export type InstallMissing = (
  names: readonly string[],
  options: { readonly signal?: AbortSignal; readonly onSettled?: (one: InstallOutcome) => void },
) => Promise<ReadonlyMap<string, string>>;
