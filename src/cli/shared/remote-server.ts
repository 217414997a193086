import { AgentToolsError } from '../../engine/base/errors.js';
import { prepareEndpoint } from '../../engine/bridge/existing-resolver.js';
import type { UpstreamAddress } from '../../engine/runtime/upstream.js';
import type { Host } from '../../host.js';
import { existingDeps, findExisting, givenOptions, type InputOptions } from './existing.js';

interface RemoteSearch {
  readonly existing: InputOptions;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/**
 * The remote server that a reference or the key of an installed entry names.
 * @throws AgentToolsError if it is unknown, or a program
 */
export async function findRemoteServer(
  server: string,
  { existing, signal, tell }: RemoteSearch,
  host: Host,
): Promise<UpstreamAddress> {
  const named = await findExisting(server, undefined, host);
  if (!named) {
    const message = `There is no remote server "${server}". Name its address, such as https://mcp.example.com/mcp, an entry of the MCP Registry, or the key of an installed server. See: agenttools list-installed`;
    throw new AgentToolsError('not-found', message);
  }
  const { transport, mcpRegistry } = existing;
  const report = (line: string) => void host.stderr.write(`${line}\n`);
  const deps = existingDeps(host, { mcpRegistry, signal, report, tell });
  const given = givenOptions(existing, host);
  const { endpoint } = await prepareEndpoint({ ...named, given, transport }, deps);
  if ('url' in endpoint) return endpoint;
  const message = `${server} is a program on this machine, which takes no sign-in. Give it credentials with --env when you install it.`;
  throw new AgentToolsError('refused', message);
}
