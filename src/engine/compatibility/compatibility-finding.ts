import type { DocumentPath } from '../base/files/document-path.js';
import type { ClientLimit } from './client-limits.js';

/** A part of a tool or server that some clients cannot use as it is. */
export interface CompatibilityFinding {
  /** Code of the rule. */
  readonly code: string;
  /** The part and its form, as a sentence without its full stop. */
  readonly problem: string;
  /** The way out, as a sentence. */
  readonly remedy: string;
  /** Path in the tool, or in the server. */
  readonly path: DocumentPath;
  /** Value to compare with the limit of a client. */
  readonly measured?: number;
  /** True for the limits that the finding is about. Default: all limits of the code. */
  readonly concerns?: (limit: ClientLimit) => boolean;
}
