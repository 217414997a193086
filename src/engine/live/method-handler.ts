import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import type { Connection } from './connection.js';

/** Answers one method. @throws what {@link toProtocolError} makes a protocol error of; anything else is our bug. */
export type MethodHandler = (
  connection: Connection,
  params: WireObject,
  request: RequestContext,
) => Promise<WireObject> | WireObject;
