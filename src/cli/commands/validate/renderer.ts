import type { Validation } from './validation.js';

/** Inputs of a format, in addition to the validation. */
export interface FormatOptions {
  readonly color: boolean;
  /** All rules. */
  readonly rules: readonly RuleSummary[];
  /** Version of AgentTools. */
  readonly version: string;
  /** The working directory as a file URL that ends in `/`. */
  readonly base: string;
}

export interface RuleSummary {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly summary: string;
}

/** Renders a validation in one format. */
export type RenderValidation = (validation: Validation, options: FormatOptions) => string;
