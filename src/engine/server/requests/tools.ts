import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { error as failure, type ToolResult } from '../../items/builders.js';
import { callTool, MissingCapabilityError } from '../../items/call.js';
import { type Connection, contextMaker } from '../context.js';
import { blockFor } from '../revisions.js';
import { invalidParams, missingCapability } from './errors.js';
import type { Wire } from './handler.js';

/** `tools/call` */
export async function call(
  connection: Connection,
  { name, arguments: args }: Wire,
  request: ServerContext,
): Promise<Wire> {
  const { calls, server } = connection;
  const tool = typeof name === 'string' ? calls.server.registry.resolve('tools', name) : undefined;
  if (!tool) throw new ProtocolError(invalidParams, `Unknown tool: ${String(name)}`);
  const result = await callTool(tool, (args ?? {}) as Wire, {
    calls,
    signal: request.mcpReq.signal,
    makeContext: contextMaker(connection, request),
  }).catch((error) => answerMissing(error, connection));
  const version = server.getNegotiatedProtocolVersion();
  const content = result.content.map((block) => blockFor(version, block));
  return server.projectCallToolResult({ ...result, content } as never, tool.output?.wire);
}

/**
 * A client without a capability that a tool needs: an error of its own on 2026-07-28, a failed result before.
 * @see MCP 2026-07-28, basic, "Error Codes": -32021
 */
function answerMissing(error: unknown, { era }: Connection): ToolResult {
  if (!(error instanceof MissingCapabilityError)) throw error;
  if (era === 'legacy') return failure(error.message);
  const requiredCapabilities = nested(error.capabilities);
  throw new ProtocolError(missingCapability, error.message, { requiredCapabilities });
}

/** `["sampling.tools"]` as the object that a client would declare: `{ sampling: { tools: {} } }`. */
function nested(capabilities: readonly string[]): Wire {
  const root: Record<string, unknown> = {};
  for (const capability of capabilities) {
    let at = root;
    for (const part of capability.split('.')) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
  }
  return root;
}
