import type { Context } from '../context.js';
import type { ContentBlock, PromptMessage, ToolResult } from '../result-builders.js';
import type { Awaitable, CompletionSource, Icon, Requires } from './common-types.js';

export interface PromptArgumentDefinition {
  // #region keys: prompt.arguments
  /** The name of the argument, also in templates and functions. */
  readonly name: string;
  /** A name for users. */
  readonly title?: string;
  /** The meaning of the value, for the user. */
  readonly description?: string;
  /** `true`: the user must enter a value. Default: `false`. */
  readonly required?: boolean;
  /** Suggestions: a list, or `complete(value, ctx)`. */
  readonly complete?: CompletionSource;
  // #endregion
}

/** Arguments of a prompt function. Required arguments are always present. */
export type PromptArguments<A extends readonly PromptArgumentDefinition[]> = {
  readonly [K in A[number] as K extends { readonly required: true } ? K['name'] : never]: string;
} & {
  readonly [K in A[number] as K extends { readonly required: true } ? never : K['name']]?: string;
};

type MessagePiece = string | ContentBlock | ToolResult;

/** A message of the user or the model. Several pieces become several messages. */
interface PromptTurn {
  readonly role: 'user' | 'assistant';
  readonly content: MessagePiece | readonly MessagePiece[];
}

type PromptReturn =
  | string
  | number
  | ContentBlock
  | ToolResult
  | readonly (MessagePiece | PromptMessage | PromptTurn)[]
  | {
      readonly description?: string;
      readonly messages: readonly (MessagePiece | PromptMessage | PromptTurn)[];
    };

type StaticContent = string | { readonly template: string } | ContentBlock;

/** Literal text, a template with `{{name}}` slots, or a function. */
type PromptContent<A extends readonly PromptArgumentDefinition[]> =
  | string
  | { readonly template: string }
  | ((args: PromptArguments<A>, ctx: Context) => Awaitable<PromptReturn>);

/** A prompt as its author writes it: `content`, or `messages` with roles. */
export interface PromptDefinition<
  A extends readonly PromptArgumentDefinition[] = readonly PromptArgumentDefinition[],
> {
  // #region keys: prompt
  /** Text, `{ "template": … }` with `{{name}}` slots, or `content(args, ctx)`. */
  readonly content?: PromptContent<A>;
  /** Replaces `content`: several messages with roles. */
  readonly messages?: readonly {
    /** The sender of the message: `"user"` or `"assistant"`. */
    readonly role: 'user' | 'assistant';
    /** Text, `{ "template": … }`, a content block, or a list of these. */
    readonly content: StaticContent | readonly StaticContent[];
  }[];
  /**
   * The type of `content`. `"function"`: a string is a module reference. `"text"`: a string is text.
   * `"auto"`: a string is text, and a function is called. Default: `"auto"`.
   */
  readonly type?: 'text' | 'function' | 'auto';
  /** The values that the user enters. */
  readonly arguments?: A;
  /** The wire name, which clients see. Default: the item name. */
  readonly name?: string;
  /** A name for users. Default: the item name. */
  readonly title?: string;
  /** The purpose of the prompt. */
  readonly description?: string;
  /** A word that groups items, sent as `_meta.category`. `null`: none. */
  readonly category?: string | null;
  /** Additional fields of `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Icons that clients can show. */
  readonly icons?: readonly Icon[];
  /** `true`: lists omit the item. Clients can still use it by name. */
  readonly hidden?: boolean;
  /** The opposite of `hidden`. If both are present, `hidden` wins. */
  readonly visible?: boolean;
  /** The timeout of `content` in milliseconds. Default: 60000. */
  readonly timeoutMs?: number;
  /**
   * Requirements: a list of client capabilities, or an object. If a required one is missing, AgentTools
   * reports it and does not run the item.
   */
  readonly requires?: Requires;
  // #endregion
}
