import { ProtocolError, type ServerContext, UriTemplate } from '@modelcontextprotocol/server';
import { brands, isBranded } from '../../items/brands.js';
import { type Calls, detailsOf } from '../../items/calls.js';
import type { Lazy } from '../../items/lazy.js';
import type { Complete } from '../../items/specs.js';
import { withTimeLimit } from '../../items/time-limit.js';
import { type Connection, contextMaker } from '../context.js';
import { internalError, invalidParams } from './errors.js';
import type { Wire } from './handler.js';

/** At most this many suggestions are sent. @see MCP, server/utilities/completion */
const maxSuggestions = 100;

/** Suggestions come while somebody types; later ones are of no use. */
const timeoutMs = 10_000;

/** `completion/complete` */
export async function complete(connection: Connection, params: Wire, request: ServerContext): Promise<Wire> {
  const { ref, argument, context } = params as {
    ref: { type: string; name?: string; uri?: string };
    argument: { name: string; value: string };
    context?: { arguments?: Readonly<Record<string, string>> };
  };
  const source = completionOf(connection.calls, ref, argument.name);
  if (!source) return { completion: { values: [], total: 0, hasMore: false } };
  const makeContext = contextMaker(connection, request);
  const values = await withTimeLimit(
    async (limit) => {
      const suggest = await source();
      return await suggest(argument.value, { ...makeContext(limit), arguments: context?.arguments ?? {} });
    },
    { timeoutMs, signal: request.mcpReq.signal },
  ).catch((error) => {
    if (isBranded(error, brands.protocolError)) throw error;
    connection.calls.report(`Completion of "${argument.name}": ${detailsOf(error)}`);
    throw new ProtocolError(internalError, 'Completion failed');
  });
  const list = (Array.isArray(values) ? values : []).map(String);
  return {
    completion: {
      values: list.slice(0, maxSuggestions),
      total: list.length,
      hasMore: list.length > maxSuggestions,
    },
  };
}

/** Who completes an argument of a prompt or a variable of a template, if anybody does. */
function completionOf(
  { server: { registry } }: Calls,
  ref: { type: string; name?: string; uri?: string },
  argument: string,
): Lazy<Complete> | undefined {
  if (ref.type === 'ref/prompt') {
    const prompt = registry.resolve('prompts', ref.name ?? '');
    if (!prompt) throw new ProtocolError(invalidParams, `Unknown prompt: ${ref.name}`);
    if (!prompt.argumentNames.includes(argument)) {
      throw new ProtocolError(invalidParams, `Prompt "${ref.name}" has no argument "${argument}".`);
    }
    return prompt.complete.get(argument);
  }
  const resource = registry.all('resources').find(({ uriTemplate, uri }) => (uriTemplate ?? uri) === ref.uri);
  if (!resource) throw new ProtocolError(invalidParams, `Unknown resource template: ${ref.uri}`);
  const variables =
    resource.uriTemplate === undefined ? [] : new UriTemplate(resource.uriTemplate).variableNames;
  if (!variables.includes(argument)) {
    throw new ProtocolError(invalidParams, `Resource template "${ref.uri}" has no variable "${argument}".`);
  }
  return resource.complete.get(argument);
}
