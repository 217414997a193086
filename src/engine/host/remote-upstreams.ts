import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { asker, type RequesterInfo } from '../live/connection.js';
import type { UpstreamSource } from '../live/live-server.js';
import type { Servable } from '../runtime/compose-server.js';
import type { Context } from '../runtime/context.js';
import type { PendingKind } from '../runtime/missing-packages.js';
import type { ToolResult } from '../runtime/result-builders.js';
import type { ServedKind } from '../runtime/served-kind.js';
import type { ToolUpstream, UpstreamListing, UpstreamSpec } from '../runtime/upstream.js';
import { withUpstreamItems } from '../runtime/upstream-items.js';
import { requestClientAnswer, UnansweredRequestError } from '../upstream/input-requests.js';
import { takeItems } from '../upstream/take-items.js';
import { attendantOf } from '../upstream/upstream-call.js';
import type { FromHost, ToHost } from './host-messages.js';
import { type FrontRequests, RemoteRequest } from './remote-request.js';

export interface RemoteUpstreamsOptions {
  readonly send: (message: FromHost) => void;
  readonly questions: FrontRequests;
  /** Called when the front has sent the items of upstream servers. */
  readonly onItems: () => void;
}

/** A handler that waits for an upstream server. */
interface Attending {
  readonly ctx: Context;
  /** Records the call for the run that brings the answers. */
  keeping?: Promise<unknown>;
}

type HostMessage<T extends ToHost['type']> = Extract<ToHost, { readonly type: T }>;

/** Upstream servers of the front, for code in this host. */
export class RemoteUpstreams implements UpstreamSource {
  readonly #options: RemoteUpstreamsOptions;
  readonly #attending = new Map<number, Attending>();
  #lists: readonly (UpstreamListing | null)[] = [];
  readonly #reasons = new Map<ServedKind, readonly string[]>();

  constructor(options: RemoteUpstreamsOptions) {
    this.#options = options;
  }

  /** Stores the items of the upstream servers, by the entries of the server. */
  takeLists({ lists }: HostMessage<'upstream-items'>): void {
    this.#lists = lists;
    this.#options.onItems();
  }

  /** Returns the server with the items of its upstream servers. */
  extend<S extends Servable>(server: S): S {
    if (server.upstreams.length === 0) return server;
    // The front reports the faults.
    const { items } = takeItems(server, (_, index) => this.#lists[index] ?? undefined);
    return withUpstreamItems(server, items);
  }

  async call({ tool: theirs }: ToolUpstream, args: unknown, ctx: Context): Promise<ToolResult> {
    const who = (ctx as { readonly [asker]?: RequesterInfo })[asker];
    if (!(who?.request instanceof RemoteRequest)) throw new Error('The call belongs to no request.');
    const { call } = who.request;
    const { wantsProgress } = who;
    const asked = { call, tool: ctx.tool!.name, theirs, args: isRecord(args) ? args : {}, wantsProgress };
    if (!who.endsToAsk || !who.isRetry) {
      return await this.#attend(ctx, (question) => ({ type: 'upstream-call', question, ...asked }));
    }
    // This run may be a retry: the call is in progress, unless the handler made another input request first.
    const { questions } = this.#options;
    const begin = () =>
      questions.put((question) => ({ type: 'upstream-begin', question, ...asked }), ctx.signal);
    const id = String(await ctx.step('upstream', begin));
    return await this.#attend(ctx, (question) => ({ type: 'upstream-attend', call, question, id }));
  }

  /** Prompts and resources of upstream servers are answered by the front. */
  async request({ name }: UpstreamSpec): Promise<never> {
    throw new Error(`The upstream server "${name}" is asked by the front.`);
  }

  readersOf(): readonly UpstreamSpec[] {
    return [];
  }

  async #attend(ctx: Context, message: (question: number) => FromHost): Promise<ToolResult> {
    let attended: number | undefined;
    const put = (question: number): FromHost => {
      attended = question;
      this.#attending.set(question, { ctx });
      return message(question);
    };
    try {
      return (await this.#options.questions.put(put, ctx.signal)) as ToolResult;
    } finally {
      if (attended !== undefined) this.#attending.delete(attended);
    }
  }

  /** Forwards an input request of an upstream server to the client of the handler. */
  async takeQuestion({ question, ask, key, id, method, params }: HostMessage<'upstream-ask'>): Promise<void> {
    const { send } = this.#options;
    const attending = this.#attending.get(question);
    try {
      if (!attending) throw new Error('The handler has ended.');
      const { ctx } = attending;
      if (id !== undefined) attending.keeping ??= ctx.step('upstream', () => id);
      await attending.keeping;
      send({ type: 'upstream-answer', ask, result: await requestClientAnswer(ctx, { method, params }, key) });
    } catch (error) {
      const code = error instanceof UnansweredRequestError && { code: error.code };
      send({ type: 'upstream-refusal', ask, message: errorMessage(error), ...code });
    }
  }

  takeProgress({ question, progress, total, message }: HostMessage<'upstream-progress'>): void {
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    this.#attending.get(question)?.ctx.progress(progress, more);
  }

  takeLog({ question, params }: HostMessage<'upstream-log'>): void {
    const attending = this.#attending.get(question);
    if (attending) attendantOf(attending.ctx).log(params);
  }

  /** Always false: the front declares the items. */
  isPending(): boolean {
    return false;
  }

  /** Waits until the front has the items of the upstream servers. The front sends them before it answers. */
  async wait(kind: PendingKind, _purpose: 'list' | 'item', signal: AbortSignal): Promise<void> {
    if (kind === 'skills') return;
    const { questions } = this.#options;
    const find = (question: number): FromHost => ({ type: 'upstream-find', question, kind });
    const answer = await questions.put(find, signal).catch(() => undefined);
    const { reasons } = isRecord(answer) ? answer : {};
    this.#reasons.set(kind, Array.isArray(reasons) ? reasons.map(String) : []);
  }

  reasons(kind: ServedKind): readonly string[] {
    return this.#reasons.get(kind) ?? [];
  }

  /** Does nothing: the front ends the upstream servers. */
  async close(): Promise<void> {}
}
