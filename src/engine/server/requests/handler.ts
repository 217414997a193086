import type { ServerContext } from '@modelcontextprotocol/server';
import type { Connection } from '../context.js';

/** Parameters and results as they are on the wire. */
export type Wire = Readonly<Record<string, unknown>>;

/** Answers one method. @throws what {@link toProtocolError} makes a protocol error of; anything else is our bug. */
export type Handler = (connection: Connection, params: Wire, request: ServerContext) => Promise<Wire> | Wire;
