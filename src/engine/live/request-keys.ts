import type { AuthInfo } from '@modelcontextprotocol/server';

/**
 * Owner of data that outlives a request, such as a session or a state. Only the owner may use the data. Empty if the
 * server requires no tokens.
 * @see MCP 2025-11-25, basic/security_best_practices, Session Hijacking; 2026-07-28, basic/patterns/mrtr, Server
 * Requirements 5
 */
export function ownerKey(auth: AuthInfo | undefined): string {
  return auth ? JSON.stringify([auth.clientId, auth.extra?.iss, auth.extra?.sub]) : '';
}

/** Client id of all users of the shared token. */
export const sharedClientId = 'token';

/** Per-user quota key: the same for all clients of a user. Undefined if users cannot be distinguished. */
export function quotaKey(auth: AuthInfo | undefined): string | undefined {
  if (!auth) return undefined;
  const { clientId, extra } = auth;
  if (extra?.sub !== undefined) return JSON.stringify([extra.iss, extra.sub]);
  return clientId === sharedClientId && !extra ? undefined : JSON.stringify([clientId]);
}
