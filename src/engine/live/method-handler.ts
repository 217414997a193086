import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import type { Connection } from './connection.js';

/**
 * Answers one method. @throws any error that {@link toProtocolError} converts; any other error is a bug of AgentTools.
 */
export type MethodHandler = (
  connection: Connection,
  params: WireObject,
  request: RequestContext,
) => Promise<WireObject> | WireObject;
