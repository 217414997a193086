const names: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** True if only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  return names.has(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
