import type { InferInput, InferOutput } from '../../schema/inferred-types.js';
import type { Context } from '../context.js';
import type { ToolResult } from '../result-builders.js';
import type { Awaitable, Icon, Requires } from './common-types.js';

/** UI settings of a tool. */
export interface UiDefinition {
  // #region keys: tool.ui
  /**
   * The app: a name of this package, or a qualified name such as `@acme/weather/forecast-viewer`. Default: no
   * app.
   */
  readonly app?: string;
  /** The callers of the tool. Default: `["model", "app"]`. */
  readonly visibility?: readonly ('model' | 'app')[];
  /**
   * `when(ctx)` runs at each list of tools and returns whether the tool has its app. If it returns a falsy
   * value, throws or takes longer than one second, the tool works without the app.
   */
  when?(ctx: Context): Awaitable<boolean>;
  // #endregion
}

/** Return value of a tool without output schema: anything with a JSON form, blocks, or a finished result. */
type ToolReturn = unknown;

/** Type of a handler's arguments for an input schema. */
export type ToolArguments<I> = I extends undefined ? Record<string, unknown> : InferInput<I>;

/** Return type of a handler for an output schema. */
export type ToolOutput<O> = O extends undefined ? ToolReturn : InferOutput<O> | ToolResult;

/** A tool as its author writes it. The schemas `I` and `O` type the arguments and the result. */
export interface ToolDefinition<I = undefined, O = undefined> {
  // #region keys: tool without upstream, requires handler
  /**
   * `handler(args, ctx)` runs the tool: a module reference, or in code a function. Required, unless there is
   * an `upstream`.
   */
  handler(args: ToolArguments<I>, ctx: Context): Awaitable<ToolOutput<O>>;
  /** The wire name, which clients see: at most 128 of `A-Z a-z 0-9 _ . -`. Default: the item name. */
  readonly name?: string;
  /** A name for users. Default: the item name. */
  readonly title?: string;
  /** The purpose of the tool and when to use it. The model reads this text to choose a tool. */
  readonly description?: string;
  /**
   * The schema of the arguments: a field spec, JSON Schema, JSON text or Standard Schema. If omitted, it can
   * be derived from types.
   */
  readonly input?: I;
  /** The schema of the structured result, in the same forms as `input`. */
  readonly output?: O;
  /** The arguments as plain JSON Schema, an object or its text. Overrides `input`. */
  readonly inputSchema?: object | string;
  /** The structured result as plain JSON Schema, an object or its text. Overrides `output`. */
  readonly outputSchema?: object | string;
  /** `initialize(ctx)` runs once, before the first call. */
  initialize?(ctx: Context): unknown;
  /** Options that the user can set, with their defaults. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Hints for clients. */
  readonly annotations?: {
    /** Older key of the `title`. */
    readonly title?: string;
    /** `true`: a call changes nothing. */
    readonly readOnlyHint?: boolean;
    /** `true`: a call can destroy something. */
    readonly destructiveHint?: boolean;
    /** `true`: the same call again has no additional effect. */
    readonly idempotentHint?: boolean;
    /** `true`: a call interacts with external systems. */
    readonly openWorldHint?: boolean;
  };
  /** A word that groups items, sent as `_meta.category`. `null`: none. */
  readonly category?: string | null;
  /** Additional fields of `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** The UI app that shows the results: its name, or an object with more settings. `null`: no app. */
  readonly ui?: string | UiDefinition | null;
  /** Icons that clients can show. */
  readonly icons?: readonly Icon[];
  /** `true`: lists omit the item. Clients can still use it by name. */
  readonly hidden?: boolean;
  /** The opposite of `hidden`. If both are present, `hidden` wins. */
  readonly visible?: boolean;
  /**
   * The timeout of one call in milliseconds. Default: 60000, or one hour with `task`. The timeout pauses
   * while the tool waits for the user.
   */
  readonly timeoutMs?: number;
  /**
   * The reaction to a result that does not match the output schema: `"error"` or `"warn"`. Default:
   * `"error"`.
   */
  readonly onOutputMismatch?: 'error' | 'warn';
  /** `"user"`: before each call, the client asks its user. Clients that cannot ask cannot call the tool. */
  readonly confirm?: 'user';
  /**
   * Requirements: a list of client capabilities, or an object. If a required one is missing, AgentTools
   * reports it and does not run the item.
   */
  readonly requires?: Requires;
  /**
   * `"optional"`: clients that support tasks get a task, others wait. `"required"`: only clients that support
   * tasks can call the tool.
   */
  readonly task?: 'optional' | 'required';
  /**
   * The start of the task: `"call"`, or `"handler"` if the handler calls `ctx.beginTask()`. Default:
   * `"call"`.
   */
  readonly taskBegins?: 'call' | 'handler';
  // #endregion
}
