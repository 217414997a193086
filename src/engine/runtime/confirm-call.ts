import { visibleMessage } from '../base/visible-text.js';
import type { AskOptions, Context } from './context.js';
import { error as failure } from './result-builders.js';
import type { Requirements, ToolSpec } from './specs.js';

/** Longest quotation of arguments in a question, in characters. */
const maxQuoted = 2000;

/** An input request that counts as answered only if the server has sent it: its answer proves that a user was asked. */
const confirmationOptions: AskOptions & { readonly isProof: true } = {
  key: 'user-confirmation',
  isProof: true,
};

/** True for a definition or an override with `confirm: "user"`. */
export function wantsConfirmation(value: unknown): boolean {
  return value === 'user';
}

/** Requirements of a tool that demands a confirmation, beside its own. */
export const confirmation: Requirements = { client: ['elicitation'], env: [], bin: [], level: 'required' };

/** Runs a call if the user allows it. Returns its result, or a failure. */
export async function runConfirmed(
  tool: ToolSpec,
  args: Readonly<Record<string, unknown>>,
  ctx: Context,
  run: () => unknown,
): Promise<unknown> {
  const text = JSON.stringify(args);
  const quoted = text.length > maxQuoted ? `${text.slice(0, maxQuoted)}… (${text.length} characters)` : text;
  const message = `Allow the call of the tool "${tool.name}" with ${visibleMessage(quoted)}?`;
  const schema = { type: 'object', properties: {} };
  const { action } = await ctx.elicit(message, schema, confirmationOptions);
  if (action === 'accept') return await run();
  return failure(
    action === 'decline'
      ? `The user declined the call of tool "${tool.name}".`
      : `The user did not confirm the call of tool "${tool.name}".`,
  );
}
