import { errorMessage } from '../base/thrown-value.js';
import { contextMaker } from '../interaction/handler-context.js';
import type { Connection } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { internalError, invalidParams } from '../protocol/request-errors.js';
import { brands, isBranded, isProtocolError } from '../runtime/authoring-symbols.js';
import { InitializeError } from '../runtime/initialize.js';
import { explainInitializeFailure } from '../runtime/initialize-failure.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { errorDetails, type ServerRuntime } from '../runtime/server-runtime.js';
import type { SuggestionSource } from '../runtime/specs.js';
import { filterByPrefix, toSuggestions } from '../runtime/suggestions.js';
import { withTimeLimit } from '../runtime/time-limit.js';
import type { ItemUpstream } from '../runtime/upstream.js';

/** Longest run of a completion, in milliseconds. Later suggestions are useless: the user has typed on. */
const timeoutMs = 10_000;

type CompletionReference = Readonly<Record<'type' | 'name' | 'uri', string | undefined>>;

/** `completion/complete` */
export async function complete(
  connection: Connection,
  params: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const { ref, argument, context } = params as {
    ref: CompletionReference;
    argument: { name: string; value: string };
    context?: { arguments?: Readonly<Record<string, string>> };
  };
  const { calls } = connection;
  const foreign = await findForeign(connection, ref, request.signal);
  if (foreign) {
    const { completeUpstream } = await import('./upstream-items.js');
    return await completeUpstream(foreign, { connection, params, request, timeoutMs });
  }
  const { item, source } = findCompletion(calls, ref, argument.name);
  if (!source) return { completion: { values: [], total: 0, hasMore: false } };
  if (typeof source !== 'function') {
    return { completion: toSuggestions(filterByPrefix(argument.value, source)) };
  }
  if (connection.host) {
    const what = `The completion of "${argument.name}"`;
    return await connection.host.answer(connection, request, { params, what, timeoutMs });
  }
  const makeContext = contextMaker(connection, request);
  const { arguments: others = {} } = context ?? {};
  const { signal } = request;
  try {
    const made = await withTimeLimit(
      async (limit) => {
        const suggest = await source();
        const ctx = makeContext(limit);
        await calls.initializers.ready({ server: calls.server.initialize }, ctx);
        return await suggest(argument.value, { ...ctx, arguments: others });
      },
      { timeoutMs, signal },
    );
    return { completion: toSuggestions(made) };
  } catch (error) {
    if (isProtocolError(error)) throw error;
    if (error instanceof InitializeError) {
      const about = { what: `The completion of "${argument.name}"`, item: calls.server.qualifiedName, calls };
      throw new ProtocolError(internalError, explainInitializeFailure(error, about));
    }
    if (isBranded(error, brands.toolError)) throw new ProtocolError(internalError, errorMessage(error));
    calls.report(`${item}: completion of "${argument.name}": ${errorDetails(error)}`);
    throw new ProtocolError(internalError, 'Completion failed');
  }
}

/** Finds the upstream item of a reference. Waits for upstream servers if the item is unknown. */
async function findForeign(
  { calls, live }: Connection,
  { type, name = '', uri = '' }: CompletionReference,
  signal: AbortSignal,
): Promise<ItemUpstream | undefined> {
  const look = () => {
    const { registry } = calls.server;
    return type === 'ref/prompt'
      ? registry.resolve('prompts', name)
      : (registry.all('resources').find((one) => (one.uriTemplate ?? one.uri) === uri) ??
          registry.all('resources').find(({ template }) => template?.match(uri)));
  };
  if (calls.server.upstreams.length === 0) return undefined;
  const kind = type === 'ref/prompt' ? 'prompts' : 'resources';
  return (look() ?? (await live.find(kind, look, signal)))?.upstream;
}

/** Finds the item of an argument or a variable. `source` is undefined if it has no completion. @throws ProtocolError */
function findCompletion(
  { server: { registry } }: ServerRuntime,
  ref: CompletionReference,
  argument: string,
): { readonly item: string; readonly source: SuggestionSource | undefined } {
  if (ref.type === 'ref/prompt') {
    const prompt = registry.resolve('prompts', ref.name ?? '');
    if (!prompt) throw new ProtocolError(invalidParams, `Unknown prompt: ${ref.name}`);
    if (prompt.argumentNames.includes(argument)) {
      return { item: prompt.item, source: prompt.complete.get(argument) };
    }
    throw new ProtocolError(invalidParams, `Prompt "${ref.name}" has no argument "${argument}".`);
  }
  const uri = ref.uri ?? '';
  const resources = registry.all('resources');
  // A client may send the URI of a resource instead of its template (server/utilities/completion, Data Types).
  const resource =
    resources.find((one) => (one.uriTemplate ?? one.uri) === uri) ??
    resources.find(({ template }) => template?.match(uri));
  if (!resource) throw new ProtocolError(invalidParams, `Unknown resource template: ${uri}`);
  if (resource.template?.variables.includes(argument)) {
    return { item: resource.item, source: resource.complete.get(argument) };
  }
  throw new ProtocolError(invalidParams, `Resource template "${uri}" has no variable "${argument}".`);
}
