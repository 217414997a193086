import type { Client } from '@modelcontextprotocol/client';
import { isRecord } from '../base/value-checks.js';
import { skillsExtension } from '../protocol/protocol-extensions.js';
import type { UpstreamInfo, UpstreamListing } from '../runtime/upstream.js';

/** The parts of a listing that the handshake brings. */
export type UpstreamDescription = Pick<UpstreamListing, 'title' | 'info' | 'instructions' | 'offers'>;

/** Describes an upstream server after the handshake. `name` is its name in messages. */
export function describeUpstream(client: Client, name: string, isModern: boolean): UpstreamDescription {
  const info = client.getServerVersion() as UpstreamInfo | undefined;
  const instructions = client.getInstructions();
  const { prompts, resources, completions, tasks, extensions } = (client.getServerCapabilities() ??
    {}) as Readonly<Record<string, unknown>>;
  return {
    title: (info?.title as string | undefined) || info?.name || name,
    ...(info && { info }),
    ...(instructions && { instructions }),
    offers: {
      prompts: prompts !== undefined,
      resources: resources !== undefined,
      completions: completions !== undefined,
      subscriptions: isRecord(resources) && resources.subscribe === true,
      toolTasks: !isModern && hasToolTasks(tasks),
      ...(isRecord(extensions) && Object.hasOwn(extensions, skillsExtension) && { skills: true }),
    },
  };
}

/** @see MCP 2025-11-25, basic/utilities/tasks, Capabilities */
function hasToolTasks(tasks: unknown): boolean {
  const requests = isRecord(tasks) ? tasks.requests : undefined;
  const tools = isRecord(requests) ? requests.tools : undefined;
  return isRecord(tools) && tools.call !== undefined;
}
