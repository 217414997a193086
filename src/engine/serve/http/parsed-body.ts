import { isRecord } from '../../base/value-checks.js';
import { BodyBuffer, type BodyLimits } from './body.js';

/** The body of a request that a program, such as a middleware, has read. */
export interface RequestContext {
  /** The parsed JSON, or the body as text or bytes. Default: the body is read from the request. */
  readonly parsedBody?: unknown;
  /** The request of Node, as `@hono/node-server` passes it. Its `body` counts unless its stream is still unread. */
  readonly incoming?: unknown;
}

/** The body that a program has read; undefined if the request still has it. */
export function findParsedBody(context: unknown): { readonly value: unknown } | undefined {
  if (!isRecord(context)) return undefined;
  const { parsedBody, incoming } = context;
  if (parsedBody !== undefined) return { value: parsedBody };
  // Express sets `body` on the request of Node. Version 4 does so, too, for requests that it has not read.
  if (typeof incoming !== 'object' || incoming === null) return undefined;
  const { body, readableEnded } = incoming as { readonly body?: unknown; readonly readableEnded?: unknown };
  return readableEnded !== false && body !== undefined ? { value: body } : undefined;
}

/** A parsed body as JSON text, within the limits. @throws BodyError */
export function textOfParsedBody(value: unknown, limits: BodyLimits): string {
  const bytes = new BodyBuffer(limits);
  const text = value instanceof Uint8Array || typeof value === 'string' ? value : JSON.stringify(value);
  bytes.add(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return bytes.text();
}
