import type { RuleRow } from '../../../engine/validate/rules/index.js';
import type { Validation } from './validation.js';

/** Inputs of a format, in addition to the validation. */
export interface FormatOptions {
  readonly color: boolean;
  /** True if the terminal shows links of OSC 8. */
  readonly hyperlinks: boolean;
  /** True if warnings fail. */
  readonly strict: boolean;
  /** All rules. */
  readonly rules: readonly RuleRow[];
  /** Version of AgentTools. */
  readonly version: string;
  /** The working directory as a file URL that ends in `/`. */
  readonly base: string;
}

/** Renders a validation in one format. */
export type RenderValidation = (validation: Validation, options: FormatOptions) => string | Promise<string>;
