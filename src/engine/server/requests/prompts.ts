import { ProtocolError } from '../../items/builders.js';
import { getPrompt, PromptFailure } from '../../items/get.js';
import { type Connection, contextMaker } from '../context.js';
import { ClientInputScope, runWithInput, type RequestIdentity } from '../interaction/input-scope.js';
import type { RequestContext } from '../protocol/request.js';
import { blockFor } from '../revisions.js';
import { internalError, invalidParams } from './errors.js';
import type { Wire } from './handler.js';
import { listResult, cursorOf, selectListItems } from './lists.js';

/** `prompts/list` */
export async function listPrompts(
  connection: Connection,
  { cursor }: Wire,
  request: RequestContext,
): Promise<Wire> {
  const { specs, page } = await selectListItems('prompts', { connection, request, cursor: cursorOf(cursor) });
  return listResult('prompts', page(specs.map(({ wire }) => wire)));
}

/** `prompts/get` */
export async function get(
  connection: Connection,
  { name, arguments: args }: Wire,
  request: RequestContext,
): Promise<Wire> {
  const { calls, peer, live } = connection;
  const look = () => calls.server.registry.resolve('prompts', String(name));
  const prompt = look() ?? (await live.find('prompts', look, request.signal));
  if (!prompt) {
    const what = `Unknown prompt: ${String(name)}`;
    throw new ProtocolError(invalidParams, live.explain(what, 'prompts'));
  }
  const values = (args ?? {}) as Readonly<Record<string, string>>;
  const subject: RequestIdentity = { method: 'prompts/get', name: prompt.name, args: values };
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
  const dialogue = new ClientInputScope(connection, request, subject);
  return await runWithInput(dialogue, async () => {
    const made = await getPrompt(prompt, values, {
      calls,
      signal: request.signal,
      makeContext: contextMaker(connection, request, { dialogue }),
    }).catch((error) => {
      if (!(error instanceof PromptFailure)) throw error;
      throw new ProtocolError(error.code === 'arguments' ? invalidParams : internalError, error.message);
    });
    const version = peer.version;
    const messages = made.messages.map(({ role, content }) => ({
      role,
      content: blockFor(version, content),
    }));
    return { ...made, messages };
  });
}
