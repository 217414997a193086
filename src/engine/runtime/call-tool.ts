import { errorMessage, safelyThrown } from '../base/thrown-value.js';
import { formatIssues, SchemaError } from '../schema/index.js';
import { brands, isBranded, isProtocolError } from './authoring-symbols.js';
import { confirmation, runConfirmed } from './confirm-call.js';
import { InitializeError } from './initialize.js';
import { explainInitializeFailure } from './initialize-failure.js';
import { InputRequiredSignal } from './input-required.js';
import { MissingCapabilityError, RequirementError, requireMet } from './requirements.js';
import { error as failure, structured, type ToolResult } from './result-builders.js';
import { errorDetails, exposesErrors, type MakeContext, type ServerRuntime } from './server-runtime.js';
import type { ToolHandler, ToolSpec } from './specs.js';
import {
  type Cancellation,
  isCancelled,
  TimeoutError,
  unboundedDeadline,
  withTimeLimit,
} from './time-limit.js';
import { ResultError, requirePlain, toToolResult } from './tool-result.js';
import type { ToolUpstream } from './upstream.js';

/** Server, cancellation and context factory of one call. */
interface Setting {
  readonly calls: ServerRuntime;
  readonly signal: AbortSignal | Cancellation;
  readonly makeContext: MakeContext;
}

/**
 * Calls a tool: checks the arguments, runs the hooks, then the handler within its timeout, then checks the result.
 * Failures become results that the model can read, except errors for the protocol.
 * @throws MissingCapabilityError, InputRequiredSignal, and errors branded as protocol errors, unchanged.
 */
export async function callTool(
  tool: ToolSpec,
  args: Readonly<Record<string, unknown>>,
  { calls, signal, makeContext }: Setting,
): Promise<ToolResult> {
  try {
    for (const requires of tool.isConfirmed ? [tool.requires, confirmation] : [tool.requires]) {
      await requireMet(`Tool "${tool.name}"`, requires, {
        context: () => makeContext(unboundedDeadline(signal), tool),
        env: calls.env,
      });
    }
    const delivered = await checkArguments(tool, args);
    const { upstream } = tool;
    const handler = upstream ? createUpstreamHandler(upstream, calls) : await loadHandler(tool);
    // Cancelled work does not start: it may change something.
    if (isCancelled(signal)) return failure('Cancelled');
    const value = await withTimeLimit(
      (limit) => {
        const ctx = makeContext(limit, tool);
        const run = () => {
          const hooks = calls.initializers.ready(
            { server: calls.server.initialize, tool: tool.initialize },
            ctx,
          );
          return hooks ? hooks.then(() => handler(delivered, ctx)) : handler(delivered, ctx);
        };
        return tool.isConfirmed ? runConfirmed(tool, args, ctx, run) : run();
      },
      { timeoutMs: tool.timeoutMs, signal },
    );
    if (upstream?.isOwn) return value as ToolResult;
    return await checkResult(tool, await wrapToolResult(tool, value), calls);
  } catch (error) {
    if (isCancelled(signal)) return failure('Cancelled');
    return toFailedResult(tool, error, calls);
  }
}

/** A failure with a message for the model. */
class CallFailure extends Error {}

async function checkArguments(tool: ToolSpec, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  // Handlers may change their arguments.
  const checked = await tool.input.check({ ...args });
  if (checked.ok) return checked.value;
  throw new CallFailure(`Invalid arguments for tool "${tool.name}": ${formatIssues(checked.issues)}`);
}

/** Creates a handler that calls the upstream server of a tool. */
function createUpstreamHandler(upstream: ToolUpstream, { upstreams }: ServerRuntime): ToolHandler {
  return (args, ctx) => {
    if (upstreams) return upstreams.call(upstream, args, ctx);
    throw new CallFailure(
      `The upstream server "${upstream.upstream.name}" is unavailable: only Node reaches upstream servers. Use "agenttools start", "agenttools call" or createHandler of "agenttools/engine".`,
    );
  };
}

async function loadHandler(tool: ToolSpec): Promise<ToolHandler> {
  try {
    return await tool.handler();
  } catch (error) {
    throw new HandlerFault(errorMessage(error), { cause: error });
  }
}

/** The handler's module cannot be loaded. */
class HandlerFault extends Error {}

/** A string becomes text, unless the output schema accepts the string. */
async function wrapToolResult(tool: ToolSpec, value: unknown): Promise<ToolResult> {
  const isWanted = typeof value === 'string' && tool.output && (await tool.output.check(value)).ok;
  return toToolResult(isWanted ? structured(value) : value);
}

async function checkResult(
  tool: ToolSpec,
  result: ToolResult,
  { report }: ServerRuntime,
): Promise<ToolResult> {
  if (!tool.output || result.isError) return result;
  const checked =
    result.structuredContent === undefined
      ? { ok: false as const, issues: [{ path: '', message: 'the tool returned no structured content' }] }
      : await tool.output.check(result.structuredContent);
  if (checked.ok) {
    if (tool.output.form === 'raw') return result;
    // The library of the schema may return any value.
    return attachStructured(
      result,
      tool.output.form === 'standard' ? requirePlain(checked.value) : checked.value,
    );
  }
  const problem = `Tool "${tool.name}" returned a result that does not match its output schema: ${formatIssues(checked.issues)}`;
  if (tool.onOutputMismatch === 'error') throw new CallFailure(problem);
  report(`${tool.item}: ${problem}`);
  return result;
}

/**
 * Replaces the structured content by the checked value. If the text was only the JSON of the old value, it changes too.
 */
function attachStructured(result: ToolResult, value: unknown): ToolResult {
  const [first, ...others] = result.content;
  const isJsonText = others.length === 0 && first?.text === JSON.stringify(result.structuredContent);
  const content = isJsonText ? [{ type: 'text', text: JSON.stringify(value) ?? 'null' }] : result.content;
  return { ...result, content, structuredContent: value };
}

function toFailedResult(tool: ToolSpec, thrown: unknown, calls: ServerRuntime): ToolResult {
  const error = safelyThrown(thrown);
  const { report } = calls;
  if (isProtocolError(error) || error instanceof MissingCapabilityError) throw error;
  if (error instanceof InputRequiredSignal) throw error;
  if (error instanceof CallFailure || error instanceof RequirementError) return failure(error.message);
  if (error instanceof InitializeError) {
    return failure(explainInitializeFailure(error, { what: `Tool "${tool.name}"`, item: tool.item, calls }));
  }
  if (isBranded(error, brands.toolError)) return failure(errorMessage(error));
  if (isBranded(error, brands.exitRequest)) return failure(`Tool "${tool.name}": ${errorMessage(error)}`);
  if (error instanceof TimeoutError) return failure(`Tool "${tool.name}" gave ${error.message}.`);
  if (error instanceof HandlerFault) {
    report(`${tool.item}: the handler could not be loaded: ${errorDetails(error.cause)}`);
    const hint = 'Fix it and call again. If one of its dependencies threw, restart the server.';
    return failure(`Tool "${tool.name}" could not be loaded. ${hint}`);
  }
  if (error instanceof SchemaError) {
    report(`${tool.item}: unusable schema: ${error.message}`);
    return failure(`Tool "${tool.name}" has an unusable schema.`);
  }
  if (error instanceof ResultError) {
    report(`${tool.item}: unusable result: ${error.message}`);
    return failure(`Tool "${tool.name}" returned something that is not a result: ${error.message}.`);
  }
  report(`${tool.item}: ${errorDetails(error)}`);
  return failure(exposesErrors(calls) ? errorMessage(error) : 'Tool execution failed');
}
