import type { Era } from '../protocol/eras.js';
import { itemsByKey, type ServerSurface } from '../surface/recorded-surface.js';
import { FakeUser } from './fake-user.js';
import type { TestTarget } from './served-target.js';

/** A client that can do everything, so that it sees everything. @see MCP Apps 2026-01-26 */
const capabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** Longest wait for one list, in milliseconds. */
const timeoutMs = 30_000;

/** Reads everything that a server sends to a client before the first call. @throws the error of the connection */
export async function readSurface(target: TestTarget, era: Era): Promise<ServerSurface> {
  const connection = await target.connect({ era, client: { capabilities }, user: new FakeUser(), timeoutMs });
  try {
    const { version: _, ...texts } = connection.serverInfo;
    const { instructions } = connection;
    return {
      server: { ...texts, ...(instructions !== undefined && { instructions }) },
      tools: itemsByKey('tools', await connection.list('tools')),
      prompts: itemsByKey('prompts', await connection.list('prompts')),
      resources: itemsByKey('resources', await connection.list('resources')),
      resourceTemplates: itemsByKey('resourceTemplates', await connection.list('resourceTemplates')),
    };
  } finally {
    await target.release(connection);
  }
}
