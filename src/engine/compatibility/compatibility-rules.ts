import type { Severity } from '../extension/diagnostics.js';

/** A rule about the limits of clients. */
export interface CompatibilityRule {
  readonly code: string;
  /** Severity without a choice of clients. */
  readonly severity: Severity;
  /** True if the rule runs without a choice of clients. Other rules then report measured losses of tools only. */
  readonly isDefault: boolean;
  readonly summary: string;
}

/** Rules about the limits of clients. Default rules concern lost tools and lost descriptions. */
export const compatibilityRules: readonly CompatibilityRule[] = [
  {
    code: 'compat/tool-list-rejected',
    severity: 'error',
    isDefault: true,
    summary: 'No tool has a form that makes clients lose all tools of the server.',
  },
  {
    code: 'compat/tool-name-charset',
    severity: 'warning',
    isDefault: true,
    summary: 'Names of tools have letters, digits, _ and - only, and begin with a letter.',
  },
  {
    code: 'compat/tool-name-length',
    severity: 'warning',
    isDefault: true,
    summary: 'Names of tools, with the key of the server, fit into the limits of clients.',
  },
  {
    code: 'compat/tool-name-collision',
    severity: 'error',
    isDefault: true,
    summary: 'Names of tools differ in more than case and punctuation.',
  },
  {
    code: 'compat/tool-name-reserved',
    severity: 'info',
    isDefault: false,
    summary: 'Names of tools are not names of tools of clients.',
  },
  {
    code: 'compat/param-name-charset',
    severity: 'warning',
    isDefault: false,
    summary: 'Names of parameters have letters, digits and _ only.',
  },
  {
    code: 'compat/root-union',
    severity: 'error',
    isDefault: true,
    summary: 'Input schemas have no union at their root.',
  },
  { code: 'compat/nested-union', severity: 'info', isDefault: false, summary: 'Schemas have no unions.' },
  {
    code: 'compat/schema-ref',
    severity: 'warning',
    isDefault: false,
    summary: 'Schemas have no references.',
  },
  {
    code: 'compat/schema-size',
    severity: 'warning',
    isDefault: true,
    summary: 'Input schemas have at most 5,000 bytes.',
  },
  {
    code: 'compat/schema-depth',
    severity: 'info',
    isDefault: false,
    summary: 'Large input schemas are flat.',
  },
  {
    code: 'compat/schema-tuple',
    severity: 'warning',
    isDefault: true,
    summary: 'Arrays have one schema for all elements.',
  },
  { code: 'compat/array-without-items', severity: 'error', isDefault: true, summary: 'Arrays have `items`.' },
  {
    code: 'compat/untyped-property',
    severity: 'warning',
    isDefault: false,
    summary: 'Parameters have a type.',
  },
  {
    code: 'compat/required-unknown',
    severity: 'warning',
    isDefault: false,
    summary: 'Schemas require declared parameters only.',
  },
  { code: 'compat/type-array', severity: 'info', isDefault: false, summary: 'Schemas have one type.' },
  {
    code: 'compat/enum-non-string',
    severity: 'warning',
    isDefault: false,
    summary: 'Allowed values are strings.',
  },
  {
    code: 'compat/keyword-lost',
    severity: 'info',
    isDefault: false,
    summary: 'Descriptions repeat what keywords allow.',
  },
  { code: 'compat/null-in-schema', severity: 'warning', isDefault: false, summary: 'Schemas have no null.' },
  {
    code: 'compat/description-length',
    severity: 'warning',
    isDefault: false,
    summary: 'Descriptions fit into the limits of clients.',
  },
  {
    code: 'compat/instructions-length',
    severity: 'warning',
    isDefault: false,
    summary: 'Instructions fit into the limits of clients.',
  },
  {
    code: 'compat/tool-count',
    severity: 'warning',
    isDefault: true,
    summary: 'A server has no more tools than model APIs accept.',
  },
  {
    code: 'compat/token-budget',
    severity: 'warning',
    isDefault: false,
    summary: 'The tools of a server fit into the budget of tokens.',
  },
  {
    code: 'compat/app-only-exposed',
    severity: 'warning',
    isDefault: false,
    summary: 'Tools for apps check their caller.',
  },
  {
    code: 'compat/pattern-dialect',
    severity: 'info',
    isDefault: false,
    summary: 'Patterns have syntax that all engines read.',
  },
  {
    code: 'compat/slow-tool',
    severity: 'warning',
    isDefault: false,
    summary: 'Calls end within the time that clients wait.',
  },
  {
    code: 'compat/feature-unsupported',
    severity: 'warning',
    isDefault: false,
    summary: 'Tools work without optional features of clients.',
  },
  {
    code: 'compat/list-changed-needed',
    severity: 'warning',
    isDefault: true,
    summary: 'The list of tools stays the same while a client is connected.',
  },
  {
    code: 'compat/result-size',
    severity: 'warning',
    isDefault: true,
    summary: 'Results fit into the limits of clients.',
  },
  {
    code: 'compat/structured-only',
    severity: 'error',
    isDefault: true,
    summary: 'Results with structured content have text.',
  },
  {
    code: 'compat/image-content',
    severity: 'info',
    isDefault: true,
    summary: 'Results with images or sounds have text.',
  },
];
