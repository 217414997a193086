import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import { ToolError } from '../runtime/result-builders.js';

/** Default and limits of the delay between two polls, in milliseconds. */
const pollMs = { usual: 1000, least: 50, most: 30_000 };

const endStates: readonly unknown[] = ['completed', 'failed', 'cancelled'];

interface TaskRunOptions {
  readonly request: (method: string, params: JsonObject) => Promise<unknown>;
  readonly cancel: (taskId: string) => void;
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Formats a sentence about the upstream server. */
  readonly say: (text: string) => string;
}

/**
 * Calls a tool as a task: creates the task, polls it until it ends or waits for input, and fetches its result.
 * @see MCP 2025-11-25, basic/utilities/tasks
 * @throws ToolError if the server creates no task; errors of the requests
 */
export async function runUpstreamTask(
  params: JsonObject,
  { request, cancel, signal, say }: TaskRunOptions,
): Promise<unknown> {
  const created = await request('tools/call', { ...params, task: {} });
  let task = isRecord(created) ? created.task : undefined;
  // A server may answer at once.
  if (task === undefined && isRecord(created) && Array.isArray(created.content)) return created;
  const taskId = isRecord(task) ? task.taskId : undefined;
  if (typeof taskId !== 'string') throw new ToolError(say('answers the call of a task with no task'));
  const onAbort = () => cancel(taskId);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (isRecord(task) && !endStates.includes(task.status) && task.status !== 'input_required') {
      await pause(task.pollInterval, signal);
      task = await request('tasks/get', { taskId });
    }
    // The server sends its input requests while the result is awaited.
    return withoutTask(await request('tasks/result', { taskId }));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const relatedTask = 'io.modelcontextprotocol/related-task';

/** Removes the task from the metadata of a result, since clients do not know it. */
function withoutTask(result: unknown): unknown {
  if (!isRecord(result) || !isRecord(result._meta)) return result;
  const { [relatedTask]: _, ...others } = result._meta;
  const { _meta: __, ...rest } = result;
  return { ...rest, ...(Object.keys(others).length > 0 && { _meta: others }) };
}

async function pause(wanted: unknown, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const ms = typeof wanted === 'number' && wanted >= 0 ? wanted : pollMs.usual;
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(Math.max(ms, pollMs.least), pollMs.most),
    );
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
