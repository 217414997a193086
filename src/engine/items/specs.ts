import type { Definition } from '../extension/extension.js';
import type { CompiledSchema } from '../schema/index.js';
import type { PromptMessage } from './builders.js';
import type { Context } from './context.js';
import type { Lazy } from './lazy.js';

/** An object as it goes over the wire. */
type Wire = Readonly<Record<string, unknown>> & { readonly name: string };

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
  readonly wire: Wire;
  /** Left out of lists; still usable by name. */
  readonly hidden: boolean;
  readonly timeoutMs: number;
  readonly requires: Requirements;
  readonly cache: CacheHint | undefined;
  readonly definition: Definition;
}

/** What an item needs before it can work. */
export interface Requirements {
  /** Client capabilities. */
  readonly client: readonly string[];
  /** Environment variables. */
  readonly env: readonly string[];
  /** Programs. */
  readonly bin: readonly string[];
  readonly level: 'required' | 'suggested';
}

export type ToolHandler = (args: unknown, ctx: Context) => unknown;
export type Initializer = (ctx: Context) => unknown;

/** A tool, ready to be listed and called. */
export interface ToolSpec extends Spec {
  readonly kind: 'tools';
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  readonly handler: Lazy<ToolHandler>;
  readonly initialize: Lazy<Initializer> | undefined;
  /** Defaults of the options the user may set. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly onOutputMismatch: 'error' | 'warn';
  /** Arguments fixed by the server that lists it; they win over sent ones. */
  readonly pinned: Readonly<Record<string, unknown>>;
}

/** Suggestions for a value being typed. */
export type Complete = (value: string, ctx: Context) => unknown;

/** A prompt, ready to be listed and fetched. */
export interface PromptSpec extends Spec {
  readonly kind: 'prompts';
  /** Names of the arguments that must be given. */
  readonly required: readonly string[];
  readonly argumentNames: readonly string[];
  /** Messages for already checked arguments. */
  render(args: Readonly<Record<string, string>>, ctx: Context): Promise<PromptResult>;
  readonly complete: ReadonlyMap<string, Lazy<Complete>>;
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

/** A resource or a template of resources, ready to be listed and read. */
export interface ResourceSpec extends Spec {
  readonly kind: 'resources';
  readonly uri: string | undefined;
  readonly uriTemplate: string | undefined;
  read(
    uri: string,
    variables: Readonly<Record<string, unknown>>,
    ctx: Context,
  ): Promise<readonly ResourceContents[]>;
  /** The resources of a template, as list entries. */
  readonly list: Lazy<(ctx: Context) => unknown> | undefined;
  readonly complete: ReadonlyMap<string, Lazy<Complete>>;
}
