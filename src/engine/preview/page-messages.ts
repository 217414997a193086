/** What the page and the program behind it say to each other. Types only, so that either side may read it. */

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
  /** The tools it shows, by wire name. */
  readonly tools: readonly string[];
}

/** A domain that is none, and so is not in the policy. */
export interface RefusedDomain {
  /** Where it stands in the metadata. */
  readonly key: string;
  readonly domain: string;
  readonly reason: string;
}

/** What a command line asks to be shown first. */
export interface InitialView {
  /** URI of the app. */
  readonly app: string;
  /** Wire name of the tool whose call the app shows; absent: the app is shown without a call. */
  readonly tool?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Whether the tool is called at once. */
  readonly call: boolean;
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

/** How the server is. */
export type ServerStatus =
  | { readonly name: 'starting' }
  | { readonly name: 'ready' }
  | { readonly name: 'failed'; readonly message: string };

/** What the page has to know, sent whole whenever something of it changes. */
export interface PreviewState {
  /** How the server is named on the command line. */
  readonly reference: string;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly status: ServerStatus;
  /** Counts the starts of the server: what was rendered before is to be rendered again. */
  readonly generation: number;
  readonly tools: readonly ListedTool[];
  readonly apps: readonly ListedApp[];
  readonly asked: InitialView;
}

/** What comes over the page's event stream, by event name. */
export interface PreviewEvents {
  readonly state: PreviewState;
  /** What the server wrote to stderr. */
  readonly stderr: string;
  /** The method of a notification that lists changed. */
  readonly changed: string;
}

/** An app made ready for a frame. */
export interface AppRendering {
  readonly uri: string;
  readonly html: string;
  /** The page of another origin that holds the app's frame, sent under the app's policy. */
  readonly frame: string;
  readonly policy: string;
  readonly refused: readonly RefusedDomain[];
  readonly csp: Readonly<Record<string, readonly string[]>>;
  readonly permissions: Readonly<Record<string, Readonly<Record<string, never>>>>;
  readonly prefersBorder: boolean;
}

/** A request for the server, and who makes it. */
export interface PreviewRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly from: 'app' | 'page';
}

/** What a request came to. */
export type PreviewResponse<Result = unknown> =
  | { readonly result: Result }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Something that the policy kept an app from. */
export interface Violation {
  readonly directive: string;
  readonly blocked: string;
  /** The beginning of what was blocked, where it was inline. */
  readonly sample: string;
  readonly line: number;
}

/** What the page tells of an app. */
export type AppReport =
  | { readonly kind: 'initialized' }
  | { readonly kind: 'shown'; readonly height: number; readonly isError: boolean }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'violation'; readonly violation: Violation };
