import { AgentToolsError } from '../../../engine/base/errors.js';
import type { ListedTool } from '../../../engine/compatibility/surface-checks.js';
import type { Facts } from '../../../engine/discovery/facts.js';
import { isPublished } from '../../../engine/discovery/facts-property.js';

/** The tools that clients list, and the settings of their server. */
interface ListedTools {
  readonly key: string;
  readonly tools: readonly ListedTool[];
  readonly adapt?: 'on' | 'off';
}

/**
 * Returns the tools of a server as clients list them.
 * @throws AgentToolsError `usage` if they are not known, with the option of `validate` for servers that have to run
 */
export function listedTools(
  facts: Facts,
  { option, instead }: { readonly option: string; readonly instead: string },
): ListedTools {
  if (facts.kind !== 'server' || isPublished(facts))
    throw new AgentToolsError(
      'usage',
      facts.kind === 'existing server'
        ? `The tools of ${facts.name} are known only while it runs. Check them with: agenttools validate ${facts.reference} ${instead}`
        : `${option} needs the tools of an installed server, and this is a ${facts.kind}. Name a server, such as: agenttools show ./plugin/server ${option}`,
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
