/**
 * True for texts that may name an existing server. Every start asks it, so it is cheap: `readServerReference` decides.
 */
export function mayBeExisting(server: string | undefined, command?: readonly string[]): boolean {
  if (command) return true;
  const names = /^[a-z]{2,}:|\.(?:mcpb|dxt)$|\.json(?:#|$)|==|^[\w-]+(?:\.[\w-]+)+\//i;
  return server !== undefined && names.test(server) && !/(?:^|[\\/])package\.json$/.test(server);
}

/** True for a package with a scope, with or without a version. Without an extension of that name, it is an existing server. */
export function isScopedPackage(server: string | undefined): boolean {
  return server !== undefined && /^@[^/\s@]+\/[^/\s]+$/.test(server);
}
