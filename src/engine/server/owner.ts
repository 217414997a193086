import type { AuthInfo } from '@modelcontextprotocol/server';

/**
 * Whose something is that is there longer than a request, such as a session or a state; nobody's where no tokens are asked
 * for. It is for whoever owns it alone.
 * @see MCP 2025-11-25, basic/security_best_practices, Session Hijacking; 2026-07-28, basic/patterns/mrtr, Server Requirements 5
 */
export function ownerOf(auth: AuthInfo | undefined): string {
  return auth ? JSON.stringify([auth.clientId, auth.extra?.iss, auth.extra?.sub]) : '';
}
