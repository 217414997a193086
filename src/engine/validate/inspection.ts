import type { Position } from '../base/files/document-path.js';
import type { PlainData } from '../base/plain-data.js';

/** Environment variable of the processes that inspect modules, and of the processes that modules start. */
export const inspectionMark = 'AGENTTOOLS_INSPECTION';

/** A request of the parent to the inspecting process. */
export interface InspectionRequest {
  readonly id: string;
  readonly task: 'parse' | 'load';
  /** Absolute path. */
  readonly file: string;
}

/** The reply to a request. The id shows that the reply does not come from a module. */
export type InspectionReply = { readonly id: string } & (
  | { readonly result: unknown }
  | { readonly failure: ModuleFailure }
);

/** The reason why a module cannot be read or loaded. */
export interface ModuleFailure {
  readonly reason: string;
  /** Position in the module, if known. */
  readonly position?: Position;
}

/** A module's source, as parsed in both module systems. Nothing is run. */
export interface ParsedModule {
  /** True if the source is a valid ECMAScript module. */
  readonly isModule: boolean;
  /** True if the source is a valid CommonJS module. */
  readonly isScript: boolean;
  /** The syntax error of the CommonJS module. */
  readonly scriptFailure?: ModuleFailure;
  /** True if the source assigns to `module.exports` or `exports`. */
  readonly assignsExports: boolean;
  /** Literal specifiers of imports and `require` calls. */
  readonly imports: readonly string[];
}

/** A module after it has been evaluated. */
export interface LoadedModule {
  /** The default export; see {@link describeValue}. */
  readonly value: PlainData;
  /**
   * The `typeof` of each export, `null` apart. Includes members of the default export, as CommonJS has them.
   */
  readonly types: Readonly<Record<string, string>>;
  /** Context members in the source of exported functions. Functions that use none are left out. */
  readonly contextMembers: Readonly<Record<string, readonly string[]>>;
}
