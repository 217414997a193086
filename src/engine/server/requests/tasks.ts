import { ProtocolError } from '../../items/builders.js';
import { missing } from '../../items/interaction.js';
import { type Connection, knowsTasks } from '../context.js';
import { tasksCapability } from '../extensions.js';
import { isObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { type Tasks, tasksOf } from '../tasks/tasks.js';
import { invalidParams } from './errors.js';
import type { Wire } from './handler.js';

/** `tasks/get` */
export function getTask(connection: Connection, params: Wire, request: RequestContext): Wire {
  return requireTask(connection, params, request).describe();
}

/** `tasks/update` */
export function updateTask(connection: Connection, params: Wire, request: RequestContext): Wire {
  const task = requireTask(connection, params, request);
  // The SDK takes them out of the params of whatever request.
  const { inputResponses } = request;
  if (!isObject(inputResponses)) throw unfit(request, '"inputResponses" must be an object');
  task.answer(inputResponses);
  return {};
}

/** `tasks/cancel` */
export function cancelTask(connection: Connection, params: Wire, request: RequestContext): Wire {
  requireTask(connection, params, request).cancel();
  return {};
}

/** @see SEP-2663, Protocol Errors */
function requireTask(
  connection: Connection,
  { taskId }: Wire,
  request: RequestContext,
): NonNullable<ReturnType<Tasks['find']>> {
  if (!knowsTasks(connection, request)) throw missing(request.method, tasksCapability);
  if (typeof taskId !== 'string') throw unfit(request, '"taskId" must be a string');
  const task = tasksOf(connection.calls).find(taskId, request);
  if (task) return task;
  throw new ProtocolError(invalidParams, `Unknown task: ${taskId}. It may have expired.`);
}

function unfit({ method }: RequestContext, problem: string): ProtocolError {
  return new ProtocolError(invalidParams, `Invalid params for ${method}: ${problem}.`);
}
