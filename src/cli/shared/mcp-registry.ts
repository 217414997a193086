import path from 'node:path';
import { AgentToolsError } from '../../engine/base/errors.js';
import { workspaceFolders } from '../../engine/base/folders.js';
import type { McpRegistry } from '../../engine/mcp-registry/open-registry.js';
import type { Host } from '../../host.js';
import { npmSetting } from './npm-deps.js';

/** Base URL of the MCP Registry from the option or the environment; `none` for no registry. */
export function registryAddress(given: string | undefined, { env }: Pick<Host, 'env'>): string | undefined {
  return given ?? (env.AGENTTOOLS_MCP_REGISTRY || undefined);
}

/**
 * Opens the MCP Registry of the option or the environment. `refresh`: without recent answers from the cache.
 * @throws AgentToolsError if it is turned off
 */
export async function openHostRegistry(
  given: string | undefined,
  host: Host,
  { refresh = false } = {},
): Promise<McpRegistry> {
  const url = registryAddress(given, host);
  if (url === 'none') {
    const message = 'The MCP Registry is turned off by --mcp-registry none or AGENTTOOLS_MCP_REGISTRY=none.';
    throw new AgentToolsError('not-found', message);
  }
  const { openMcpRegistry } = await import('../../engine/mcp-registry/open-registry.js');
  const cacheFolder = path.join(workspaceFolders(host).cacheFolder, 'mcp-registry');
  return await openMcpRegistry({ npm: npmSetting(host), url, cacheFolder, refresh });
}
