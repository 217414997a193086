import { errorMessage, safelyThrown } from '../base/thrown-value.js';
import { contextMaker } from '../interaction/handler-context.js';
import { ClientInputScope, runWithInput } from '../interaction/input-scope.js';
import { type Connection, isRetry, type RequestIdentity } from '../live/connection.js';
import { downgradeBlock } from '../protocol/downgrade-content.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { internalError } from '../protocol/request-errors.js';
import { brands, isBranded, isProtocolError } from '../runtime/authoring-symbols.js';
import { type ContentBlock, ProtocolError } from '../runtime/result-builders.js';
import type { PromptSpec, ResourceSpec } from '../runtime/specs.js';
import { TimeoutError, withTimeLimit } from '../runtime/time-limit.js';
import type { ItemUpstream, ReplacedUris, UpstreamRequest, UpstreamSpec } from '../runtime/upstream.js';

interface Asking {
  readonly connection: Connection;
  readonly request: RequestContext;
  readonly subject: RequestIdentity;
}

/** Default longest run of a request, in milliseconds. */
const usualTimeoutMs = 60_000;

/** `prompts/get` for a prompt of an upstream server. */
export async function getUpstreamPrompt(
  prompt: PromptSpec & { readonly upstream: ItemUpstream },
  asking: Asking,
): Promise<WireObject> {
  const { upstream, theirs, uris } = prompt.upstream;
  const { args } = asking.subject;
  const params = { name: theirs, arguments: args };
  const result = await forward(upstream, { method: 'prompts/get', params }, asking, prompt.timeoutMs);
  const { messages } = result;
  if (!Array.isArray(messages)) return result;
  const { version } = asking.connection.peer;
  return {
    ...result,
    messages: messages.map((message: WireObject) => {
      const content = withOwnUri(message?.content, uris);
      return { ...message, content: downgradeBlock(version, content as ContentBlock) };
    }),
  };
}

/** `resources/read` for a resource of an upstream server. */
export async function readUpstreamResource(
  resource: ResourceSpec & { readonly upstream: ItemUpstream },
  asking: Asking,
): Promise<WireObject> {
  const { upstream, theirs, uris } = resource.upstream;
  const uri = resource.uri === undefined ? asking.subject.name : theirs;
  const request = { method: 'resources/read', params: { uri } } as const;
  const result = await forward(upstream, request, asking, resource.timeoutMs);
  const { contents } = result;
  if (!uris || !Array.isArray(contents)) return result;
  return { ...result, contents: contents.map((one: unknown) => withOwnUri(one, uris)) };
}

/**
 * Reads a resource that no list shows from the first upstream server that has it.
 * @throws ProtocolError with the error of the first upstream server
 */
export async function readFromAny(
  readers: readonly UpstreamSpec[],
  asking: Asking,
): Promise<WireObject | undefined> {
  const request = { method: 'resources/read', params: { uri: asking.subject.name } } as const;
  const errors: unknown[] = [];
  for (const reader of readers) {
    try {
      return await forward(reader, request, asking, usualTimeoutMs);
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      errors.push(error);
    }
  }
  // With several upstream servers, no error is about this URI more than the others.
  if (errors.length === 1) throw errors[0];
  return undefined;
}

/** `completion/complete` for a prompt or template of an upstream server. */
export async function completeUpstream(
  { upstream, theirs, hasCompletions }: ItemUpstream,
  asked: Omit<Asking, 'subject'> & { readonly params: WireObject; readonly timeoutMs: number },
): Promise<WireObject> {
  if (!hasCompletions) return { completion: { values: [], total: 0, hasMore: false } };
  const { connection, request, timeoutMs } = asked;
  const { _meta, ...params } = asked.params;
  const ref = params.ref as WireObject;
  const own = ref.type === 'ref/prompt' ? { ...ref, name: theirs } : { ...ref, uri: theirs };
  const forwarded = { method: 'completion/complete', params: { ...params, ref: own } } as const;
  const makeContext = contextMaker(connection, request, { isUpstream: true });
  return await ask({ upstream, request: forwarded, connection, makeContext }, request.signal, timeoutMs);
}

/** Forwards a request. Input requests of the upstream server go to the client. @throws ProtocolError */
async function forward(
  upstream: UpstreamSpec,
  request: UpstreamRequest,
  { connection, request: own, subject }: Asking,
  timeoutMs: number,
): Promise<WireObject> {
  const inputScope = new ClientInputScope(connection, own, subject);
  const makeContext = contextMaker(connection, own, { inputScope, isUpstream: true });
  return await runWithInput(inputScope, async () => {
    const result = await ask({ upstream, request, connection, makeContext }, own.signal, timeoutMs);
    const { ttlMs, cacheScope, ...others } = result;
    // Results that depend on answers of one user must not be cached for others (server/utilities/caching, Cache Key).
    return connection.era === 'modern' && !isRetry(own) ? result : others;
  });
}

interface UpstreamItemRequest {
  readonly upstream: UpstreamSpec;
  readonly request: UpstreamRequest;
  readonly connection: Connection;
  readonly makeContext: ReturnType<typeof contextMaker>;
}

async function ask(
  { upstream, request, connection, makeContext }: UpstreamItemRequest,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<WireObject> {
  const { upstreams } = connection.calls;
  if (!upstreams) throw new ProtocolError(internalError, 'Only Node reaches upstream servers.');
  try {
    return await withTimeLimit(
      async (limit) => await upstreams.request(upstream, request, makeContext(limit)),
      { timeoutMs, signal },
    );
  } catch (thrown) {
    const error = safelyThrown(thrown);
    if (error instanceof TimeoutError) {
      const message = `The upstream server "${upstream.name}" gave ${error.message}.`;
      throw new ProtocolError(internalError, message);
    }
    if (isBranded(error, brands.toolError)) throw new ProtocolError(internalError, errorMessage(error));
    throw error;
  }
}

/** Replaces the URI of a content block, or of the resource in it. */
function withOwnUri(value: unknown, uris: ReplacedUris | undefined): unknown {
  if (!uris || typeof value !== 'object' || value === null) return value;
  const { uri, resource } = value as WireObject;
  return {
    ...value,
    ...(typeof uri === 'string' && { uri: uris.get(uri) ?? uri }),
    ...(resource !== undefined && { resource: withOwnUri(resource, uris) }),
  };
}
