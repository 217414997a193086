/** What became of a package: the version that was added, or why it could not be had. */
export type InstallOutcome =
  | { readonly name: string; readonly version: string }
  | { readonly name: string; readonly reason: string };

/**
 * Gets packages that are not here; resolves to what could not be had, by package, with the reason. `onSettled` is told of
 * each as soon as that is known, save for those that another process has added meanwhile.
 */
export type InstallMissing = (
  names: readonly string[],
  options: { readonly signal?: AbortSignal; readonly onSettled?: (one: InstallOutcome) => void },
) => Promise<ReadonlyMap<string, string>>;
