import { errorMessage } from '../base/thrown-value.js';
import { isObject, type JsonObject } from '../protocol/envelope.js';
import type { Context } from '../runtime/context.js';
import { MissingCapabilityError } from '../runtime/requirements.js';

/** What an upstream server wants of the client, as it says it. */
export interface UpstreamInputRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** What an upstream server asks for, and will not be given. */
export class UnansweredRequestError extends Error {
  override readonly name = 'Unanswered';

  constructor(
    message: string,
    /** Its number, where an error is what answers. */
    readonly code: number = -32_603,
  ) {
    super(message);
  }
}

/** @see JSON-RPC 2.0, section 5.1: what a client is asked for that it has not */
const unsupportedMethodCode = -32_601;

type ForwardInputRequest = (ctx: Context, params: JsonObject, key: string) => Promise<JsonObject>;

/** How each of the things is asked that a server may ask its client. */
const askers: Readonly<Record<string, ForwardInputRequest>> = {
  'elicitation/create': async (ctx, params, key) => {
    const { mode, message, url, requestedSchema } = params;
    if (mode === 'url') return { ...(await ctx.elicitUrl(message as string, url as string, { key })) };
    const answer = await ctx.elicit(message as string, requestedSchema as object, { key });
    return { ...answer };
  },
  'sampling/createMessage': async (ctx, params, key) => await ctx.sample(withoutMeta(params), { key }),
  'roots/list': async (ctx, _params, key) => ({ roots: await ctx.roots({ key }) }),
};

/** The methods by which a server asks its client. */
export const askedMethods: readonly string[] = Object.keys(askers);

/** Has the client of a call answer what its upstream server asks. @throws Unanswered */
export async function requestClientAnswer(
  ctx: Context,
  { method, params }: UpstreamInputRequest,
  key: string,
): Promise<JsonObject> {
  const ask = Object.hasOwn(askers, method) ? askers[method] : undefined;
  if (!ask)
    throw new UnansweredRequestError(`A client cannot be asked for ${method}.`, unsupportedMethodCode);
  try {
    return await ask(ctx, params, key);
  } catch (error) {
    // Whom nobody can ask has not been refused anything.
    if (error instanceof MissingCapabilityError && method === 'elicitation/create')
      return { action: 'cancel' };
    const isMissing = error instanceof MissingCapabilityError;
    throw new UnansweredRequestError(errorMessage(error), isMissing ? unsupportedMethodCode : undefined);
  }
}

/** The answer to a question that is not answered, where no error can be; undefined: there is none. */
export function fallbackAnswer(method: string): JsonObject | undefined {
  if (method === 'elicitation/create') return { action: 'cancel' };
  return method === 'roots/list' ? { roots: [] } : undefined;
}

/** What a question says about the request that brought it is no business of the client. */
function withoutMeta({ _meta: _, ...params }: JsonObject): JsonObject {
  return params;
}

/** The question in a request of an upstream server. */
export function readInputRequest(method: unknown, params: unknown): UpstreamInputRequest {
  return { method: String(method), params: isObject(params) ? params : {} };
}
