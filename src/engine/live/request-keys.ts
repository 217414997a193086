import type { AuthInfo } from '@modelcontextprotocol/server';

/**
 * Whose something is that is there longer than a request, such as a session or a state; nobody's where no tokens are asked
 * for. It is for whoever owns it alone.
 * @see MCP 2025-11-25, basic/security_best_practices, Session Hijacking; 2026-07-28, basic/patterns/mrtr, Server Requirements 5
 */
export function ownerKey(auth: AuthInfo | undefined): string {
  return auth ? JSON.stringify([auth.clientId, auth.extra?.iss, auth.extra?.sub]) : '';
}

/** The client that everybody is who has the one token for all. */
export const sharedClientId = 'token';

/**
 * Whose share of what there is for all something takes: a user's, however many clients it comes by. Undefined where users
 * are not told apart.
 */
export function quotaKey(auth: AuthInfo | undefined): string | undefined {
  if (!auth) return undefined;
  const { clientId, extra } = auth;
  if (extra?.sub !== undefined) return JSON.stringify([extra.iss, extra.sub]);
  return clientId === sharedClientId && !extra ? undefined : JSON.stringify([clientId]);
}
