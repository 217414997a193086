import { errorMessage } from '../base/thrown-value.js';
import { brands, isBranded } from './authoring-symbols.js';
import type { InitializeError } from './initialize.js';
import { errorDetails, exposesErrors, type ServerRuntime } from './server-runtime.js';

/** Reports a failed `initialize` hook. Returns the sentence for the model, which begins with a label: `Tool "search"`. */
export function explainInitializeFailure(
  { cause }: InitializeError,
  { what, item, calls }: { readonly what: string; readonly item: string; readonly calls: ServerRuntime },
): string {
  calls.report(`${item}: "initialize" failed: ${errorDetails(cause)}`);
  const mayRead =
    exposesErrors(calls) || [brands.toolError, brands.exitRequest].some((one) => isBranded(cause, one));
  const reason = mayRead ? `: ${errorMessage(cause).replace(/\.$/, '')}` : '';
  return `${what} could not be initialized${reason}. The next use tries again.`;
}
