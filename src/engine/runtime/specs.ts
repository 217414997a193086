import type { DocumentPath } from '../base/files/document-path.js';
import type { Definition } from '../extension/extension.js';
import type { UriTemplate } from '../extension/uri-template.js';
import type { CompiledSchema } from '../schema/index.js';
import type { Context, ItemRegistry, ListedKind } from './context.js';
import type { Lazy } from './lazy-function.js';
import type { PromptMessage } from './result-builders.js';
import type { ItemUpstream, ToolUpstream } from './upstream.js';
import type { WireItem } from './wire-item.js';

/** How long clients may reuse a response. @see MCP 2026-07-28, server/utilities/caching */
export interface CacheHint {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

interface Spec {
  /** Qualified name. */
  readonly item: string;
  /** Wire name, unique within a server. */
  readonly name: string;
  /** Entry of the list method. */
  readonly wire: WireItem;
  /** Omitted from lists; still usable by name. */
  readonly hidden: boolean;
  readonly timeoutMs: number;
  readonly requires: Requirements;
  readonly cache: CacheHint | undefined;
  readonly definition: Definition;
}

/** A requirement by its name; in a list, one of the names suffices. */
export type Requirement = string | readonly string[];

/** Requirements of an item. */
export interface Requirements {
  /** Client capabilities. */
  readonly client: readonly string[];
  /** Environment variables. */
  readonly env: readonly Requirement[];
  /** Programs. */
  readonly bin: readonly Requirement[];
  readonly level: 'required' | 'suggested';
  /** Names of tools of the same package that the item calls. Absent: none. */
  readonly tools?: readonly string[];
}

export type ToolHandler = (args: unknown, ctx: Context) => unknown;
export type Initializer = (ctx: Context) => unknown;

/** Chooses the items that the current client sees in a list. */
export type ListHook = (ctx: Context, registry: ItemRegistry) => unknown;
export type ListHooks = Readonly<Partial<Record<ListedKind, Lazy<ListHook>>>>;

/** A tool, ready to be listed and called. */
export interface ToolSpec extends Spec {
  readonly kind: 'tools';
  /** Name at an upstream server that MCP does not permit. Calls by it work, too. */
  readonly otherName?: string;
  /**
   * Includes the overrides of the server that lists the tool: it accepts the arguments that clients know, and returns
   * the arguments that the handler knows.
   */
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  readonly handler: Lazy<ToolHandler>;
  /** The upstream tool that answers in place of the handler; undefined: the handler answers. */
  readonly upstream: ToolUpstream | undefined;
  readonly initialize: Lazy<Initializer> | undefined;
  /** Defaults of the options that the user may set. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly onOutputMismatch: 'error' | 'warn';
  /** True if the user must allow each call. */
  readonly isConfirmed?: boolean;
  /** Undefined: clients wait for the result. */
  readonly task: TaskSupport | undefined;
  /** Undefined: not set; null: no UI. */
  readonly ui: ToolUi | null | undefined;
}

/** Task support of a tool: the client need not wait for the result. @see SEP-2663 */
export interface TaskSupport {
  /** `optional`: clients without task support can call the tool too. */
  readonly support: 'optional' | 'required';
  readonly begins: 'call' | 'handler';
}

/** A caller of a tool: the model, or apps of its server. @see MCP Apps 2026-01-26, "Resource Discovery" */
export type ToolVisibility = 'model' | 'app';

/** UI of a tool, for clients that show UI. */
export interface ToolUi {
  /** The app that the definition names. */
  readonly named: NamedApp | undefined;
  /** The app that shows the results, if the server has it. */
  readonly app: AppSpec | undefined;
  readonly visibility: readonly ToolVisibility[];
  /** Returns true if the tool has its app right now. */
  readonly when: Lazy<(ctx: Context) => unknown> | undefined;
  /** `_meta` that its author wrote by hand for such clients; sent unchanged. */
  readonly written?: Readonly<Record<string, unknown>>;
}

/** An app by the name in a definition. */
export interface NamedApp {
  readonly reference: string;
  /** The definition that resolves the name. */
  readonly from: Definition;
  readonly path: DocumentPath;
}

/** Returns suggestions for a partly typed value. */
export type CompleteFunction = (value: string, ctx: Context) => unknown;

/** All values, or a function that returns the matching values. */
export type SuggestionSource = readonly string[] | Lazy<CompleteFunction>;

/** A prompt, ready to be listed and fetched. */
export interface PromptSpec extends Spec {
  readonly kind: 'prompts';
  /** Names of the required arguments. */
  readonly required: readonly string[];
  readonly argumentNames: readonly string[];
  /** True if code of the extension creates its messages. */
  readonly isCode: boolean;
  /** Messages for checked arguments. */
  render(args: Readonly<Record<string, string>>, ctx: Context): Promise<PromptResult>;
  readonly complete: ReadonlyMap<string, SuggestionSource>;
  /** The upstream prompt that answers in place of `render`. */
  readonly upstream?: ItemUpstream;
}

export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** One part of a resource's contents. */
export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A UI app, ready to be listed and read. */
export interface AppSpec extends Spec {
  readonly kind: 'apps';
  readonly uri: string;
  /** Metadata for hosts, from the present content of its file. */
  metadata(): Promise<AppMetadata>;
  /** Its page, without metadata. @throws ResultError if the page is no longer readable. */
  page(): Promise<ResourceContents>;
}

/** Metadata of an app, for hosts. */
export interface AppMetadata {
  /** `_meta` of its contents; empty without metadata. */
  readonly meta: { readonly ui?: Readonly<Record<string, unknown>> };
  /** The reason that its file is ignored. */
  readonly problem?: { readonly file: string; readonly reason: string };
}

/** A resource or a template of resources, ready to be listed and read. */
export interface ResourceSpec extends Spec {
  readonly kind: 'resources';
  readonly uri: string | undefined;
  readonly uriTemplate: string | undefined;
  /** Matches the URIs of a template and reads their variables. */
  readonly template: UriTemplate | undefined;
  /** True if code of the extension reads it. */
  readonly isCode: boolean;
  /** Its contents; undefined if there is no such resource. */
  read(
    uri: string,
    variables: Readonly<Record<string, unknown>>,
    ctx: Context,
  ): Promise<readonly ResourceContents[] | undefined>;
  /** The resources of a template, as list entries. */
  readonly list: Lazy<(ctx: Context) => unknown> | undefined;
  readonly complete: ReadonlyMap<string, SuggestionSource>;
  /** True if clients may subscribe to changes. */
  readonly subscribable: boolean;
  /** The upstream resource that answers in place of `read`. */
  readonly upstream?: ItemUpstream;
}
