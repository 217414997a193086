import { AgentToolsError } from '../../engine/base/errors.js';
import { prepareEndpoint } from '../../engine/bridge/existing-resolver.js';
import type { NamedReference } from '../../engine/bridge/open-existing.js';
import { reconcileRecords } from '../../engine/clients/config-change.js';
import { installationFolders } from '../../engine/installation/installation-folders.js';
import { receiptMatcher } from '../../engine/installation/match-receipt.js';
import type { UpstreamAddress } from '../../engine/runtime/upstream.js';
import type { Host } from '../../host.js';
import { existingDeps, findExisting, givenOptions, type InputOptions } from './existing.js';
import { mayBeExisting } from './may-be-existing.js';

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
  const named =
    (mayBeExisting(server) ? await findExisting(server, undefined, host) : undefined) ??
    (await findInstalled(server, host));
  const { transport, mcpRegistry } = existing;
  const report = (line: string) => void host.stderr.write(`${line}\n`);
  const deps = existingDeps(host, { mcpRegistry, signal, report, tell });
  const given = givenOptions(existing, host);
  const { endpoint } = await prepareEndpoint({ ...named, given, transport }, deps);
  if ('url' in endpoint) return endpoint;
  const message = `${server} is a program on this machine, which takes no sign-in. Give it credentials with --env when you install it.`;
  throw new AgentToolsError('refused', message);
}

/** @throws AgentToolsError if no remote server is installed under this name */
async function findInstalled(server: string, host: Host): Promise<NamedReference> {
  const { receipts, surroundings } = installationFolders(host);
  const isMeant = await receiptMatcher(server, { cwd: host.cwd, home: surroundings.home });
  const { records } = await reconcileRecords(receipts);
  const found = records.flatMap((record) => record.receipts).find((one) => one.existing && isMeant(one));
  const named = found && (await findExisting(found.server, undefined, host));
  if (named) return named;
  const message = `There is no remote server "${server}". Name its address, such as https://mcp.example.com/mcp, an entry of the MCP Registry, or the key of an installed server. See: agenttools list-installed`;
  throw new AgentToolsError('not-found', message);
}
