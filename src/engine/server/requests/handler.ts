import type { Connection } from '../context.js';
import type { RequestContext } from '../protocol/request.js';

/** Parameters and results as they are on the wire. */
export type Wire = Readonly<Record<string, unknown>>;

/** Answers one method. @throws what {@link toProtocolError} makes a protocol error of; anything else is our bug. */
export type MethodHandler = (connection: Connection, params: Wire, request: RequestContext) => Promise<Wire> | Wire;
