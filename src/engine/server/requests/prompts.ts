import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { getPrompt, PromptFailure } from '../../items/get.js';
import { type Connection, contextMaker } from '../context.js';
import { Dialogue, inDialogue } from '../interaction/dialogue.js';
import { blockFor } from '../revisions.js';
import { internalError, invalidParams } from './errors.js';
import type { Wire } from './handler.js';
import { answerOf, cursorOf, shownItems } from './lists.js';

/** `prompts/list` */
export async function listPrompts(
  connection: Connection,
  { cursor }: Wire,
  request: ServerContext,
): Promise<Wire> {
  const { specs, page } = await shownItems('prompts', { connection, request, cursor: cursorOf(cursor) });
  return answerOf('prompts', page(specs.map(({ wire }) => wire)));
}

/** `prompts/get` */
export async function get(
  connection: Connection,
  { name, arguments: args }: Wire,
  request: ServerContext,
): Promise<Wire> {
  const { calls, server, outstanding } = connection;
  const look = () => calls.server.registry.resolve('prompts', String(name));
  const prompt = look() ?? (await outstanding?.find('prompts', look, request.mcpReq.signal));
  if (!prompt) {
    const what = `Unknown prompt: ${String(name)}`;
    throw new ProtocolError(invalidParams, outstanding?.explain(what, 'prompts') ?? what);
  }
  const values = (args ?? {}) as Readonly<Record<string, string>>;
  const dialogue = new Dialogue(connection, request, {
    method: 'prompts/get',
    name: prompt.name,
    args: values,
  });
  return await inDialogue(dialogue, async () => {
    const made = await getPrompt(prompt, values, {
      calls,
      signal: request.mcpReq.signal,
      makeContext: contextMaker(connection, request, { dialogue }),
    }).catch((error) => {
      if (!(error instanceof PromptFailure)) throw error;
      throw new ProtocolError(error.code === 'arguments' ? invalidParams : internalError, error.message);
    });
    const version = server.getNegotiatedProtocolVersion();
    const messages = made.messages.map(({ role, content }) => ({
      role,
      content: blockFor(version, content),
    }));
    return { ...made, messages };
  });
}
