import { fileURLToPath } from 'node:url';
import { statFile } from '../base/files/disk.js';
import { isRecord } from '../base/value-checks.js';
import type { Connection } from '../live/connection.js';
import type { Root } from '../runtime/context.js';

/**
 * Requests the roots of a 2025-era client in the background. A failed request counts as no roots. Returns a function
 * that requests them again.
 * @see MCP 2025-11-25, client/roots
 */
export function watchRoots(connection: Connection, ask: () => Promise<unknown>): () => void {
  let roots: readonly Root[] = [];
  let latest = 0;
  const look = async (): Promise<readonly Root[]> => {
    latest += 1;
    const own = latest;
    const answer = await ask().catch(() => undefined);
    // The answer to the latest request wins, in any order of arrival.
    if (own === latest) roots = parseRoots(answer) ?? [];
    connection.root = firstFolder(roots);
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

/** Reads a `roots/list` result; undefined if it is malformed. Skips roots without a URI. */
export function parseRoots(result: unknown): readonly Root[] | undefined {
  if (!isRecord(result) || !Array.isArray(result.roots)) return undefined;
  return result.roots.flatMap((root: unknown) => {
    if (!isRecord(root) || typeof root.uri !== 'string') return [];
    return [{ uri: root.uri, ...(typeof root.name === 'string' && { name: root.name }) }];
  });
}

/** The first root that is a folder on this machine; undefined: none. */
function firstFolder(roots: readonly Root[]): string | undefined {
  const folders = roots.flatMap(({ uri }) => rootPath(uri) ?? []);
  return folders.find((folder) => statFile(folder)?.isDirectory());
}

/** Absolute path of a `file:` URI; undefined for any other. */
function rootPath(uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
