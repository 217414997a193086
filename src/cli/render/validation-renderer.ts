import type { Validation } from '../validation.js';

/** What a format may need besides the validation itself. */
export interface FormatOptions {
  readonly color: boolean;
  /** Every rule there is. */
  readonly rules: readonly RuleSummary[];
  /** Of this program. */
  readonly version: string;
  /** The working directory as a file URL that ends in `/`. */
  readonly base: string;
}

export interface RuleSummary {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly summary: string;
}

/** Renders a validation for one kind of reader. */
export type RenderValidation = (validation: Validation, options: FormatOptions) => string;
