import type { ListedKind } from './context.js';
import type { PromptSpec, ResourceSpec, ToolSpec } from './specs.js';

export interface SpecsByKind {
  tools: ToolSpec;
  prompts: PromptSpec;
  resources: ResourceSpec;
}

/** Spec of an item of a kind. */
export type SpecOf<K extends ServedKind> = SpecsByKind[K];

/** Kinds of items that clients can list. */
export type ServedKind = ListedKind;

export interface ListOptions<S> {
  readonly includeHidden?: boolean;
  readonly cursor?: string | undefined;
  readonly pageSize?: number;
  /** Filter for items. Default: all items. */
  readonly keep?: (spec: S) => boolean;
}

export const listedKinds = ['tools', 'prompts', 'resources'] as const satisfies readonly ListedKind[];
