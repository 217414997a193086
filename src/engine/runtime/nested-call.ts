import { isRecord } from '../base/value-checks.js';
import { callTool } from './call-tool.js';
import type { Context } from './context.js';
import { ToolError, type ToolResult } from './result-builders.js';
import type { MakeContext, ServerRuntime } from './server-runtime.js';
import type { CallDeadline } from './time-limit.js';

/** Deepest nesting of calls: enough for tools that use tools, and a quick end for a tool that calls itself. */
const deepestCall = 16;

/** The call that makes a nested call. */
export interface OuterCall {
  readonly calls: ServerRuntime;
  readonly limit: CallDeadline;
  /** Number of calls around the outer call. */
  readonly depth: number;
  /** Creates the context of the nested call. */
  readonly makeContext: MakeContext;
}

/** `ctx.callTool`. @throws ToolError, MissingCapabilityError, protocol errors */
export async function callNestedTool(
  { calls, limit, depth, makeContext }: OuterCall,
  ...[name, args = {}, { onProgress } = {}]: Parameters<Context['callTool']>
): Promise<ToolResult> {
  const { arrivals } = calls;
  const look = () => calls.server.registry.resolve('tools', name);
  const tool = look() ?? (await arrivals?.find('tools', look, limit.signal));
  if (!tool) {
    const reasons = arrivals?.reasons('tools') ?? [];
    throw new ToolError([`This server has no tool "${name}".`, ...reasons].join(' '));
  }
  if (!isRecord(args)) throw new TypeError(`The arguments of tool "${name}" are not an object.`);
  if (depth >= deepestCall) {
    throw new ToolError(`Tools of this server call each other more than ${deepestCall} deep: "${name}".`);
  }
  if (limit.isOver) throw limit.signal.reason;
  return await callTool(tool, args, {
    calls,
    signal: limit.signal,
    makeContext: (inner, spec) => ({
      ...makeContext(inner, spec),
      progress: (progress, more) => {
        if (!inner.isOver) onProgress?.(progress, more);
      },
    }),
  });
}
