import type { ExistingServer } from '../existing-servers/existing-server.js';
import { readServerJson, type ServerRoute } from '../existing-servers/server-json.js';
import type { McpRegistry } from '../mcp-registry/open-registry.js';
import { type ExistingServerFacts, existingServerFacts } from './existing-facts.js';

export interface RegistryEntryRequest {
  readonly registry: McpRegistry;
  /** `io.github.acme/tickets` */
  readonly name: string;
  /** Default: the latest. */
  readonly version?: string | undefined;
  readonly signal: AbortSignal;
}

/** Routes that are described if a document offers several. All count as available, since nothing is started. */
const routes: readonly ServerRoute[] = ['remote', 'npm', 'uvx', 'docker', 'dnx', 'bundle'];

/**
 * Facts of an entry of an MCP registry. Nothing of the server runs.
 * @throws AgentToolsError if there is no such entry, it was deleted, or it offers no known way to run it
 */
export async function showRegistryEntry(request: RegistryEntryRequest): Promise<ExistingServerFacts> {
  const { registry, name, version, signal } = request;
  const { entry, notes } = await registry.find(name, version, signal);
  const server: ExistingServer = readServerJson(entry.document, {
    source: 'registry',
    available: routes,
    locate: (path) => `${name} at ${registry.host}, ${path.join('.') || 'document'}`,
  });
  return existingServerFacts({ ...server, notes: [...notes, ...server.notes] });
}
