import { AgentToolsError } from '../../base/errors.js';
import { describePlainFault } from '../../base/plain-data.js';
import { DefinitionError } from '../../extension/extension.js';
import { liveDefinition } from '../../extension/live-definition.js';
import type { Workspace } from '../../extension/workspace.js';
import { LiveServer, type LiveServerOptions } from '../../live/live-server.js';
import { composeDefinition } from '../../runtime/compose-server.js';
import type { ServerDefinition } from '../../runtime/definition-types/server-types.js';
import { inlineServer } from '../../runtime/inline-server.js';
import { parseToolOptions } from '../../runtime/tool-options.js';
import type { RunningServer } from '../../server/running-server.js';

export interface InlineDeps {
  /** Resolves names in the definition. */
  readonly workspace: Workspace;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly report: (line: string) => void;
  /** Takes the place of the package folder: `read`, `file` and module references are relative to it. */
  readonly directory: string;
  readonly openUpstreams?: LiveServerOptions['openUpstreams'];
}

/**
 * Composes a server from a definition without a package.
 * @throws AgentToolsError if the definition or an item is invalid: its author can fix it, so no item is skipped
 */
export async function serveDefinition(
  definition: ServerDefinition,
  { workspace, env, report, directory, openUpstreams }: InlineDeps,
): Promise<RunningServer> {
  if (typeof definition !== 'object' || definition === null) {
    const message = `Expected the definition of a server: an object with tools and the like, not ${JSON.stringify(definition)}.`;
    throw new AgentToolsError('invalid-definition', message);
  }
  const { value, faults } = liveDefinition(definition);
  const [fault] = faults;
  if (fault) {
    const message = `The definition of the server: ${describePlainFault(fault)}.`;
    throw new AgentToolsError('invalid-definition', message);
  }
  const server = inlineServer(value as ServerDefinition, directory);
  const spec = await composeDefinition(server, workspace).catch((error) => {
    if (error instanceof DefinitionError) throw new AgentToolsError('invalid-definition', error.message);
    throw error;
  });
  const [lost] = spec.leftOut;
  if (lost) throw new AgentToolsError('invalid-definition', `${lost.item}: ${lost.message}`);
  const live = await LiveServer.open({ server: spec, env, report, openUpstreams });
  return { live, toolOptions: parseToolOptions(env.MCP_TOOL_OPTIONS, report) };
}
