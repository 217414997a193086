import { isRecord } from '../base/value-checks.js';
import type { RequesterInfo } from '../live/connection.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { Servable } from '../runtime/compose-server.js';
import { InputRequiredSignal } from '../runtime/input-required.js';
import { ToolError } from '../runtime/result-builders.js';
import { listedKinds } from '../runtime/served-kind.js';
import type { ToolUpstream } from '../runtime/upstream.js';
import { UnansweredRequestError } from '../upstream/input-requests.js';
import type { Attendant, UpstreamCall } from '../upstream/upstream-call.js';
import type { UpstreamHub } from '../upstream/upstream-hub.js';
import type { ToHost } from './host-messages.js';
import type { ChannelMessage } from './json-line-channel.js';

/** Upstream servers of the current server. */
export interface ServedUpstreams {
  readonly hub: UpstreamHub;
  readonly server: Servable;
}

/** Client request that code in the host works on. */
export interface AskingCall {
  /** Returns the requester for upstream servers. */
  readonly asker: (wantsProgress: boolean) => RequesterInfo;
  /** Aborts when the request is answered, or nothing waits for the answer any more. */
  readonly over: AbortSignal;
}

export interface UpstreamCallsOptions {
  readonly send: (message: ToHost) => void;
  readonly upstreams: () => ServedUpstreams | undefined;
}

/** Most calls of upstream servers per host that run at once. */
const maxOpen = 1000;

/** Calls and lists of upstream servers for the code of one host. */
export class UpstreamCalls {
  readonly #options: UpstreamCallsOptions;
  readonly #asks = new Map<number, { resolve(result: JsonObject): void; reject(error: Error): void }>();
  #lastAsk = 0;
  #open = 0;
  /** The server that the host has the lists of. */
  #listed: Servable | undefined;

  constructor(options: UpstreamCallsOptions) {
    this.#options = options;
  }

  /** Sends the items of upstream servers to the host, if the server has changed. */
  tellItems(): void {
    const { send, upstreams } = this.#options;
    const { hub, server } = upstreams() ?? {};
    if (!hub || !server || server === this.#listed || server.upstreams.length === 0) return;
    send({ type: 'upstream-items', lists: hub.lists });
    this.#listed = server;
  }

  /** Forgets the sent items: the host composes the server again, without items of upstream servers. */
  forgetItems(): void {
    this.#listed = undefined;
  }

  /** Waits for the items of upstream servers. */
  async find({ kind: asked }: ChannelMessage, signal: AbortSignal): Promise<JsonObject> {
    const { hub } = this.#options.upstreams() ?? {};
    const kind = listedKinds.find((one) => one === asked) ?? 'tools';
    await hub?.wait(kind, 'list', signal);
    this.tellItems();
    return { reasons: hub?.reasons(kind) ?? [] };
  }

  /** Calls a tool for a handler in the host. @throws ToolError */
  async call(message: ChannelMessage, asking: AskingCall, ending: AbortSignal): Promise<unknown> {
    const { hub, what, args, asker } = this.#asked(message, asking);
    const call = hub.begin(what, args, asker);
    return await this.#attend(call, { question: Number(message.question), hub, asker, asking, ending });
  }

  /** Begins a call that another run of the handler attends to. Returns its id. @throws ToolError */
  begin(message: ChannelMessage, asking: AskingCall): string {
    const { hub, what, args, asker } = this.#asked(message, asking);
    return hub.keep(hub.begin(what, args, asker));
  }

  /** Attends to a kept call. @throws ToolError */
  async attend(message: ChannelMessage, asking: AskingCall, ending: AbortSignal): Promise<unknown> {
    const { hub } = this.#options.upstreams() ?? {};
    if (!hub) throw new ToolError('This server has no upstream servers.');
    const call = hub.kept(String(message.id));
    return await this.#attend(call, { question: Number(message.question), hub, asking, ending });
  }

  #asked({ tool, theirs, args, wantsProgress }: ChannelMessage, { asker }: AskingCall): UpstreamQuestion {
    const { hub, server } = this.#options.upstreams() ?? {};
    const what = typeof tool === 'string' ? server?.registry.resolve('tools', tool)?.upstream : undefined;
    // The list may have changed after the host sent the message.
    if (!hub || what?.tool !== theirs || !what) {
      throw new ToolError(`No upstream server has the tool "${String(tool)}" any more.`);
    }
    return { hub, what, args: isRecord(args) ? args : {}, asker: asker(wantsProgress === true) };
  }

  async #attend(call: UpstreamCall, { question, hub, asker, asking, ending }: Attendance): Promise<unknown> {
    if (this.#open >= maxOpen) {
      const reason = new ToolError(`${maxOpen} calls of upstream servers are under way. Try again later.`);
      call.cancel(reason);
      throw reason;
    }
    this.#open += 1;
    let id: string | undefined;
    const attendant = this.#attendant(question, AbortSignal.any([ending, asking.over]), () => id);
    const keep = async (kept: UpstreamCall) => {
      id = hub.keep(kept);
    };
    const endsToAsk = asker?.endsToAsk && !asker.isRetry;
    try {
      return await call.attend(attendant, endsToAsk ? keep : undefined);
    } finally {
      this.#open -= 1;
    }
  }

  #attendant(question: number, signal: AbortSignal, idOf: () => string | undefined): Attendant {
    const { send } = this.#options;
    return {
      signal,
      progress: (progress, more) => send({ type: 'upstream-progress', question, progress, ...more }),
      log: (params) => send({ type: 'upstream-log', question, params }),
      answer: ({ method, params }, key) =>
        new Promise((resolve, reject) => {
          this.#lastAsk += 1;
          const ask = this.#lastAsk;
          const abort = () => {
            this.#asks.delete(ask);
            // The next run of the handler repeats the input request.
            if (!(signal.reason instanceof InputRequiredSignal)) reject(signal.reason);
          };
          signal.addEventListener('abort', abort, { once: true });
          this.#asks.set(ask, { resolve, reject });
          const id = idOf();
          send({ type: 'upstream-ask', question, ask, key, method, params, ...(id !== undefined && { id }) });
        }),
    };
  }

  /** Resolves an input request of an upstream server. */
  takeAnswer({ ask, result }: ChannelMessage): void {
    const waiting = this.#asks.get(ask as number);
    this.#asks.delete(ask as number);
    if (isRecord(result)) waiting?.resolve(result);
    else waiting?.reject(new Error('The answer is not an object.'));
  }

  takeRefusal({ ask, message, code }: ChannelMessage): void {
    const waiting = this.#asks.get(ask as number);
    this.#asks.delete(ask as number);
    const text = typeof message === 'string' ? message : '';
    waiting?.reject(
      Number.isSafeInteger(code) ? new UnansweredRequestError(text, code as number) : new Error(text),
    );
  }
}

/** Returns the error that aborts the attendance of a handler. */
export function withdrawn(reason: string, isSuspension: boolean): Error {
  return isSuspension ? new InputRequiredSignal() : new Error(reason);
}

interface UpstreamQuestion {
  readonly hub: UpstreamHub;
  readonly what: ToolUpstream;
  readonly args: JsonObject;
  readonly asker: RequesterInfo;
}

interface Attendance {
  readonly question: number;
  readonly hub: UpstreamHub;
  /** Absent if the call is already kept. */
  readonly asker?: RequesterInfo;
  readonly asking: AskingCall;
  readonly ending: AbortSignal;
}
