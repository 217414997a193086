import { ProtocolError } from '../../items/builders.js';
import { getPrompt, PromptFailure } from '../../items/get.js';
import { type Connection, contextMaker } from '../context.js';
import { Dialogue, inDialogue, type Subject } from '../interaction/dialogue.js';
import type { RequestContext } from '../protocol/request.js';
import { blockFor } from '../revisions.js';
import { internalError, invalidParams } from './errors.js';
import type { Wire } from './handler.js';
import { answerOf, cursorOf, shownItems } from './lists.js';

/** `prompts/list` */
export async function listPrompts(
  connection: Connection,
  { cursor }: Wire,
  request: RequestContext,
): Promise<Wire> {
  const { specs, page } = await shownItems('prompts', { connection, request, cursor: cursorOf(cursor) });
  return answerOf('prompts', page(specs.map(({ wire }) => wire)));
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
  const subject: Subject = { method: 'prompts/get', name: prompt.name, args: values };
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
  const dialogue = new Dialogue(connection, request, subject);
  return await inDialogue(dialogue, async () => {
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
