/** Messages between the page and the program that serves it. Types only, so that both can import it. */

export type Theme = 'light' | 'dark';

/** A tool as the server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** An app of a server. */
export interface ListedApp {
  readonly uri: string;
  /** The last segment of its URI. */
  readonly name: string;
  readonly title: string;
  /** The tools that are bound to it, by wire name. */
  readonly tools: readonly string[];
}

/** An invalid domain, left out of the policy. */
export interface RefusedDomain {
  /** Its key in the metadata. */
  readonly key: string;
  readonly domain: string;
  readonly reason: string;
}

/** The initial view that a command line asks for. */
export interface InitialView {
  /** URI of the app. Empty: the server has no apps. */
  readonly app: string;
  /** Wire name of the tool to show a call of. Absent: the app is shown without a call. */
  readonly tool?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** True if the tool is called at once. */
  readonly call: boolean;
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

/** Status of the server. */
export type ServerStatus =
  | { readonly name: 'starting' }
  | { readonly name: 'ready' }
  | { readonly name: 'failed'; readonly message: string };

/** State of the preview. Sent as a whole on every change. */
export interface PreviewState {
  /** The server's name on the command line. */
  readonly reference: string;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly status: ServerStatus;
  /** Counts the starts of the server. Apps rendered before the last start have to be rendered again. */
  readonly generation: number;
  readonly tools: readonly ListedTool[];
  readonly apps: readonly ListedApp[];
  readonly asked: InitialView;
  /** Only in development: the page also shows the items without apps, and the faults of the files. */
  readonly dev?: DevState | undefined;
}

/** Items of a server in development, and the state of its files. */
export interface DevState {
  readonly prompts: readonly ListedPrompt[];
  /** Resources and templates. */
  readonly resources: readonly ListedResource[];
  /** True if the current files cannot be served: the version before is. */
  readonly isBroken: boolean;
  readonly diagnostics: readonly ShownDiagnostic[];
  /** Tokens that the tools need in each request, with the faults of the budget. Absent: unknown. */
  readonly tokens?: { readonly text: string; readonly faults: readonly string[] } | undefined;
}

/** A fault of a file. */
interface ShownDiagnostic {
  readonly severity: 'error' | 'warning' | 'info';
  /** `file:line:column` */
  readonly place: string;
  readonly message: string;
  readonly code: string;
}

/** A prompt as the server lists it. */
export interface ListedPrompt {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly {
        readonly name: string;
        readonly description?: string | undefined;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
}

/** A resource or a template as the server lists it. */
export interface ListedResource {
  readonly uri?: string | undefined;
  readonly uriTemplate?: string | undefined;
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** A question of the server to the user. */
export interface PageQuestion {
  readonly id: number;
  readonly message: string;
  /** Schema of the answer. Absent: the user opens `url`. */
  readonly schema?: unknown;
  readonly url?: string | undefined;
}

/** Events of the page's event stream, by name. */
export interface PreviewEvents {
  readonly state: PreviewState;
  /** Output of the server on stderr. */
  readonly stderr: string;
  /** The method of a `list_changed` notification. */
  readonly changed: string;
  /** The oldest open question of the server. Null: no question is open. */
  readonly question: PageQuestion | null;
}

/** An app with its HTML, policy and frame. */
export interface AppRendering {
  readonly uri: string;
  readonly html: string;
  /** URL of the page, on another origin, that holds the app's frame and is sent under the app's policy. */
  readonly frame: string;
  readonly policy: string;
  readonly refused: readonly RefusedDomain[];
  readonly csp: Readonly<Record<string, readonly string[]>>;
  readonly permissions: Readonly<Record<string, Readonly<Record<string, never>>>>;
  readonly prefersBorder: boolean;
}

/** A request to the server, and its sender. */
export interface PreviewRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly from: 'app' | 'page';
}

/** The result of a request, or its error. */
export type PreviewResponse<Result = unknown> =
  | { readonly result: Result }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Something that the policy blocked. */
export interface Violation {
  readonly directive: string;
  readonly blocked: string;
  /** The beginning of the blocked code, if it was inline. */
  readonly sample: string;
  readonly line: number;
}

/** A report of the page about an app. */
export type AppReport =
  | { readonly kind: 'initialized' }
  | { readonly kind: 'shown'; readonly height: number; readonly isError: boolean }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'violation'; readonly violation: Violation };
