import { isRecord } from '../base/value-checks.js';
import { knowsTasks } from '../interaction/handler-context.js';
import type { Connection } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import { tasksCapability } from '../protocol/protocol-extensions.js';
import type { RequestContext } from '../protocol/request.js';
import { invalidParams } from '../protocol/request-errors.js';
import { missingCapabilityError } from '../runtime/input-required.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { serverTasks, type Tasks } from '../tasks/tasks.js';

/** `tasks/get` */
export function getTask(connection: Connection, params: WireObject, request: RequestContext): WireObject {
  return requireTask(connection, params, request).describe();
}

/** `tasks/update` */
export function updateTask(connection: Connection, params: WireObject, request: RequestContext): WireObject {
  const task = requireTask(connection, params, request);
  // The SDK moves `inputResponses` out of the params of every request.
  const { inputResponses } = request;
  if (!isRecord(inputResponses)) throw invalidParamsError(request, '"inputResponses" must be an object');
  task.answer(inputResponses);
  return {};
}

/** `tasks/cancel` */
export function cancelTask(connection: Connection, params: WireObject, request: RequestContext): WireObject {
  requireTask(connection, params, request).cancel();
  return {};
}

/** @see SEP-2663, Protocol Errors */
function requireTask(
  connection: Connection,
  { taskId }: WireObject,
  request: RequestContext,
): NonNullable<ReturnType<Tasks['find']>> {
  if (!knowsTasks(connection, request)) throw missingCapabilityError(request.method, tasksCapability);
  if (typeof taskId !== 'string') throw invalidParamsError(request, '"taskId" must be a string');
  const task = serverTasks(connection.calls).find(taskId, request);
  if (task) return task;
  throw new ProtocolError(invalidParams, `Unknown task: ${taskId}. It may have expired.`);
}

function invalidParamsError({ method }: RequestContext, problem: string): ProtocolError {
  return new ProtocolError(invalidParams, `Invalid params for ${method}: ${problem}.`);
}
