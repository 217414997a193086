import type { Capability } from '../capabilities.js';
import type { Context } from '../context.js';

export type Awaitable<T> = T | Promise<T>;

export interface Icon {
  // #region keys: tool.icons
  /** An `https:` or `data:` URL. */
  readonly src: string;
  /** `image/png`, `image/jpeg`, `image/svg+xml` or `image/webp`. */
  readonly mimeType?: string;
  /** Sizes such as `"48x48"`, or `"any"`. */
  readonly sizes?: readonly string[];
  /** The theme that the icon is drawn for: `"light"` or `"dark"`. */
  readonly theme?: 'light' | 'dark';
  // #endregion
}

export interface CacheDefinition {
  // #region keys: resource.cache
  /** The time in milliseconds. Default: 0, no reuse. */
  readonly ttlMs?: number;
  /** `"public"`: users can share a copy. `"private"`: one copy per user. Default: `"private"`. */
  readonly scope?: 'public' | 'private';
  // #endregion
}

/** A requirement by its name; in a list, one of the names suffices. */
type RequirementInput = string | readonly [string, ...string[]];

/** Requirements of an item: client capabilities, or an object with a level. */
export type Requires =
  | readonly Capability[]
  | {
      // #region keys: tool.requires
      /** Capabilities of the client. */
      readonly client?: readonly Capability[];
      /** Environment variables. A nested list contains alternatives. */
      readonly env?: readonly RequirementInput[];
      /** Programs on the `PATH`. A nested list contains alternatives. */
      readonly bin?: readonly RequirementInput[];
      /**
       * Tools of the same package that the item calls with `ctx.callTool`. A server without a tool of that
       * name gets it, hidden.
       */
      readonly tools?: string | readonly string[];
      /** `"required"`: the item does not run without them. `"suggested"`: it can. Default: `"required"`. */
      readonly level?: 'required' | 'suggested';
      // #endregion
    };

/** Suggestions: a list, filtered by the typed prefix, or a function of the typed value. */
export type CompletionSource =
  | readonly string[]
  | ((value: string, ctx: Context) => Awaitable<readonly string[] | SuggestedValues>);

/** Suggestions, possibly a part of all. */
interface SuggestedValues {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
