import type { ServerContext } from '@modelcontextprotocol/server';
import type { ServedKind } from '../../items/registry.js';
import type { Connection } from '../context.js';

interface Search<T> {
  readonly kind: ServedKind;
  readonly look: () => T | undefined;
  readonly request: ServerContext;
}

/** Looks again for an item that is not known, once what is still to come has come. */
export async function findLate<T>(
  { outstanding }: Connection,
  { kind, look, request }: Search<T>,
): Promise<T | undefined> {
  return await outstanding?.find(kind, look, request.mcpReq.signal);
}

/** `what`, and why it may not be there. */
export function explained(what: string, kind: ServedKind, { outstanding }: Connection): string {
  const why = outstanding?.explain(kind) ?? '';
  return why === '' ? what : `${what}.${why}`;
}
