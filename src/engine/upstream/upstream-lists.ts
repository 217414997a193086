import { isRecord } from '../base/value-checks.js';
import type { ServedKind } from '../runtime/served-kind.js';
import type { UpstreamListing } from '../runtime/upstream.js';
import type { ListPart } from './list-reader.js';
import type { UpstreamDescription } from './upstream-description.js';

/** The lists of each kind of items. */
export const partsOf = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'templates', 'skills'],
} as const satisfies Record<ServedKind, readonly ListPart[]>;

interface UpstreamListsOptions {
  /** Reads a list. Resolves with undefined if the known list stays as it is. */
  readonly read: (part: ListPart) => Promise<readonly unknown[] | undefined>;
  readonly onChange: () => void;
  /** Delay before a changed list is read again, to combine changes, in milliseconds. */
  readonly gatherMs: number;
}

/** The last known lists of an upstream server. */
export class UpstreamLists {
  readonly #options: UpstreamListsOptions;
  readonly #lists = new Map<ListPart, readonly unknown[]>();
  #description: UpstreamDescription | undefined;
  /** Present state of `listing`; undefined after a change. */
  #listing: UpstreamListing | undefined;
  /** Reads in progress, by list. Each list is read by one request at a time. */
  readonly #reading = new Map<ListPart, Promise<void>>();
  readonly #gathering = new Map<ServedKind, NodeJS.Timeout>();

  constructor(options: UpstreamListsOptions) {
    this.#options = options;
  }

  /** Last known items; undefined before the first start. */
  get listing(): UpstreamListing | undefined {
    if (!this.#description) return undefined;
    const list = (part: ListPart) => this.#lists.get(part) ?? null;
    const skills = this.#lists.get('skills') ?? [];
    this.#listing ??= {
      ...this.#description,
      ...(skills.length > 0 && { skills }),
      tools: list('tools'),
      prompts: list('prompts'),
      resources: list('resources'),
      templates: list('templates'),
    };
    return this.#listing;
  }

  has(part: ListPart): boolean {
    return this.#lists.has(part);
  }

  /** Resolves when all lists of a kind are known, if they are being read. */
  async read(kind: ServedKind): Promise<void> {
    await Promise.all(partsOf[kind].map((part) => this.#reading.get(part)));
  }

  /** Input schema of a tool, as listed. */
  schemaOf(name: string): unknown {
    const tool = this.#lists.get('tools')?.find((one) => isRecord(one) && one.name === name);
    return isRecord(tool) ? tool.inputSchema : undefined;
  }

  /** Takes the tools of a started server, and reads its other lists. */
  start(description: UpstreamDescription, tools: readonly unknown[]): void {
    this.#description = description;
    this.#lists.set('tools', tools);
    for (const part of [...partsOf.prompts, ...partsOf.resources]) this.#readPart(part);
    this.#changed();
  }

  /** Reads changed lists of a kind again. Combines several changes. */
  gather(kind: ServedKind): void {
    if (this.#gathering.has(kind)) return;
    const timer = setTimeout(() => {
      this.#gathering.delete(kind);
      for (const part of partsOf[kind]) this.#readPart(part);
    }, this.#options.gatherMs).unref();
    this.#gathering.set(kind, timer);
  }

  /** Reads a list after a read in progress. */
  #readPart(part: ListPart): void {
    const before = this.#reading.get(part) ?? Promise.resolve();
    const reading = before.then(async () => {
      const list = await this.#options.read(part);
      if (!list) return;
      this.#lists.set(part, list);
      this.#changed();
    });
    this.#reading.set(part, reading);
  }

  #changed(): void {
    this.#listing = undefined;
    this.#options.onChange();
  }

  close(): void {
    for (const timer of this.#gathering.values()) clearTimeout(timer);
  }
}
