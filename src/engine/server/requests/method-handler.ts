import type { Connection } from '../handler-context.js';
import type { RequestContext } from '../protocol/request.js';

/** Parameters and results as they are on the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Answers one method. @throws what {@link toProtocolError} makes a protocol error of; anything else is our bug. */
export type MethodHandler = (
  connection: Connection,
  params: WireObject,
  request: RequestContext,
) => Promise<WireObject> | WireObject;
