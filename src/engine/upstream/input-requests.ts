import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { AskOptions, Context } from '../runtime/context.js';
import { MissingCapabilityError } from '../runtime/requirements.js';

/** Input request of an upstream server, unchanged. */
export interface UpstreamInputRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** The client did not answer an input request of an upstream server. */
export class UnansweredRequestError extends Error {
  override readonly name = 'UnansweredRequestError';

  constructor(
    message: string,
    /** JSON-RPC code, if the request is answered with an error. Default: internal error. */
    readonly code: number = -32_603,
  ) {
    super(message);
  }
}

/** Method not found: the client does not support the request. @see JSON-RPC 2.0, section 5.1 */
const unsupportedMethodCode = -32_601;

type ForwardInputRequest = (ctx: Context, params: JsonObject, key: string) => Promise<JsonObject>;

/** Functions that forward each input request to the client, by method. */
const askers: Readonly<Record<string, ForwardInputRequest>> = {
  'elicitation/create': async (ctx, params, key) => {
    const { mode, message, url, requestedSchema, elicitationId } = params;
    if (mode === 'url') {
      const options: AskOptions & { readonly elicitationId: unknown } = { key, elicitationId };
      return { ...(await ctx.elicitUrl(message as string, url as string, options)) };
    }
    const answer = await ctx.elicit(message as string, requestedSchema as object, { key });
    return { ...answer };
  },
  'sampling/createMessage': async (ctx, params, key) => await ctx.sample(withoutMeta(params), { key }),
  'roots/list': async (ctx, _params, key) => ({ roots: await ctx.roots({ key }) }),
};

/** Methods of input requests. */
export const askedMethods: readonly string[] = Object.keys(askers);

/** Forwards an input request to the client of the call. @throws UnansweredRequestError */
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
    // The client cannot show the form, so the user has not declined it.
    if (error instanceof MissingCapabilityError && method === 'elicitation/create')
      return { action: 'cancel' };
    const isMissing = error instanceof MissingCapabilityError;
    throw new UnansweredRequestError(errorMessage(error), isMissing ? unsupportedMethodCode : undefined);
  }
}

/** Answer to an input request without one, since a response cannot be an error; undefined if the method has none. */
export function fallbackAnswer(method: string): JsonObject | undefined {
  if (method === 'elicitation/create') return { action: 'cancel' };
  return method === 'roots/list' ? { roots: [] } : undefined;
}

/** Removes the metadata of the upstream request, which does not concern the client. */
function withoutMeta({ _meta: _, ...params }: JsonObject): JsonObject {
  return params;
}

export function readInputRequest(method: unknown, params: unknown): UpstreamInputRequest {
  return { method: String(method), params: isRecord(params) ? params : {} };
}
