import type { DocumentPath } from '../base/files/document-path.js';
import type { Definition } from '../extension/extension.js';
import type { UriTemplate } from '../extension/uri-template.js';
import type { CompiledSchema } from '../schema/index.js';
import type { Context, ItemRegistry, ListedKind } from './context.js';
import type { Lazy } from './lazy-function.js';
import type { PromptMessage } from './result-builders.js';
import type { ToolUpstream } from './upstream.js';
import type { WireItem } from './wire-item.js';

/** How long clients may reuse something. @see MCP 2026-07-28, server/utilities/caching */
export interface CacheHint {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

interface Spec {
  /** Qualified name. */
  readonly item: string;
  /** Wire name, unique within a server. */
  readonly name: string;
  /** What the list method shows. */
  readonly wire: WireItem;
  /** Left out of lists; still usable by name. */
  readonly hidden: boolean;
  readonly timeoutMs: number;
  readonly requires: Requirements;
  readonly cache: CacheHint | undefined;
  readonly definition: Definition;
}

/** One thing that is needed, by its name; a list: one of these. */
export type Requirement = string | readonly string[];

/** What an item needs before it can work. */
export interface Requirements {
  /** Client capabilities. */
  readonly client: readonly string[];
  /** Environment variables. */
  readonly env: readonly Requirement[];
  /** Programs. */
  readonly bin: readonly Requirement[];
  readonly level: 'required' | 'suggested';
}

export type ToolHandler = (args: unknown, ctx: Context) => unknown;
export type Initializer = (ctx: Context) => unknown;

/** Picks the items that a list shows to whoever asks. */
export type ListHook = (ctx: Context, registry: ItemRegistry) => unknown;
export type ListHooks = Readonly<Partial<Record<ListedKind, Lazy<ListHook>>>>;

/** A tool, ready to be listed and called. */
export interface ToolSpec extends Spec {
  readonly kind: 'tools';
  /** As the server that lists it has changed it: it takes what clients know, and gives what the handler knows. */
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  readonly handler: Lazy<ToolHandler>;
  /** Who answers in place of the handler; undefined: the handler does. */
  readonly upstream: ToolUpstream | undefined;
  readonly initialize: Lazy<Initializer> | undefined;
  /** Defaults of the options the user may set. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly onOutputMismatch: 'error' | 'warn';
  /** Undefined: whoever calls it waits for it. */
  readonly task: TaskSupport | undefined;
  /** Undefined: none was asked for; null: none is wanted. */
  readonly ui: ToolUi | null | undefined;
}

/** How a tool works on without anybody waiting for it. @see SEP-2663 */
export interface TaskSupport {
  /** Whether it can be called by clients that do not know tasks, too. */
  readonly support: 'optional' | 'required';
  readonly begins: 'call' | 'handler';
}

/** Who may call a tool: the model, or apps of its server. @see MCP Apps 2026-01-26, "Resource Discovery" */
export type ToolVisibility = 'model' | 'app';

/** What a tool is to clients that show UI. */
export interface ToolUi {
  /** The app it names, and who says so. */
  readonly named: NamedApp | undefined;
  /** The app that shows its results, if the server has it. */
  readonly app: AppSpec | undefined;
  readonly visibility: readonly ToolVisibility[];
  /** Whether it has its app right now. */
  readonly when: Lazy<(ctx: Context) => unknown> | undefined;
  /** `_meta` that its author wrote by hand for such clients; sent as it is. */
  readonly written?: Readonly<Record<string, unknown>>;
}

/** An app by the name that a definition gives it. */
export interface NamedApp {
  readonly reference: string;
  /** Whose names count. */
  readonly from: Definition;
  readonly path: DocumentPath;
}

/** Suggestions for a value being typed. */
export type CompleteFunction = (value: string, ctx: Context) => unknown;

/** All values there are, or code that is asked for those that fit. */
export type SuggestionSource = readonly string[] | Lazy<CompleteFunction>;

/** A prompt, ready to be listed and fetched. */
export interface PromptSpec extends Spec {
  readonly kind: 'prompts';
  /** Names of the arguments that must be given. */
  readonly required: readonly string[];
  readonly argumentNames: readonly string[];
  /** Whether code of the extension makes its messages. */
  readonly isCode: boolean;
  /** Messages for already checked arguments. */
  render(args: Readonly<Record<string, string>>, ctx: Context): Promise<PromptResult>;
  readonly complete: ReadonlyMap<string, SuggestionSource>;
}

export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** One piece of what a resource holds. */
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
  /** What hosts are told of it, as its file says now. */
  metadata(): Promise<AppMetadata>;
  /** Its page, without metadata. @throws ResultError if it can no longer be read. */
  page(): Promise<ResourceContents>;
}

/** What hosts are told of an app. */
export interface AppMetadata {
  /** `_meta` of its contents; empty if nothing is said. */
  readonly meta: { readonly ui?: Readonly<Record<string, unknown>> };
  /** Why its file does not count. */
  readonly problem?: { readonly file: string; readonly reason: string };
}

/** A resource or a template of resources, ready to be listed and read. */
export interface ResourceSpec extends Spec {
  readonly kind: 'resources';
  readonly uri: string | undefined;
  readonly uriTemplate: string | undefined;
  /** Tells which addresses are those of a template, and what for. */
  readonly template: UriTemplate | undefined;
  /** Whether code of the extension reads it. */
  readonly isCode: boolean;
  /** What it holds; undefined if there is no such resource after all. */
  read(
    uri: string,
    variables: Readonly<Record<string, unknown>>,
    ctx: Context,
  ): Promise<readonly ResourceContents[] | undefined>;
  /** The resources of a template, as list entries. */
  readonly list: Lazy<(ctx: Context) => unknown> | undefined;
  readonly complete: ReadonlyMap<string, SuggestionSource>;
  /** Whether clients may ask to be told when it changes. */
  readonly subscribable: boolean;
}
