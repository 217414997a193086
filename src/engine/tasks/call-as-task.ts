import { contextMaker } from '../interaction/handler-context.js';
import type { InputChannel } from '../interaction/input-channel.js';
import { ClientInputScope, runWithInput } from '../interaction/input-scope.js';
import type { Connection, RequestIdentity } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { internalError, toProtocolError } from '../protocol/request-errors.js';
import type { Context } from '../runtime/context.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { errorDetails, type MakeContext } from '../runtime/server-runtime.js';
import type { TaskSupport, ToolSpec } from '../runtime/specs.js';
import type { Cancellation } from '../runtime/time-limit.js';
import { serverTasks, type Task } from './tasks.js';

/** A tool call that may become a task. */
export interface LongCall {
  readonly connection: Connection;
  readonly request: RequestContext;
  readonly subject: RequestIdentity;
  readonly tool: ToolSpec & { readonly task: TaskSupport };
  /** Calls the tool. Returns the result for the client. */
  readonly run: (setting: {
    readonly signal: AbortSignal | Cancellation;
    readonly makeContext: MakeContext;
  }) => Promise<WireObject>;
}

/**
 * Calls a tool for a client that supports tasks. Returns a task as soon as the tool begins one, else the usual result.
 * @see SEP-2663, Task Creation
 */
export async function callAsTask({ connection, request, subject, tool, run }: LongCall): Promise<WireObject> {
  const { calls } = connection;
  const inputScope = new TaskInputScope(connection, request, subject);
  const ending = new AbortController();
  const { signal } = request;
  const abort = () => ending.abort(signal.reason);
  signal.addEventListener('abort', abort);
  const free = () => signal.removeEventListener('abort', abort);
  return await new Promise<WireObject>((resolve, reject) => {
    const begin = () => {
      if (inputScope.task || ending.signal.aborted) return;
      const { timeoutMs } = tool;
      inputScope.task = serverTasks(calls).begin(request, { timeoutMs, abort: () => ending.abort() });
      // The end of the request no longer ends the work.
      free();
      resolve(inputScope.task.handle());
    };
    if (tool.task.begins === 'call') begin();
    const makeOrdinary = contextMaker(connection, request, { inputScope });
    const makeContext: MakeContext = (limit, called) =>
      inTask(makeOrdinary(limit, called), { begin, current: () => inputScope.task });
    runWithInput(inputScope, async () => await run({ signal: ending.signal, makeContext })).then(
      (result) => {
        free();
        inputScope.task?.finish({ result: { resultType: 'complete', ...result } });
        resolve(result);
      },
      (error: unknown) => {
        free();
        inputScope.task?.finish({ error: errorBody(error, calls.report) });
        reject(error);
      },
    );
  });
}

/** A context that reports to the task of its handler, once there is a task. */
function inTask(
  ctx: Context,
  { begin, current }: { readonly begin: () => void; readonly current: () => Task | undefined },
): Context {
  const { progress, log } = ctx;
  // Tasks have no log messages (SEP-2663, Task Status Notifications).
  const lines = Object.entries(log).map(([level, say]) => [
    level,
    (data: unknown) => (current() ? undefined : say(data)),
  ]);
  return {
    ...ctx,
    beginTask: begin,
    progress: (done, more) => {
      const task = current();
      if (!task) progress(done, more);
      else if (more?.message !== undefined) task.reportProgress(more.message);
    },
    log: Object.fromEntries(lines) as Context['log'],
  };
}

/** Input scope of a call: the input channel of its request, until there is a task that asks instead. */
class TaskInputScope extends ClientInputScope {
  task: Task | undefined;
  #later: Promise<InputChannel> | undefined;

  override channel(): Promise<InputChannel> {
    const { task } = this;
    if (!task) return super.channel();
    this.#later ??= createTaskChannel(task);
    return this.#later;
  }
}

async function createTaskChannel(task: Task): Promise<InputChannel> {
  const { BlockingInputChannel } = await import('../interaction/blocking-channel.js');
  return new BlockingInputChannel(async ({ method, params }, { key, limits, timeoutMs }) => {
    const { signal } = limits.at(-1)!;
    return await task.ask(key, { method, ...(params && { params }) }, { signal, timeoutMs });
  });
}

/** A failure as a JSON-RPC error. */
function errorBody(error: unknown, report: (line: string) => void): WireObject {
  const told = toProtocolError(error);
  if (told instanceof ProtocolError) {
    const { code, message, data } = told;
    return { code, message, ...(data !== undefined && { data }) };
  }
  report(errorDetails(error));
  return { code: internalError, message: 'Internal error' };
}
