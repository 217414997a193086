import type { CheckedInput, CheckedOutput } from '../schema/checked-schema-types.js';
import type { InferInput, InferOutput } from '../schema/inferred-types.js';
import type { Capability } from './capabilities.js';
import type { Context, ItemPage, ItemRegistry, ListedItem } from './context.js';
import type { Annotations, ContentBlock, PromptMessage, ToolResult } from './result-builders.js';

export type Awaitable<T> = T | Promise<T>;

interface Icon {
  /** An https: or data: address. */
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

interface CommonDefinition {
  /** Name that clients see; the item name when absent. */
  readonly name?: string;
  /** Name for people; the item name when absent. */
  readonly title?: string;
  readonly description?: string;
  /** Left out of lists; still usable by name. */
  readonly hidden?: boolean;
  /** The opposite of `hidden`, which wins. */
  readonly visible?: boolean;
  /** Sent as `_meta.category`. */
  readonly category?: string | null;
  readonly icons?: readonly Icon[];
  /** Sent as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Longest run in milliseconds; 60000 when absent. */
  readonly timeoutMs?: number;
}

interface CacheDefinition {
  /** Milliseconds clients may reuse it; 0 when absent. */
  readonly ttlMs?: number;
  /** Who may share it; `private` when absent. */
  readonly scope?: 'public' | 'private';
}

/** One thing that is needed, by its name; a list: one of these. */
type RequirementInput = string | readonly [string, ...string[]];

/** What an item needs before it can work: client capabilities, or more with a level. */
type Requires =
  | readonly Capability[]
  | {
      readonly client?: readonly Capability[];
      readonly env?: readonly RequirementInput[];
      readonly bin?: readonly RequirementInput[];
      readonly level?: 'required' | 'suggested';
    };

/** How a tool goes with UI. */
interface UiDefinition {
  /** A name, or a qualified name such as `@acme/weather/forecast-viewer`. */
  readonly app?: string;
  /** Who may call it; both when absent. */
  readonly visibility?: readonly ('model' | 'app')[];
  /** Whether it has its app, asked at each `tools/list`. */
  when?(ctx: Context): Awaitable<boolean>;
}

/** What a tool returns when its output has no schema: anything with a JSON form, blocks, or a finished result. */
type ToolReturn = unknown;

/** A tool as its author writes it. `I` and `O` are its schemas; arguments and result are typed by them. */
export interface ToolDefinition<I = undefined, O = undefined> extends CommonDefinition {
  /** A field spec, `fields({…})`, JSON Schema, JSON text or Standard Schema. */
  readonly input?: I;
  readonly output?: O;
  /** JSON Schema; wins over `input`. */
  readonly inputSchema?: object | string;
  /** JSON Schema; wins over `output`. */
  readonly outputSchema?: object | string;
  handler(args: ToolArguments<I>, ctx: Context): Awaitable<ToolOutput<O>>;
  /** Run once, before the first call. */
  initialize?(ctx: Context): unknown;
  /** Options the user may set, with their defaults. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  readonly requires?: Requires;
  /** Whether a client that knows tasks need not wait for it; `required`: no other client can call it. */
  readonly task?: 'optional' | 'required';
  /** When the task begins: with the call, or with `ctx.beginTask()`; `call` when absent. */
  readonly taskBegins?: 'call' | 'handler';
  /** What a result that does not match `output` becomes; `error` when absent. */
  readonly onOutputMismatch?: 'error' | 'warn';
  /** The UI app that shows its results, by name or with more; null for none. */
  readonly ui?: string | UiDefinition | null;
}

/** What a program of an existing MCP server is started with. Texts may hold `${NAME}` and `${NAME:-default}`. */
interface ProgramConfig {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the package; the package folder when absent. */
  readonly cwd?: string;
  readonly type?: 'stdio';
}

/** An existing MCP server: a program, the program of a dependency, or an address. */
type StaticEndpoint =
  | (ProgramConfig & { readonly command: string })
  | (ProgramConfig & { readonly package: string; readonly bin?: string })
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly type?: 'http' | 'streamable-http' | 'sse';
    };

interface UpstreamSourceBase {
  /** What messages call the server; where it is when absent. */
  readonly name?: string;
  /** Longest wait for its first answer; 30000 when absent. */
  readonly startTimeoutMs?: number;
}

/** Says where a server is when it is needed; an error that it throws says what is missing. What it gives is taken as it is. */
export type ResolveEndpoint = (given: {
  readonly env: Readonly<Record<string, string | undefined>>;
}) => Awaitable<WidenedEndpoint<StaticEndpoint>>;

/** What a function returns has wider types than what is written where a type is known. */
type WidenedEndpoint<P> = P extends unknown ? Omit<P, 'type'> & { readonly type?: string } : never;

/** Where an existing MCP server is. */
export type UpstreamSource = (StaticEndpoint | { readonly place: ResolveEndpoint | string }) &
  UpstreamSourceBase;

/** A tool that an existing MCP server answers for, as its author writes it. */
export interface UpstreamToolDefinition<I = undefined, O = undefined>
  extends Omit<ToolDefinition<I, O>, 'handler' | 'onOutputMismatch'> {
  /** The server, and what the tool is called there; the item name when absent. */
  readonly upstream: (UpstreamSource & { readonly tool?: string }) | ResolveEndpoint | string;
  readonly handler?: undefined;
}

/** An entry of a server's `tools` that stands for tools of an existing MCP server. */
export interface UpstreamTools
  extends Pick<CommonDefinition, 'hidden' | 'visible' | 'category' | 'timeoutMs' | 'meta'> {
  readonly upstream: UpstreamSource | ResolveEndpoint | string;
  /** Before each name, save those that `rename` gives. */
  readonly prefix?: string;
  /** The tools that are taken, as they are called there; all when absent. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** What tools are called here, by what they are called there. */
  readonly rename?: Readonly<Record<string, string>>;
}

/** What a handler gets for an input schema. */
export type ToolArguments<I> = I extends undefined ? Record<string, unknown> : InferInput<I>;

/** What a handler may return for an output schema. */
export type ToolOutput<O> = O extends undefined ? ToolReturn : InferOutput<O> | ToolResult;

/** Types a tool definition; gives it back as it is. */
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

/** Suggestions: a list, of which those that begin like what was typed are sent, or a function of what was typed. */
type CompletionSource =
  | readonly string[]
  | ((value: string, ctx: Context) => Awaitable<readonly string[] | SuggestedValues>);

/** Suggestions of which there may be more than these. */
interface SuggestedValues {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** A resource of a template, as a list shows it; what it does not say is as for the template. */
interface TemplateResource {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes, when known. */
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
  /** Whether it must be given; false when absent. */
  readonly required?: boolean;
  readonly complete?: CompletionSource;
}

/** The arguments a prompt function gets: the required ones are there. */
export type PromptArguments<A extends readonly PromptArgumentDefinition[]> = {
  readonly [K in A[number] as K extends { readonly required: true } ? K['name'] : never]: string;
} & {
  readonly [K in A[number] as K extends { readonly required: true } ? never : K['name']]?: string;
};

type MessagePiece = string | ContentBlock | ToolResult;

/** What somebody says: several pieces are as many messages. */
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
  /** How to read `content`; told by its type when absent. */
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

/** Types a prompt definition; gives it back as it is. */
export function definePrompt(definition: PromptDefinition<readonly []>): PromptDefinition<readonly []>;
// `A` has no default: the parameters of a `complete` would be typed by it, before anything else is known of `A`.
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

/** Makes the content; nothing if there is no such resource. */
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
  /** The resources of the template. */
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
  /** A file of the package. */
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
  /** Bytes, when known. */
  readonly size?: number;
  /** Clients may ask to be told when it changes: see `ctx.notifyResourceUpdated`. */
  readonly subscribable?: boolean;
  readonly cache?: CacheDefinition;
}

/** Types a resource definition; gives it back as it is. */
export function defineResource(definition: ResourceDefinition): ResourceDefinition {
  return requireObject('resource', definition);
}

type ListEntries =
  | '*'
  | readonly (string | { readonly use: string; readonly [key: string]: unknown } | object)[];

type ToolEntries = ListEntries | readonly (UpstreamTools | Exclude<ListEntries, '*'>[number])[];

/** An item of a server, or what clients call it; a resource by its address. */
type SelectedItem = ListedItem | string;

/** Picks of a server's items those that a list shows to whoever asks. The others stay usable by name. */
type ListHookFunction = (
  ctx: Context,
  registry: ItemRegistry,
) => Awaitable<
  readonly SelectedItem[] | (Pick<ItemPage, 'nextCursor'> & { readonly items: readonly SelectedItem[] })
>;

/** A server as its author writes it: which items it offers, under which names. */
export interface ServerDefinition {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  /** How to use it, for the model; several are joined by a blank line. */
  readonly instructions?: string | readonly string[];
  /** The package version when absent. */
  readonly version?: string;
  /** Its key in client configs; the item name when absent. */
  readonly configKey?: string;
  /** Run once, before the first use. */
  initialize?(ctx: Context): unknown;
  readonly tools?: ToolEntries;
  readonly prompts?: ListEntries;
  readonly resources?: ListEntries;
  readonly apps?: '*' | readonly string[];
  /** Folders of `skills/` in the package. */
  readonly skills?: '*' | readonly string[];
  /** What clients are listed: all tools, or three by which the others are found, inspected and called; `all` when absent. */
  readonly toolList?: 'all' | 'catalog';
  /** What lists show; all that is not hidden when absent. */
  readonly list?: {
    readonly tools?: ListHookFunction;
    readonly prompts?: ListHookFunction;
    /** Templates too. */
    readonly resources?: ListHookFunction;
  };
  readonly icons?: readonly Icon[];
  readonly websiteUrl?: string;
  readonly transport?: 'stdio' | 'http';
  /** Show unexpected exceptions to the model. For development. */
  readonly exposeErrors?: boolean;
  /** Entries per list page; 500 when absent. */
  readonly pageSize?: number;
  readonly cache?: CacheDefinition;
}

/** Types a server definition; gives it back as it is. */
export function defineServer(definition: ServerDefinition): ServerDefinition {
  return requireObject('server', definition);
}

/** Catches what types cannot: a definition written in JavaScript that is no object at all. */
function requireObject<T>(kind: string, definition: T): T {
  if (typeof definition === 'object' && definition !== null && !Array.isArray(definition)) return definition;
  throw new TypeError(`The definition of a ${kind} is an object.`);
}
