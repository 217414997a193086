import { isRecord } from '../base/value-checks.js';
import { limitSubjects } from '../compatibility/client-limits.js';
import type { ListedTool } from '../compatibility/surface-checks.js';
import { adaptInstructions, adaptOnce, adaptTools, type ListedAdaptation } from './adapt-list.js';
import { type AnsweredCall, adaptResult } from './adapt-result.js';
import {
  type AdaptationTarget,
  adaptationTarget,
  adaptationTargetOf,
  type TargetSettings,
} from './adaptation-target.js';
import { toOriginal } from './argument-map.js';
import { KeptResults } from './kept-results.js';
import { addedTools, callReadResult, isReadResultTool, readResultUri } from './read-result.js';
import { findImageScaler, type ImageScaler } from './scale-images.js';

type Arguments = Readonly<Record<string, unknown>>;

/** Brings tools into the form that a client can use, and calls back into the form of the tools. */
class ToolAdapter {
  readonly #target: AdaptationTarget;
  readonly #kept: KeptResults;
  /** The last adapted list. Lists are compared by their entries. */
  #last: { readonly tools: readonly ListedTool[]; readonly adapted: readonly ListedAdaptation[] } | undefined;

  constructor(target: AdaptationTarget, kept: KeptResults) {
    this.#target = target;
    this.#kept = kept;
  }

  /** List entries for the client, in their order. Entries that fit are the same objects. */
  list(tools: readonly ListedTool[]): readonly ListedTool[] {
    return this.#adapt(tools).map(({ tool }) => tool);
  }

  /** Finds a tool by its name in the list of the client. */
  findOriginal(name: string, tools: readonly ListedTool[]): ListedTool | undefined {
    return tools[this.#adapt(tools).findIndex(({ tool }) => tool.name === name)];
  }

  /** Tools that the client needs beside the listed ones. */
  added(tools: readonly ListedTool[]): readonly ListedTool[] {
    return addedTools(tools, this.#target);
  }

  /** A result as the client can use it. */
  async result(call: AnsweredCall, scale?: ImageScaler): Promise<Arguments> {
    return await adaptResult(call, { target: this.#target, kept: this.#kept, scale });
  }

  /** Arguments as the tool expects them. */
  toOriginal(tool: ListedTool, args: Arguments): Arguments {
    const value = toOriginal(args, adaptOnce(tool, this.#target).map);
    return isRecord(value) ? value : args;
  }

  /** Instructions of the server, as long as the client reads them. */
  instructions(text: string): string {
    return adaptInstructions(text, this.#target);
  }

  /** The smallest limit of the client with this code. Undefined: it has none. */
  limit(code: string): number | undefined {
    const limits = (this.#target.limits.get(code) ?? []).flatMap(({ limit }) => limit ?? []);
    return limits.length > 0 ? Math.min(...limits) : undefined;
  }

  hasLimit(code: string): boolean {
    return this.#target.limits.has(code);
  }

  #adapt(tools: readonly ListedTool[]): readonly ListedAdaptation[] {
    const last = this.#last;
    const isSame =
      last?.tools.length === tools.length && tools.every((tool, index) => tool === last.tools[index]);
    if (last && isSame) return last.adapted;
    const adapted = adaptTools(tools, this.#target);
    this.#last = { tools, adapted };
    return adapted;
  }
}

/** The adapters of one connection. Clients with the same limits share one. */
export class ToolAdapters {
  readonly #byTarget = new Map<string, ToolAdapter>();
  readonly #kept = new KeptResults();
  #scaler: Promise<ImageScaler | undefined> | undefined;

  /** True if some client with known limits gets other tools than others. */
  varies(tools: readonly ListedTool[], settings: TargetSettings): boolean {
    return limitSubjects.some(({ id }) => {
      const target = adaptationTargetOf(id, settings);
      if (!target) return false;
      const isChanged = adaptTools(tools, target).some(({ changes }) => changes.length > 0);
      return isChanged || addedTools(tools, target).length > 0;
    });
  }

  /** Finds the package that scales images, once. Undefined: it is not installed. */
  imageScaler(): Promise<ImageScaler | undefined> {
    this.#scaler ??= findImageScaler();
    return this.#scaler;
  }

  /** Answers a call of a tool that adapters add. Undefined: there is no such tool. */
  callAdded(name: unknown, args: unknown, owner: string): Arguments | undefined {
    return isReadResultTool(name) ? callReadResult(args, owner, this.#kept) : undefined;
  }

  /** Reads a part of a long result. Undefined: it is not kept. */
  read(uri: string, owner: string): Arguments | undefined {
    return readResultUri(uri, owner, this.#kept);
  }

  /** Returns the adapter for a client. */
  of(clientName: unknown, settings: TargetSettings): ToolAdapter {
    const target = adaptationTarget(clientName, settings);
    const adapter = this.#byTarget.get(target.id) ?? new ToolAdapter(target, this.#kept);
    this.#byTarget.set(target.id, adapter);
    return adapter;
  }
}
