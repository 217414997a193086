import type { Context } from '../context.js';
import type { Annotations } from '../result-builders.js';
import type { Awaitable, CacheDefinition, CompletionSource, Icon } from './common-types.js';

type ResourceReturn =
  | string
  | Uint8Array
  | object
  | readonly (string | Uint8Array | object)[]
  | null
  | undefined;

/** Returns the content; undefined or null if there is no such resource. */
type ReadResource = (
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
  ctx: Context,
) => Awaitable<ResourceReturn>;

/** A resource of a template, as a list entry. Absent keys come from the template. */
interface TemplateResource {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes, if known. */
  readonly size?: number;
  readonly icons?: readonly Icon[];
  readonly annotations?: Annotations;
  readonly category?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

type ListTemplateResources = (ctx: Context) => Awaitable<readonly TemplateResource[]>;

/** A resource as its author writes it: `uri` or `uriTemplate`, and one of `text`, `file`, `read`. */
export type ResourceDefinition = ResourceBase &
  ((FixedUriResource & (TextContent | FileContent | ReadContent)) | (UriTemplateResource & ReadContent));

interface FixedUriResource {
  // #region keys: resource only uri, requires uri
  /** The address: an absolute URI with any scheme. */
  readonly uri: string;
  // #endregion
  readonly uriTemplate?: undefined;
  readonly list?: undefined;
  readonly complete?: undefined;
}

interface UriTemplateResource {
  // #region keys: resource only uriTemplate, list, complete, requires uriTemplate
  /** Replaces `uri`: the RFC 6570 template of many addresses. */
  readonly uriTemplate: string;
  /** `list(ctx)` returns the resources of a template. */
  readonly list?: ListTemplateResources;
  /** Suggestions for variables of the template, by variable: a list, or `complete(value, ctx)`. */
  readonly complete?: Readonly<Record<string, CompletionSource>>;
  // #endregion
  readonly uri?: undefined;
}

interface TextContent {
  // #region keys: resource only text, requires text
  /** The content as text. */
  readonly text: string;
  // #endregion
  readonly file?: undefined;
  readonly read?: undefined;
}

interface FileContent {
  // #region keys: resource only file, requires file
  /** The content as a file of the package: a path relative to the package folder. */
  readonly file: string;
  // #endregion
  readonly text?: undefined;
  readonly read?: undefined;
}

interface ReadContent {
  // #region keys: resource only read, requires read
  /** `read(uri, variables, ctx)` returns the content, or nothing if the resource does not exist. */
  readonly read: ReadResource;
  // #endregion
  readonly text?: undefined;
  readonly file?: undefined;
}

interface ResourceBase {
  // #region keys: resource without uri, uriTemplate, text, file, read, list, complete
  /** The media type. Default: derived from the ending of `file`; `text/plain` for `text`. */
  readonly mimeType?: string;
  /** The wire name, which clients see. Default: the item name. */
  readonly name?: string;
  /** A name for users. Default: the item name. */
  readonly title?: string;
  /** The content of the resource, in words. */
  readonly description?: string;
  /**
   * The annotations of MCP: `audience` (of `"user"` and `"assistant"`), `priority` (0 to 1) and
   * `lastModified` (ISO 8601).
   */
  readonly annotations?: Annotations;
  /** The size in bytes, if known. */
  readonly size?: number;
  /** `true`: clients can subscribe to changes, which `ctx.notifyResourceUpdated` reports. */
  readonly subscribable?: boolean;
  /** How long clients can reuse the content. AgentTools sends it to clients of revision 2026-07-28. */
  readonly cache?: CacheDefinition;
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
  /** The timeout of `read` in milliseconds. Default: 60000. */
  readonly timeoutMs?: number;
  // #endregion
}
