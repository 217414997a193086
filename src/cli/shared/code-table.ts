import { findingTable } from '../../engine/doctor/codes.js';
import type { Severity } from '../../engine/extension/diagnostics.js';
import { ruleTable } from '../../engine/validate/rules/index.js';

/** A code that `explain` knows. */
export interface CodeRow {
  readonly code: string;
  readonly severity: Severity;
  readonly summary: string;
}

/** Codes of `validate`, then codes of `doctor`. */
export const codeTable: readonly CodeRow[] = [...ruleTable, ...findingTable];
