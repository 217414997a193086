import type { JsonObject } from '../protocol/envelope.js';

/** Lists of a server, by method, with the key of their items and the capability that declares them. */
export const servedLists = {
  'tools/list': { key: 'tools', capability: 'tools' },
  'prompts/list': { key: 'prompts', capability: 'prompts' },
  'resources/list': { key: 'resources', capability: 'resources' },
  'resources/templates/list': { key: 'resourceTemplates', capability: 'resources' },
} as const;

export type ServedList = keyof typeof servedLists;

/** A list as the server sent it. */
export interface ListedItems {
  readonly items: readonly unknown[];
  /** Why the list could not be read, as the end of a sentence about it; undefined: it was read. */
  readonly fault?: string;
  /** True if the server answered with an error. */
  readonly isRefused?: boolean;
  /** True if the cursors do not end. */
  readonly isEndless?: boolean;
}

/** Answers of a server to clients of one era. */
export interface ServedSurface {
  readonly era: '2025-11-25' | '2026-07-28';
  readonly serverInfo: unknown;
  readonly instructions: unknown;
  readonly capabilities: JsonObject;
  readonly lists: Readonly<Record<ServedList, ListedItems>>;
  /** Wrong answers to wrong requests, in sentences. */
  readonly wrongErrors: readonly string[];
}
