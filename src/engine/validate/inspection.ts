import type { Position } from '../base/files/document-path.js';
import type { PlainData } from '../base/plain-data.js';

/** Environment variable of a process that inspects modules, and of the processes that they start. */
export const inspectionMark = 'AGENTTOOLS_INSPECTION';

/** What the parent asks of the child that looks at modules. */
export interface InspectionRequest {
  readonly id: string;
  readonly task: 'parse' | 'load';
  /** Absolute. */
  readonly file: string;
}

/** What it answers; the id shows that the answer is its own and not a module's. */
export type InspectionReply = { readonly id: string } & (
  | { readonly result: unknown }
  | { readonly failure: ModuleFailure }
);

/** Why a module cannot be read or loaded. */
export interface ModuleFailure {
  readonly reason: string;
  /** Where in the module it happened, when that is known. */
  readonly position?: Position;
}

/** A module's source as each of the two module systems reads it. Nothing of it is run. */
export interface ParsedModule {
  /** Whether it is valid as an ECMAScript module. */
  readonly isModule: boolean;
  /** Whether it is valid as a CommonJS module. */
  readonly isScript: boolean;
  /** Where a CommonJS reading fails. */
  readonly scriptFailure?: ModuleFailure;
  /** Whether it assigns to `module.exports` or `exports`. */
  readonly assignsExports: boolean;
  /** What it imports or requires by a fixed specifier. */
  readonly imports: readonly string[];
}

/** A module after it has been evaluated. */
export interface LoadedModule {
  /** The default export; see {@link describeValue}. */
  readonly value: PlainData;
  /** What each of its exports is, as `typeof` tells it; what a CommonJS module exports is among them. */
  readonly types: Readonly<Record<string, string>>;
  /** Which members of their context exported functions name; those that name none are left out. */
  readonly contextMembers: Readonly<Record<string, readonly string[]>>;
}
