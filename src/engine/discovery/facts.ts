import type { Kind } from '../extension/item-kinds.js';
import type { Provenance } from '../npm/provenance.js';
import type { Requirements, ToolVisibility } from '../runtime/specs.js';
import type { ExistingServerFacts } from './existing-facts.js';

/** Client view of a tool. */
export interface ToolSummary {
  /** Wire name. */
  readonly name: string;
  /** Qualified name. */
  readonly item: string;
  readonly title: string;
  readonly description: string | null;
  readonly inputSchema: unknown;
  /** Null if the tool has no output schema. */
  readonly outputSchema: unknown;
  readonly category: string | null;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** Undefined if the tool is the same for clients with and without UI. */
  readonly ui?: ToolUiFacts;
  /** Undefined if the tool's own handler answers. */
  readonly upstream?: ToolUpstreamFacts;
  readonly hidden: boolean;
}

/** Upstream tool that answers for a tool. */
export interface ToolUpstreamFacts {
  /** Command or URL as declared, without apparent secrets. */
  readonly server: string;
  /** Name of the tool on the upstream. */
  readonly tool: string;
}

/** An upstream with items that a server lists. The items are known only while the server runs. */
export interface UpstreamFacts {
  /** Command or URL as declared, without apparent secrets. */
  readonly server: string;
  /** Names of variables of the environment that it gets. */
  readonly variables: readonly string[];
  /** Host with port; null for a program. */
  readonly host: string | null;
  /** Prefix of each name; can be empty. */
  readonly prefix: string;
  /** Null: all tools. */
  readonly only: readonly string[] | null;
  readonly except: readonly string[];
  readonly rename: Readonly<Record<string, string>>;
  readonly hidden: boolean;
  /** Null: none. */
  readonly prompts: UpstreamChoiceFacts | null;
  readonly resources: UpstreamChoiceFacts | null;
  readonly apps: UpstreamChoiceFacts | null;
}

/** Chosen prompts, resources or apps of an upstream. */
export type UpstreamChoiceFacts = Pick<UpstreamFacts, 'prefix' | 'only' | 'except' | 'rename'>;

/** UI view of a tool, for clients that show UI. */
export interface ToolUiFacts {
  /** URI of the app that shows its results; null if the tool has no app. */
  readonly uri: string | null;
  readonly visibility: readonly ToolVisibility[];
  /** True if each list request decides about the app. */
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
  /** Wire names of the tools with results that the app shows. */
  readonly tools: readonly string[];
}

/** Client view of a skill. */
export interface SkillSummary {
  readonly name: string;
  readonly description: string;
  readonly uri: string;
}

/** An item that the server skips, with the reason. */
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
  /** Folder of its package. */
  readonly location: string;
  /** @deprecated Use `location`. */
  readonly directory: string;
  /** State of the registry signature. Absent: the package was not added from a registry. */
  readonly signature?: 'verified' | 'unsigned';
  /** Verified provenance of an added package. Absent: it has none. */
  readonly builtFrom?: Provenance;
  readonly configKey: string;
  /** Usual transport. */
  readonly transport: 'stdio' | 'http';
  /** Adaptation of its tools to clients, if the definition sets another one than `auto`. */
  readonly adapt?: 'on' | 'off';
  /** Permissions of the sandbox that the server declares. Absent: it declares none. */
  readonly sandbox?: unknown;
  readonly tools: readonly ToolSummary[];
  readonly upstreams: readonly UpstreamFacts[];
  readonly prompts: readonly PromptSummary[];
  readonly resources: readonly ResourceSummary[];
  readonly apps: readonly AppSummary[];
  readonly skills: readonly SkillSummary[];
  readonly instructions: string | null;
  readonly leftOut: readonly LeftOutFacts[];
  /** Config entries that `install` wrote for the server. */
  readonly installations: readonly InstallationFacts[];
}

/** A config entry that `install` wrote. */
export interface InstallationFacts {
  readonly client: string;
  readonly scope: 'user' | 'project' | 'config';
  readonly file: string;
  readonly key: string;
  /** Level of the sandbox that `start` opens for the entry; null: none. */
  readonly sandbox: string | null;
  /** False if the entry switches UI apps off. */
  readonly apps: boolean;
}

/** Declaration of one item in a manifest. */
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
  /** Its folder. */
  readonly location: string;
  /** @deprecated Use `location`. */
  readonly directory: string;
  /** Without invalid skills. */
  readonly skills: readonly SkillSummary[];
  /** State of the registry signature. Absent: the package was not added from a registry. */
  readonly signature?: 'verified' | 'unsigned';
  /** Verified provenance of an added package. Absent: it has none. */
  readonly builtFrom?: Provenance;
}

/** Package, version and file of an item. */
export interface ItemOrigin {
  readonly package: string;
  readonly version: string;
  /** Definition file, relative to the package. */
  readonly file: string;
}

export interface ToolFacts extends ToolSummary, ItemOrigin {
  readonly kind: 'tool';
  readonly options: Readonly<Record<string, unknown>>;
  /** Null if the tool has no requirements. */
  readonly requires: Requirements | null;
  readonly timeoutMs: number;
  /** Module reference; null if the definition contains the function itself. */
  readonly handler: string | null;
}

export interface PromptFacts extends PromptSummary, ItemOrigin {
  readonly kind: 'prompt';
  /** Text, template or module reference; null if the content is a function or the prompt has messages. */
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

/** Registry data of a package that is not installed. */
export interface PublicationFacts {
  readonly installed: false;
  readonly version: string;
  readonly publisher: string | null;
  /** Publication time of this version, in ISO 8601. */
  readonly published: string | null;
  /** True if the registry has an attestation of the build of the package. */
  readonly provenance: boolean;
}

/** Declaration of a parameter of a tool, or of an argument of a prompt. */
export interface DeclaredParameterFacts {
  readonly name: string;
  readonly description: string | null;
  /** Null if the manifest does not declare it. */
  readonly required: boolean | null;
}

/** Declaration of one item of a package that is not installed; null for undeclared values. */
export interface PublishedDeclarationFacts extends DeclarationFacts {
  /** Only for tools. */
  readonly parameters?: readonly DeclaredParameterFacts[] | null;
  /** Only for prompts. */
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
  /** Config entries that `install` wrote, although the package is not installed. */
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

/** Facts of an installed package, server or item. */
export type InstalledFacts = ServerFacts | PackageFacts | ToolFacts | PromptFacts | ResourceFacts | AppFacts;

/** Facts of a package, server or item that is only in a registry. */
export type PublishedFacts = PublishedServerFacts | PublishedPackageFacts | PublishedItemFacts;

/** All facts about a reference; `kind` is the type of its target. */
export type Facts = InstalledFacts | PublishedFacts | ExistingServerFacts;
