import type { CheckedInput, CheckedOutput } from '../schema/checked-schema-types.js';
import type { InferInput, InferOutput } from '../schema/inferred-types.js';
import type { Capability } from './capabilities.js';
import type { Context, ItemPage, ItemRegistry, ListedItem } from './context.js';
import type { Annotations, ContentBlock, PromptMessage, ToolResult } from './result-builders.js';

export type Awaitable<T> = T | Promise<T>;

interface Icon {
  /** An `https:` or `data:` URL. */
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

interface CommonDefinition {
  /** Name that clients see. Default: the item name. */
  readonly name?: string;
  /** Name for people. Default: the item name. */
  readonly title?: string;
  readonly description?: string;
  /** Omit the item from lists. It stays usable by name. */
  readonly hidden?: boolean;
  /** The opposite of `hidden`, which wins. */
  readonly visible?: boolean;
  /** Sent as `_meta.category`. */
  readonly category?: string | null;
  readonly icons?: readonly Icon[];
  /** Sent as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Longest run in milliseconds. Default: 60000, with `task` 3600000. */
  readonly timeoutMs?: number;
}

interface CacheDefinition {
  /** How long clients may reuse the response, in milliseconds. Default: 0. */
  readonly ttlMs?: number;
  /** Sharing of cached responses. Default: `private`. */
  readonly scope?: 'public' | 'private';
}

/** A requirement by its name; in a list, one of the names suffices. */
type RequirementInput = string | readonly [string, ...string[]];

/** Requirements of an item: client capabilities, or an object with a level. */
type Requires =
  | readonly Capability[]
  | {
      readonly client?: readonly Capability[];
      readonly env?: readonly RequirementInput[];
      readonly bin?: readonly RequirementInput[];
      readonly level?: 'required' | 'suggested';
    };

/** UI settings of a tool. */
interface UiDefinition {
  /** A name, or a qualified name such as `@acme/weather/forecast-viewer`. */
  readonly app?: string;
  /** Callers of the tool. Default: both. */
  readonly visibility?: readonly ('model' | 'app')[];
  /** Returns true if the tool has its app. Runs at each `tools/list`. */
  when?(ctx: Context): Awaitable<boolean>;
}

/** Return value of a tool without output schema: anything with a JSON form, blocks, or a finished result. */
type ToolReturn = unknown;

/** A tool as its author writes it. The schemas `I` and `O` type the arguments and the result. */
export interface ToolDefinition<I = undefined, O = undefined> extends CommonDefinition {
  /** A field spec, `fields({…})`, JSON Schema, JSON text or Standard Schema. */
  readonly input?: I;
  readonly output?: O;
  /** JSON Schema; wins over `input`. */
  readonly inputSchema?: object | string;
  /** JSON Schema; wins over `output`. */
  readonly outputSchema?: object | string;
  handler(args: ToolArguments<I>, ctx: Context): Awaitable<ToolOutput<O>>;
  /** Runs once, before the first call. */
  initialize?(ctx: Context): unknown;
  /** Options that the user may set, with their defaults. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  readonly requires?: Requires;
  /** Lets clients that support tasks call the tool without waiting. `required`: no other client can call it. */
  readonly task?: 'optional' | 'required';
  /** Start of the task: at the call, or at `ctx.beginTask()`. Default: `call`. */
  readonly taskBegins?: 'call' | 'handler';
  /** Reaction to a result that does not match `output`. Default: `error`. */
  readonly onOutputMismatch?: 'error' | 'warn';
  /** The UI app that shows the results: its name, or an object with more settings; null for no app. */
  readonly ui?: string | UiDefinition | null;
}

/** Launch settings of an upstream MCP server. Texts may contain `${NAME}` and `${NAME:-default}`. */
interface ProgramConfig {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory: a folder of the package. Default: the package folder. */
  readonly cwd?: string;
  readonly type?: 'stdio';
}

/** An upstream MCP server: a program, the program of a dependency, or a URL. */
type StaticEndpoint =
  | (ProgramConfig & { readonly command: string })
  | (ProgramConfig & { readonly package: string; readonly bin?: string })
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly type?: 'http' | 'streamable-http' | 'sse';
    };

interface UpstreamSourceBase {
  /** Name of the server in messages. Default: its endpoint. */
  readonly name?: string;
  /** Longest wait for its first answer, in milliseconds. Default: 30000. */
  readonly startTimeoutMs?: number;
}

/**
 * Returns the endpoint of a server on demand, or throws an error with the reason. Variables in the endpoint are not
 * filled in.
 */
export type ResolveEndpoint = (given: {
  readonly env: Readonly<Record<string, string | undefined>>;
}) => Awaitable<WidenedEndpoint<StaticEndpoint>>;

/** An endpoint with a wider `type`: the type of a returned object is not as narrow as the type of a literal. */
type WidenedEndpoint<P> = P extends unknown ? Omit<P, 'type'> & { readonly type?: string } : never;

/** Endpoint of an upstream MCP server. */
export type UpstreamSource = (StaticEndpoint | { readonly place: ResolveEndpoint | string }) &
  UpstreamSourceBase;

/** A tool of an upstream MCP server, as its author writes it. */
export interface UpstreamToolDefinition<I = undefined, O = undefined>
  extends Omit<ToolDefinition<I, O>, 'handler' | 'onOutputMismatch'> {
  /** The server, and the name of the tool on that server. Default for `tool`: the item name. */
  readonly upstream: (UpstreamSource & { readonly tool?: string }) | ResolveEndpoint | string;
  readonly handler?: undefined;
}

/** A choice of prompts, resources or apps of an upstream MCP server. Resources and apps are chosen by name or URI. */
export interface UpstreamChoice {
  /** Names or URIs on the upstream server. Default: all. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Prefix of each name, except the names from `rename`. */
  readonly prefix?: string;
  /** New names, by the names on the upstream server. */
  readonly rename?: Readonly<Record<string, string>>;
}

/** An entry of a server's `tools` for the items of an upstream MCP server. */
export interface UpstreamTools
  extends Pick<CommonDefinition, 'hidden' | 'visible' | 'category' | 'timeoutMs' | 'meta'> {
  readonly upstream: UpstreamSource | ResolveEndpoint | string;
  /** Prefix of each name, except the names from `rename`. */
  readonly prefix?: string;
  /** Names of the tools on the upstream server. Default: all. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** New names of tools, by their names on the upstream server. */
  readonly rename?: Readonly<Record<string, string>>;
  /** False for no prompts. Default: all. */
  readonly prompts?: false | UpstreamChoice;
  /** False for no resources. Default: all. */
  readonly resources?: false | UpstreamChoice;
  /** False for no UI apps. Default: all. */
  readonly apps?: false | UpstreamChoice;
}

/** Type of a handler's arguments for an input schema. */
export type ToolArguments<I> = I extends undefined ? Record<string, unknown> : InferInput<I>;

/** Return type of a handler for an output schema. */
export type ToolOutput<O> = O extends undefined ? ToolReturn : InferOutput<O> | ToolResult;

/** Types a tool definition and returns it unchanged. */
export function defineTool<
  const I = undefined,
  const O = undefined,
  const R extends Awaitable<ToolOutput<NoInfer<O>>> = Awaitable<ToolOutput<NoInfer<O>>>,
>(
  definition: Omit<ToolDefinition<I, O>, 'handler'> & {
    readonly input?: CheckedInput<I>;
    readonly output?: CheckedOutput<O>;
    handler(args: ToolArguments<NoInfer<I>>, ctx: Context): R;
  },
): ToolDefinition<I, O>;
export function defineTool<const I = undefined, const O = undefined>(
  definition: Omit<UpstreamToolDefinition<I, O>, 'input' | 'output'> & {
    readonly input?: CheckedInput<I>;
    readonly output?: CheckedOutput<O>;
  },
): UpstreamToolDefinition<I, O>;
export function defineTool(definition: object): object {
  return requireObject('tool', definition);
}

/** Suggestions: a list, filtered by the typed prefix, or a function of the typed value. */
type CompletionSource =
  | readonly string[]
  | ((value: string, ctx: Context) => Awaitable<readonly string[] | SuggestedValues>);

/** Suggestions, possibly a part of all. */
interface SuggestedValues {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

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

interface PromptArgumentDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** True if the argument is required. Default: false. */
  readonly required?: boolean;
  readonly complete?: CompletionSource;
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

/** A prompt as its author writes it: `content`, or `messages` with roles. */
export interface PromptDefinition<
  A extends readonly PromptArgumentDefinition[] = readonly PromptArgumentDefinition[],
> extends CommonDefinition {
  readonly arguments?: A;
  /** Type of `content`. Default: `auto`, by the value. */
  readonly type?: 'text' | 'function' | 'auto';
  /** Literal text, a template with `{{name}}` slots, or a function. */
  readonly content?:
    | string
    | { readonly template: string }
    | ((args: PromptArguments<A>, ctx: Context) => Awaitable<PromptReturn>);
  readonly messages?: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: StaticContent | readonly StaticContent[];
  }[];
  readonly requires?: Requires;
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

/** A resource as its author writes it: `uri` or `uriTemplate`, and one of `text`, `file`, `read`. */
export type ResourceDefinition = ResourceBase &
  ((FixedUriResource & (TextContent | FileContent | ReadContent)) | (UriTemplateResource & ReadContent));

interface FixedUriResource {
  readonly uri: string;
  readonly uriTemplate?: undefined;
  readonly list?: undefined;
  readonly complete?: undefined;
}

interface UriTemplateResource {
  /** RFC 6570. */
  readonly uriTemplate: string;
  readonly uri?: undefined;
  /** Returns the resources of the template. */
  readonly list?: (ctx: Context) => Awaitable<readonly TemplateResource[]>;
  /** Suggestions for the variables of the template. */
  readonly complete?: Readonly<Record<string, CompletionSource>>;
}

interface TextContent {
  readonly text: string;
  readonly file?: undefined;
  readonly read?: undefined;
}

interface FileContent {
  /** Path of a file in the package. */
  readonly file: string;
  readonly text?: undefined;
  readonly read?: undefined;
}

interface ReadContent {
  readonly read: ReadResource;
  readonly text?: undefined;
  readonly file?: undefined;
}

interface ResourceBase extends CommonDefinition {
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  /** Bytes, if known. */
  readonly size?: number;
  /** Clients may subscribe to changes: see `ctx.notifyResourceUpdated`. */
  readonly subscribable?: boolean;
  readonly cache?: CacheDefinition;
}

/** Types a resource definition and returns it unchanged. */
export function defineResource(definition: ResourceDefinition): ResourceDefinition {
  return requireObject('resource', definition);
}

type ListEntries =
  | '*'
  | readonly (string | { readonly use: string; readonly [key: string]: unknown } | object)[];

type ToolEntries = ListEntries | readonly (UpstreamTools | Exclude<ListEntries, '*'>[number])[];

/** An item of a server, or its wire name; for a resource, its URI. */
type SelectedItem = ListedItem | string;

/** Chooses the items that the current client sees in a list. The other items stay usable by name. */
type ListHookFunction = (
  ctx: Context,
  registry: ItemRegistry,
) => Awaitable<
  readonly SelectedItem[] | (Pick<ItemPage, 'nextCursor'> & { readonly items: readonly SelectedItem[] })
>;

/** A server as its author writes it: its items and their names. */
export interface ServerDefinition {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** Instructions for the model. Several texts are joined by a blank line. */
  readonly instructions?: string | readonly string[];
  /** Default: the package version. */
  readonly version?: string;
  /** Key in the config of client apps. Default: the item name. */
  readonly configKey?: string;
  /** Runs once, before the first use. */
  initialize?(ctx: Context): unknown;
  readonly tools?: ToolEntries;
  readonly prompts?: ListEntries;
  readonly resources?: ListEntries;
  readonly apps?: '*' | readonly string[];
  /** Folders of `skills/` in the package. */
  readonly skills?: '*' | readonly string[];
  /** Content of `tools/list`: all tools, or three tools that find, inspect and call the others. Default: `all`. */
  readonly toolList?: 'all' | 'catalog';
  /** Hooks that choose the items of lists. Default: all items that are not hidden. */
  readonly list?: {
    readonly tools?: ListHookFunction;
    readonly prompts?: ListHookFunction;
    /** Resources and templates. */
    readonly resources?: ListHookFunction;
  };
  readonly icons?: readonly Icon[];
  readonly websiteUrl?: string;
  readonly transport?: 'stdio' | 'http';
  /** Show unexpected exceptions to the model. For development. */
  readonly exposeErrors?: boolean;
  /** Entries per list page. Default: 500. */
  readonly pageSize?: number;
  readonly cache?: CacheDefinition;
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
