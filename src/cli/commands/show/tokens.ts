import { AgentToolsError } from '../../../engine/base/errors.js';
import { measureServer, type ServerCost } from '../../../engine/compatibility/token-cost.js';
import { findTokenCounter } from '../../../engine/compatibility/token-counter.js';
import type { Facts } from '../../../engine/discovery/facts.js';
import { isPublished } from '../../../engine/discovery/facts-property.js';
import type { Host } from '../../../host.js';

/** Counts the tokens of the tools that clients list. @throws AgentToolsError `usage` if the tools are not known */
export async function measureFacts(facts: Facts, host: Host): Promise<ServerCost> {
  if (facts.kind !== 'server' || isPublished(facts))
    throw new AgentToolsError(
      'usage',
      facts.kind === 'existing server'
        ? `The tools of ${facts.name} are known only while it runs. Count them with: agenttools validate ${facts.reference} --budget`
        : `--tokens counts the tools of an installed server, and this is a ${facts.kind}. Name a server, such as: agenttools show ./plugin/server --tokens`,
    );
  const tools = facts.tools
    .filter(({ hidden }) => !hidden)
    .map(({ name, description, inputSchema }) => ({
      name,
      ...(description !== null && { description }),
      inputSchema,
    }));
  return measureServer({ key: facts.configKey, tools }, await findTokenCounter(host.cwd));
}
