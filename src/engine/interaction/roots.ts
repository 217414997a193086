import { fileURLToPath } from 'node:url';
import type { Connection } from '../live/connection.js';
import { isObject } from '../protocol/envelope.js';
import type { Root } from '../runtime/context.js';

/**
 * Learns where a 2025-era client works, now and whenever that changes. Nobody waits for it, and a client that does not
 * tell is no reason to stop. Gives what asks again.
 * @see MCP 2025-11-25, client/roots
 */
export function watchRoots(connection: Connection, ask: () => Promise<unknown>): () => void {
  let roots: readonly Root[] = [];
  let latest = 0;
  const look = async (): Promise<readonly Root[]> => {
    latest += 1;
    const own = latest;
    const answer = await ask().catch(() => undefined);
    // Of two answers the one counts that was asked for later, whichever comes first.
    if (own === latest) roots = parseRoots(answer) ?? [];
    connection.root = rootPath(roots[0]?.uri);
    connection.host?.update(connection);
    return roots;
  };
  const watch = (): void => {
    const looked = look();
    void connection.roots?.expect(connection, looked);
  };
  watch();
  return watch;
}

/** The roots in a result of `roots/list`. */
export function parseRoots(result: unknown): readonly Root[] | undefined {
  if (!isObject(result) || !Array.isArray(result.roots)) return undefined;
  return result.roots.flatMap((root: unknown) => {
    if (!isObject(root) || typeof root.uri !== 'string') return [];
    return [{ uri: root.uri, ...(typeof root.name === 'string' && { name: root.name }) }];
  });
}

/** The absolute path of a `file:` address on this machine. */
function rootPath(uri: string | undefined): string | undefined {
  if (!uri?.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
