import type { Kind } from '../extension/item-kinds.js';
import type { Requirements, ToolVisibility } from '../runtime/specs.js';

/** A tool as a client would see it. */
export interface ToolSummary {
  /** Wire name. */
  readonly name: string;
  /** Qualified name. */
  readonly item: string;
  readonly title: string;
  readonly description: string | null;
  readonly inputSchema: unknown;
  /** Null if it has none. */
  readonly outputSchema: unknown;
  /** Absent if clients that show UI see nothing else than others. */
  readonly ui?: ToolUiFacts;
  /** Absent if its own handler answers. */
  readonly upstream?: ToolUpstreamFacts;
  readonly hidden: boolean;
}

/** The tool of an existing MCP server that answers for one of ours. */
export interface ToolUpstreamFacts {
  /** Its command or address, as it is written, without what looks like a secret. */
  readonly server: string;
  /** The name of the tool there. */
  readonly tool: string;
}

/** An existing MCP server whose tools a server lists; which these are is asked when it is served. */
export interface UpstreamFacts {
  /** Its command or address, as it is written, without what looks like a secret. */
  readonly server: string;
  /** Before each name; empty: nothing. */
  readonly prefix: string;
  /** Null: all. */
  readonly only: readonly string[] | null;
  readonly except: readonly string[];
  readonly rename: Readonly<Record<string, string>>;
  readonly hidden: boolean;
}

/** What a tool is to clients that show UI. */
export interface ToolUiFacts {
  /** Address of the app that shows its results; null if it has none. */
  readonly uri: string | null;
  readonly visibility: readonly ToolVisibility[];
  /** Whether it is asked at each list if the tool has its app. */
  readonly gated: boolean;
}

export interface PromptSummary {
  readonly name: string;
  readonly item: string;
  readonly title: string;
  readonly description: string | null;
  readonly arguments: readonly PromptArgumentFacts[];
  readonly hidden: boolean;
}

export interface PromptArgumentFacts {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
}

export interface ResourceSummary {
  readonly name: string;
  readonly item: string;
  readonly title: string;
  readonly description: string | null;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly mimeType: string | null;
  readonly hidden: boolean;
}

export interface AppSummary {
  readonly name: string;
  readonly item: string;
  readonly uri: string;
  readonly title: string;
  readonly description: string | null;
  readonly hidden: boolean;
  /** Wire names of the tools whose results it shows. */
  readonly tools: readonly string[];
}

/** A skill as a client would see it. */
export interface SkillSummary {
  readonly name: string;
  readonly description: string;
  readonly uri: string;
}

/** An item that the server goes without, and why. */
export interface LeftOutFacts {
  readonly item: string;
  readonly code: string;
  readonly message: string;
  /** Relative to its package. */
  readonly file: string;
}

export interface ServerFacts {
  readonly kind: 'server';
  /** Qualified name. */
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly version: string;
  readonly package: string;
  readonly directory: string;
  readonly configKey: string;
  readonly tools: readonly ToolSummary[];
  readonly upstreams: readonly UpstreamFacts[];
  readonly prompts: readonly PromptSummary[];
  readonly resources: readonly ResourceSummary[];
  readonly apps: readonly AppSummary[];
  readonly skills: readonly SkillSummary[];
  readonly instructions: string | null;
  readonly leftOut: readonly LeftOutFacts[];
  /** Where `install` has written it. */
  readonly installations: readonly InstallationFacts[];
}

/** One entry that `install` wrote. */
export interface InstallationFacts {
  readonly client: string;
  readonly scope: 'user' | 'project' | 'config';
  readonly file: string;
  readonly key: string;
}

/** What a manifest says of one item. */
export interface DeclarationFacts {
  readonly name: string;
  readonly item: string;
  readonly description: string | null;
}

export interface PackageFacts extends Readonly<Record<Kind, readonly DeclarationFacts[]>> {
  readonly kind: 'package';
  readonly name: string;
  readonly description: string | null;
  readonly version: string;
  readonly directory: string;
  /** Those that cannot be served are left out. */
  readonly skills: readonly SkillSummary[];
}

/** Where an item comes from. */
export interface ItemOrigin {
  readonly package: string;
  readonly version: string;
  /** Its definition, relative to the package. */
  readonly file: string;
}

export interface ToolFacts extends ToolSummary, ItemOrigin {
  readonly kind: 'tool';
  readonly category: string | null;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** Null if it needs nothing. */
  readonly requires: Requirements | null;
  readonly timeoutMs: number;
  /** The module reference; null where the definition holds the function itself. */
  readonly handler: string | null;
}

export interface PromptFacts extends PromptSummary, ItemOrigin {
  readonly kind: 'prompt';
  /** Text, template or module reference; null where it is a function or there are messages instead. */
  readonly content: unknown;
  readonly messages: unknown;
}

export interface ResourceFacts extends ResourceSummary, ItemOrigin {
  readonly kind: 'resource';
  readonly subscribable: boolean;
}

export interface AppFacts extends Omit<AppSummary, 'tools' | 'hidden'>, ItemOrigin {
  readonly kind: 'app';
  readonly csp: unknown;
  readonly permissions: unknown;
  readonly domain: string | null;
  readonly prefersBorder: boolean | null;
}

/** What a registry says of a package that is not here. */
export interface PublicationFacts {
  readonly installed: false;
  readonly version: string;
  readonly publisher: string | null;
  /** When this version was published, in ISO 8601. */
  readonly published: string | null;
  /** Whether the registry has an attestation of where and how the package was built. */
  readonly provenance: boolean;
}

/** What a manifest says of a parameter of a tool, or of an argument of a prompt. */
export interface DeclaredParameterFacts {
  readonly name: string;
  readonly description: string | null;
  /** Null if that is not said. */
  readonly required: boolean | null;
}

/** What the manifest of a package that is not here says of one item; null is what it does not say. */
export interface PublishedDeclarationFacts extends DeclarationFacts {
  /** Of a tool. */
  readonly parameters?: readonly DeclaredParameterFacts[] | null;
  /** Of a prompt. */
  readonly arguments?: readonly DeclaredParameterFacts[] | null;
}

export interface PublishedServerFacts extends PublicationFacts {
  readonly kind: 'server';
  /** Qualified name. */
  readonly name: string;
  readonly description: string | null;
  readonly package: string;
  readonly configKey: string;
  readonly tools: readonly PublishedDeclarationFacts[];
  readonly prompts: readonly PublishedDeclarationFacts[];
  readonly resources: readonly PublishedDeclarationFacts[];
  /** Where `install` has written it, though it is not here. */
  readonly installations: readonly InstallationFacts[];
}

export interface PublishedPackageFacts
  extends PublicationFacts,
    Readonly<Record<Kind, readonly PublishedDeclarationFacts[]>> {
  readonly kind: 'package';
  readonly name: string;
  readonly description: string | null;
}

export interface PublishedItemFacts extends PublicationFacts, PublishedDeclarationFacts {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'app';
  readonly package: string;
}

/** What is known of something whose package is here. */
export type InstalledFacts = ServerFacts | PackageFacts | ToolFacts | PromptFacts | ResourceFacts | AppFacts;

/** What is known of something whose package only a registry has. */
export type PublishedFacts = PublishedServerFacts | PublishedPackageFacts | PublishedItemFacts;

/** Everything known about what a reference names; `kind` says what that is. */
export type Facts = InstalledFacts | PublishedFacts;
