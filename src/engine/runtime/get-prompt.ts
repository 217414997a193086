import { errorMessage, safelyThrown } from '../base/thrown-value.js';
import { brands, isBranded, isProtocolError } from './authoring-symbols.js';
import { InitializeError } from './initialize.js';
import { explainInitializeFailure } from './initialize-failure.js';
import { InputRequiredSignal } from './input-required.js';
import { MissingCapabilityError, requireMet } from './requirements.js';
import { errorDetails, exposesErrors, type MakeContext, type ServerRuntime } from './server-runtime.js';
import type { PromptResult, PromptSpec } from './specs.js';
import { TimeoutError, unboundedDeadline, withTimeLimit } from './time-limit.js';

/** A prompt that cannot be rendered; `text` may go to the client. */
export class PromptFailure extends Error {
  override readonly name = 'PromptFailure';
  readonly code: 'arguments' | 'failed';

  constructor(code: PromptFailure['code'], text: string, options?: ErrorOptions) {
    super(text, options);
    this.code = code;
  }
}

/**
 * Renders the messages of a prompt.
 * @throws PromptFailure, RequirementError, InputRequiredSignal, and errors branded as protocol errors, unchanged.
 */
export async function getPrompt(
  prompt: PromptSpec,
  args: Readonly<Record<string, string>>,
  { calls, signal, makeContext }: { calls: ServerRuntime; signal: AbortSignal; makeContext: MakeContext },
): Promise<PromptResult> {
  const missing = prompt.required.filter((name) => !Object.hasOwn(args, name));
  if (missing.length > 0)
    throw new PromptFailure('arguments', `Missing required arguments: ${missing.join(', ')}`);
  await requireMet(`Prompt "${prompt.name}"`, prompt.requires, {
    context: () => makeContext(unboundedDeadline(signal)),
    env: calls.env,
  });
  try {
    const made = await withTimeLimit(
      async (limit) => {
        const ctx = makeContext(limit);
        await calls.initializers.ready({ server: calls.server.initialize }, ctx);
        return await prompt.render(args, ctx);
      },
      { timeoutMs: prompt.timeoutMs, signal },
    );
    const description = made.description ?? prompt.wire.description;
    return { ...(typeof description === 'string' && { description }), messages: made.messages };
  } catch (error) {
    if (signal.aborted) throw new PromptFailure('failed', 'Cancelled');
    throw toPromptFailure(prompt, error, calls);
  }
}

function toPromptFailure(prompt: PromptSpec, thrown: unknown, calls: ServerRuntime): unknown {
  const error = safelyThrown(thrown);
  if (isProtocolError(error)) return error;
  if (error instanceof MissingCapabilityError || error instanceof InputRequiredSignal) return error;
  if (error instanceof InitializeError) {
    const about = { what: `Prompt "${prompt.name}"`, item: calls.server.qualifiedName, calls };
    return new PromptFailure('failed', explainInitializeFailure(error, about));
  }
  if (isBranded(error, brands.toolError)) return new PromptFailure('failed', errorMessage(error));
  if (error instanceof TimeoutError)
    return new PromptFailure('failed', `Prompt "${prompt.name}" gave ${error.message}.`);
  calls.report(`${prompt.item}: ${errorDetails(error)}`);
  return new PromptFailure('failed', exposesErrors(calls) ? errorMessage(error) : 'Prompt execution failed');
}
