import type { CheckedInput, CheckedOutput } from '../schema/checked-schema-types.js';
import type { Context } from './context.js';
import type { Awaitable } from './definition-types/common-types.js';
import type { PromptArgumentDefinition, PromptDefinition } from './definition-types/prompt-types.js';
import type { ResourceDefinition } from './definition-types/resource-types.js';
import type { ServerDefinition } from './definition-types/server-types.js';
import type { ToolArguments, ToolDefinition, ToolOutput } from './definition-types/tool-types.js';
import type { UpstreamToolDefinition } from './definition-types/upstream-types.js';

interface CheckedSchemas<I, O> {
  readonly input?: CheckedInput<I>;
  readonly output?: CheckedOutput<O>;
}

/** A tool with a handler, as {@link defineTool} checks it. */
interface HandlerTool<I, O, R>
  extends Omit<ToolDefinition<I, O>, 'handler' | 'input' | 'output'>,
    CheckedSchemas<I, O> {
  // #region keys: tool only handler, requires handler, as (args: ToolArguments<NoInfer<I>>, ctx: Context): R
  /**
   * `handler(args, ctx)` runs the tool: a module reference, or in code a function. Required, unless there is
   * an `upstream`.
   */
  handler(args: ToolArguments<NoInfer<I>>, ctx: Context): R;
  // #endregion
  readonly upstream?: undefined;
}

/** A tool of an existing server, as {@link defineTool} checks it. `U` is `undefined` for other tools. */
interface UpstreamTool<I, O, U>
  extends Omit<UpstreamToolDefinition<I, O>, 'input' | 'output' | 'upstream'>,
    CheckedSchemas<I, O> {
  readonly upstream: UpstreamToolDefinition['upstream'] & (U extends undefined ? unknown : U);
}

/** Types a tool definition and returns it unchanged. */
// One signature: of several, the compiler reports the errors of each.
export function defineTool<
  const I = undefined,
  const O = undefined,
  const R extends Awaitable<ToolOutput<NoInfer<O>>> = Awaitable<ToolOutput<NoInfer<O>>>,
  U = undefined,
>(
  // For a tool with neither, the compiler names the key that the last one requires.
  definition: UpstreamTool<I, O, U> | HandlerTool<I, O, R>,
): [U] extends [undefined] ? ToolDefinition<I, O> : UpstreamToolDefinition<I, O>;
export function defineTool(definition: object): object {
  return requireObject('tool', definition);
}

/** Types a prompt definition and returns it unchanged. */
export function definePrompt(definition: PromptDefinition<readonly []>): PromptDefinition<readonly []>;
// `A` has no default: the default would type the parameters of `complete` before `A` is inferred.
export function definePrompt<const A extends readonly PromptArgumentDefinition[]>(
  definition: PromptDefinition<A>,
): PromptDefinition<A>;
export function definePrompt(definition: PromptDefinition): PromptDefinition {
  return requireObject('prompt', definition);
}

/** Types a resource definition and returns it unchanged. */
export function defineResource(definition: ResourceDefinition): ResourceDefinition {
  return requireObject('resource', definition);
}

/** Types a server definition and returns it unchanged. */
export function defineServer(definition: ServerDefinition): ServerDefinition {
  return requireObject('server', definition);
}

/** Catches a definition in JavaScript that is not an object, which types cannot. @throws TypeError */
function requireObject<T>(kind: string, definition: T): T {
  if (typeof definition === 'object' && definition !== null && !Array.isArray(definition)) return definition;
  throw new TypeError(`The definition of a ${kind} is an object.`);
}
