import { contextMaker } from '../interaction/handler-context.js';
import { ClientInputScope, runWithInput } from '../interaction/input-scope.js';
import type { Connection, RequestIdentity } from '../live/connection.js';
import { downgradeBlock } from '../protocol/downgrade-content.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { internalError, invalidParams } from '../protocol/request-errors.js';
import { getPrompt, PromptFailure } from '../runtime/get-prompt.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { listResult, selectListItems, toCursor } from './lists.js';

/** `prompts/list` */
export async function listPrompts(
  connection: Connection,
  { cursor }: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const { specs, page } = await selectListItems('prompts', { connection, request, cursor: toCursor(cursor) });
  return listResult('prompts', page(specs.map(({ wire }) => wire)));
}

/** `prompts/get` */
export async function get(
  connection: Connection,
  { name, arguments: args }: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const { calls, peer, live } = connection;
  const look = () => calls.server.registry.resolve('prompts', String(name));
  const prompt = look() ?? (await live.find('prompts', look, request.signal));
  if (!prompt) {
    const what = `Unknown prompt: ${String(name)}`;
    throw new ProtocolError(invalidParams, live.explain(what, 'prompts'));
  }
  const values = (args ?? {}) as Readonly<Record<string, string>>;
  const subject: RequestIdentity = { method: 'prompts/get', name: prompt.name, args: values };
  if (prompt.upstream) {
    const { getUpstreamPrompt } = await import('./upstream-items.js');
    return await getUpstreamPrompt(
      { ...prompt, upstream: prompt.upstream },
      { connection, request, subject },
    );
  }
  const { host } = connection;
  if (host && (prompt.isCode || calls.server.initialize)) {
    const params = { name: prompt.name, arguments: values };
    const { timeoutMs } = prompt;
    return await host.answer(connection, request, {
      params,
      what: `Prompt "${prompt.name}"`,
      timeoutMs,
      subject,
    });
  }
  const inputScope = new ClientInputScope(connection, request, subject);
  return await runWithInput(inputScope, async () => {
    const made = await getPrompt(prompt, values, {
      calls,
      signal: request.signal,
      makeContext: contextMaker(connection, request, { inputScope }),
    }).catch((error) => {
      if (!(error instanceof PromptFailure)) throw error;
      throw new ProtocolError(error.code === 'arguments' ? invalidParams : internalError, error.message);
    });
    const version = peer.version;
    const messages = made.messages.map(({ role, content }) => ({
      role,
      content: downgradeBlock(version, content),
    }));
    return { ...made, messages };
  });
}
