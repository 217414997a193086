import { AgentToolsError } from '../../../engine/base/errors.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { createBridge } from '../../../engine/bridge/existing-resolver.js';
import type { ListedTool } from '../../../engine/compatibility/surface-checks.js';
import type { Facts } from '../../../engine/discovery/facts.js';
import { isPublished } from '../../../engine/discovery/facts-property.js';
import { listTools } from '../../../engine/serve/call-once.js';
import type { Host } from '../../../host.js';
import { existingDeps, findExisting } from '../../shared/existing.js';
import { runWithProgress } from '../../shared/run-guarded.js';

/** The tools that clients list, and the settings of their server. */
export interface ListedTools {
  readonly key: string;
  readonly tools: readonly ListedTool[];
  readonly adapt?: 'on' | 'off';
}

interface AskedServer {
  readonly reference: string;
  readonly command?: readonly string[] | undefined;
  readonly mcpRegistry: string | undefined;
  /** Option that needs the tools. */
  readonly option: string;
}

/**
 * Returns the tools of a server as clients list them. Starts an existing server, because only it knows them.
 * @throws AgentToolsError `usage` if the reference names something else; other codes if the server does not start
 */
export async function findListedTools(facts: Facts, asked: AskedServer, host: Host): Promise<ListedTools> {
  if (facts.kind === 'existing server') return await listRunning(facts.reference, asked, host);
  if (facts.kind !== 'server' || isPublished(facts))
    throw new AgentToolsError(
      'usage',
      `${asked.option} needs the tools of an installed server, and this is a ${facts.kind}. Name a server, such as: agenttools show ./plugin/server ${asked.option}`,
    );
  const tools = facts.tools
    .filter(({ hidden }) => !hidden)
    .map(({ name, description, inputSchema }) => ({
      name,
      ...(description !== null && { description }),
      inputSchema,
    }));
  return { key: facts.configKey, tools, ...(facts.adapt && { adapt: facts.adapt }) };
}

async function listRunning(
  found: string,
  { command, mcpRegistry }: AskedServer,
  host: Host,
): Promise<ListedTools> {
  return await runWithProgress(host, async (signal, tell) => {
    const report = (line: string) => {
      tell('');
      host.stderr.write(`${visibleText(line)}\n`);
    };
    const named = await findExisting(command ? '' : found, command, host);
    if (!named) throw new AgentToolsError('not-found', `There is no server ${found}.`);
    const given = { env: [], args: [], headers: [] };
    const { compose } = await createBridge(
      { ...named, given },
      existingDeps(host, { mcpRegistry, signal, report, tell }),
    );
    const tools = await listTools(compose, { env: host.env, report, signal });
    return { key: (await compose()).configKey, tools: tools.map(({ wire }) => wire) };
  });
}
