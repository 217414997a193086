import type { ToolResult } from '../../items/builders.js';
import type { Context, LogLevel } from '../../items/context.js';
import { Suspension } from '../../items/interaction.js';
import type { Asker } from '../context.js';
import type { JsonObject } from '../protocol/envelope.js';
import { logLevels } from '../protocol/eras.js';
import { answerOf, type UpstreamQuestion } from './asking.js';

/** A question under way, and who waits for its answer. */
interface Open {
  readonly key: string;
  readonly question: UpstreamQuestion;
  readonly answer: (response: JsonObject) => void;
  readonly refuse: (error: unknown) => void;
}

/** Makes sure that a call is found again by the run that brings the answers. */
type Keep = (call: OpenCall) => Promise<void>;

/**
 * A call of an upstream server that is under way. What the upstream server says meanwhile goes to the handler that
 * attends to it: on 2026-07-28 that is another one after each question.
 */
export class OpenCall {
  /** Who asked for it; undefined: whoever calls without a client. */
  readonly asker: Asker | undefined;
  readonly #ending = new AbortController();
  readonly #open = new Map<string, Open>();
  #result: Promise<ToolResult> | undefined;
  #questions = 0;
  #attending: { readonly ctx: Context; readonly put: (open: Open) => void } | undefined;
  /** Told when nobody attends to it any more, though it goes on. */
  onAlone = () => {};
  /** Told when its result has been taken. */
  onDone = () => {};

  constructor(asker: Asker | undefined) {
    this.asker = asker;
  }

  /** Aborts when nobody wants the result any more. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get isAttended(): boolean {
    return this.#attending !== undefined;
  }

  begin(work: Promise<ToolResult>): void {
    this.#result = work;
    // It may fail while nobody attends to it.
    work.catch(() => {});
  }

  cancel(reason: unknown): void {
    this.#ending.abort(reason);
  }

  /** Asks the client of the call. @throws Unanswered */
  async ask(question: UpstreamQuestion): Promise<JsonObject> {
    this.signal.throwIfAborted();
    this.#questions += 1;
    const key = `upstream${this.#questions}`;
    try {
      return await new Promise<JsonObject>((answer, refuse) => {
        const open: Open = { key, question, answer, refuse };
        this.#open.set(key, open);
        this.signal.addEventListener('abort', () => refuse(this.signal.reason), { once: true });
        this.#attending?.put(open);
      });
    } finally {
      this.#open.delete(key);
    }
  }

  progress(
    progress: number,
    { total, message }: { readonly total?: number | undefined; readonly message?: string | undefined },
  ): void {
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    this.#attending?.ctx.progress(progress, more);
  }

  /** A log message of the upstream server, for the client. Levels beyond errors are errors to it. */
  log(level: unknown, data: unknown): void {
    const known = logLevels.find((one) => one === level) ?? 'info';
    const own = logLevels.indexOf(known) > logLevels.indexOf('error') ? 'error' : known;
    this.#attending?.ctx.log[own as LogLevel](data);
  }

  /**
   * Waits for the result, and puts what the upstream server asks to the client. It ends with the handler, unless it is
   * kept: which it is already where nothing says how.
   */
  async attend(ctx: Context, keep?: Keep): Promise<ToolResult> {
    let keeping: Promise<void> | undefined;
    let isKept = keep === undefined;
    const kept = async () => {
      keeping ??= keep?.(this);
      await keeping;
      isKept = true;
    };
    const put = async ({ key, question, answer, refuse }: Open): Promise<void> => {
      try {
        await kept();
        answer(await answerOf(ctx, question, key));
      } catch (error) {
        refuse(error);
      }
    };
    const leave = () => {
      this.#attending = undefined;
      if (ctx.signal.reason instanceof Suspension && isKept) this.onAlone();
      else this.cancel(ctx.signal.reason);
    };
    this.#attending = { ctx, put: (open) => void put(open) };
    if (ctx.signal.aborted) leave();
    ctx.signal.addEventListener('abort', leave, { once: true });
    for (const open of this.#open.values()) void put(open);
    try {
      return await this.#result!;
    } finally {
      ctx.signal.removeEventListener('abort', leave);
      if (this.#attending?.ctx === ctx) this.onDone();
    }
  }
}
