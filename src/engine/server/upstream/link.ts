import {
  Client,
  type ClientOptions,
  type ProgressCallback,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../extension/modules.js';
import { packageVersion } from '../../folders.js';
import { ToolError } from '../../items/builders.js';
import type { UpstreamPlace } from '../../items/upstream.js';
import type { Asker } from '../context.js';
import { ownerOf } from '../owner.js';
import { isObject, type JsonObject } from '../protocol/envelope.js';
import { metaKey } from '../protocol/eras.js';
import { brokenCode, transportTo } from './address.js';
import { askedMethods, inPlaceOf, questionIn, Unanswered, type UpstreamQuestion } from './asking.js';
import type { OpenCall } from './open-call.js';
import { Program, unreadableCode } from './program.js';
import { endingWords, type Quote, sentence, spawnWords, statusWords } from './words.js';

type Progress = Parameters<ProgressCallback>[0];
type Negotiation = NonNullable<ClientOptions['versionNegotiation']>;

/** How an upstream server was found to speak; undefined: nobody has asked it yet. */
export type KnownEra = 'legacy' | 'modern' | undefined;

export interface LinkOptions {
  readonly place: UpstreamPlace;
  /** The upstream server in messages. */
  readonly name: string;
  readonly era: KnownEra;
  /** Longest wait until its tools are known. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly quote: Quote;
  /** Takes the end of a sentence about the upstream server, for stderr. */
  readonly note: (text: string) => void;
  readonly onToolsChanged: () => void;
  /** Told once it is over, unless it was closed from here. */
  readonly onOver: (why: string) => void;
}

/** An upstream server that cannot be had, or is lost, and why: the end of a sentence. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** A session that the upstream server has forgotten: what was asked has not been done. */
export class SessionGoneError extends LinkError {}

/** Longer than this no timer runs; how long a call may take is for its own tool to say. */
const unlimitedMs = 2 ** 31 - 1;

/** How long a program may be silent when it is asked in the newest way, before it is asked in the older one. */
const probeMs = 10_000;

/** A server that never stops is one with an endless list. */
const mostTools = 10_000;
const mostPages = 1000;

/** How often one call may be asked for more. */
const mostRounds = 100;

/** How soon a call is sent again that was put off. @see MCP 2026-07-28, basic/patterns/mrtr */
const pauseMs = 1000;

/** How soon a stream of news is opened again that broke, at first and at the latest. */
const listenAgainMs = { first: 1000, longest: 60_000 };

/** What comes is looked at here: what one tool has wrong must not cost all others. */
const anything = {
  '~standard': { version: 1 as const, vendor: 'agenttools', validate: (value: unknown) => ({ value }) },
};

const toolsChanged = 'notifications/tools/list_changed';

/** One connection to an upstream server, from the handshake on. */
export class Link {
  readonly #options: LinkOptions;
  readonly #client: Client;
  readonly #transport: Transport;
  /** In the order they were made. */
  readonly #calls = new Set<OpenCall>();
  /** The list that came last, in case the SDK refuses all of it for one tool. */
  #lastList: JsonObject | undefined;
  #over: string | undefined;
  #isClosing = false;

  /** Opens a connection, in whichever era the server speaks. @throws LinkError, ToolError */
  static async open(options: LinkOptions): Promise<Link> {
    const deadline = performance.now() + options.timeoutMs;
    let failure: unknown;
    for (const mode of modesFor(options)) {
      const link = new Link(options, mode);
      try {
        await link.#connect(deadline - performance.now());
        return link;
      } catch (error) {
        failure = link.#explain(error);
        await link.close();
        const isWorthAnother = link.#endedItself && performance.now() < deadline && !options.signal.aborted;
        if (!isWorthAnother) break;
      }
    }
    throw failure;
  }

  private constructor(options: LinkOptions, versionNegotiation: Negotiation) {
    const { place, note, quote } = options;
    this.#options = options;
    this.#transport =
      'url' in place
        ? transportTo(place)
        : new Program({
            ...place,
            onImpure: (line) => note(`writes to stdout what is no message: ${quote(line)}`),
          });
    this.#client = new Client(
      { name: 'agenttools', version: packageVersion() },
      {
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
        versionNegotiation,
      },
    );
    this.#listenTo(this.#client);
  }

  #listenTo(client: Client): void {
    const { onToolsChanged } = this.#options;
    client.setNotificationHandler(toolsChanged, () => onToolsChanged());
    client.setNotificationHandler('notifications/message', ({ params }) => this.#log(params));
    for (const method of askedMethods) {
      client.setRequestHandler(method, { params: anything }, async (params) => {
        return (await this.#asked(questionIn(method, params))) as never;
      });
    }
    client.onclose = () => this.#end(this.#endWords());
    client.onerror = (error) => this.#onError(error);
  }

  async #connect(timeout: number): Promise<void> {
    const { signal } = this.#options;
    await this.#client.connect(this.#transport, { timeout: Math.max(1, timeout), signal });
    // The SDK looks at messages itself; what it refuses is looked at once more.
    const { onmessage } = this.#transport;
    this.#transport.onmessage = (message, extra) => {
      if ('result' in message && isObject(message.result) && Array.isArray(message.result.tools)) {
        this.#lastList = message.result;
      }
      onmessage?.(message, extra);
    };
    if (this.isModern) void this.#listen();
  }

  get isModern(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  get isOver(): boolean {
    return this.#over !== undefined || this.#isClosing;
  }

  /** Whether the program has ended by itself. */
  get #endedItself(): boolean {
    const transport = this.#transport;
    return transport instanceof Program && transport.ending !== undefined && transport.fault === undefined;
  }

  /** All its tools, as it lists them. @throws LinkError */
  async tools(timeoutMs: number): Promise<readonly unknown[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const deadline = performance.now() + timeoutMs;
    const tools: unknown[] = [];
    const cursors = new Set<unknown>();
    let cursor: unknown;
    do {
      const page = await this.#page(cursor, deadline - performance.now());
      if (!Array.isArray(page.tools)) throw new LinkError('it answers tools/list with no list of tools');
      tools.push(...page.tools);
      cursor = page.nextCursor;
      if (cursors.has(cursor) || cursors.size === mostPages || tools.length > mostTools) {
        throw new LinkError(`its list of tools has no end: it was read up to ${tools.length} tools`);
      }
      cursors.add(cursor);
    } while (cursor !== undefined && cursor !== null);
    return tools;
  }

  async #page(cursor: unknown, timeoutMs: number): Promise<JsonObject> {
    const params = cursor === undefined ? {} : { cursor: cursor as string };
    const options = { timeout: Math.max(1, timeoutMs), signal: this.#options.signal };
    try {
      const page = await this.#client.request({ method: 'tools/list', params }, anything, options);
      return isObject(page) ? page : {};
    } catch (error) {
      const isRefused = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult;
      if (isRefused && this.#lastList) return this.#lastList;
      throw this.#explain(error);
    } finally {
      this.#lastList = undefined;
    }
  }

  /** Calls a tool, and has the client of the call answer what is asked meanwhile. @throws LinkError, ToolError */
  async call(
    {
      tool,
      args,
      inputSchema,
    }: { readonly tool: string; readonly args: JsonObject; readonly inputSchema: unknown },
    call: OpenCall,
  ): Promise<unknown> {
    this.#calls.add(call);
    try {
      let params: JsonObject = { name: tool, arguments: args };
      for (let round = 1; round <= mostRounds; round += 1) {
        const result = await this.#request(params, inputSchema, call);
        if (!isInputRequired(result)) return result;
        const { requestState } = result;
        const inputResponses = await this.#responses(result, call);
        params = {
          name: tool,
          arguments: args,
          ...(inputResponses && { inputResponses }),
          ...(requestState !== undefined && { requestState }),
        };
      }
      throw new ToolError(this.#sentence(`asks for more than ${mostRounds} times in one call`));
    } finally {
      this.#calls.delete(call);
    }
  }

  async #request(params: JsonObject, inputSchema: unknown, call: OpenCall): Promise<unknown> {
    const { asker, signal } = call;
    const options = {
      signal,
      timeout: unlimitedMs,
      allowInputRequired: true,
      ...((asker === undefined || asker.wantsProgress) && {
        onprogress: ({ progress, ...more }: Progress) => call.progress(progress, more),
      }),
    };
    const sent = { ...params, ...this.#wantsLogs(asker) } as { name: string };
    try {
      // The SDK mirrors arguments in headers where a schema says so, and only in its own way of calling.
      if (this.isModern && JSON.stringify(inputSchema)?.includes('"x-mcp-header"')) {
        const toolDefinition = { name: sent.name, inputSchema: inputSchema as { type: 'object' } };
        return await this.#client.callTool(sent, { ...options, toolDefinition });
      }
      return await this.#client.request({ method: 'tools/call', params: sent }, anything, options);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#explain(error);
    }
  }

  /** On 2026-07-28 log messages come for whoever asks for them. */
  #wantsLogs(asker: Asker | undefined): JsonObject {
    if (!this.isModern || !this.#client.getServerCapabilities()?.logging) return {};
    const level = asker ? asker.logLevel : 'info';
    return level === undefined ? {} : { _meta: { [metaKey.logLevel]: level } };
  }

  async #responses({ inputRequests }: JsonObject, call: OpenCall): Promise<JsonObject | undefined> {
    const entries = Object.entries(isObject(inputRequests) ? inputRequests : {});
    if (entries.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      return undefined;
    }
    const responses = entries.map(async ([key, request]) => {
      const { method, params } = isObject(request) ? request : {};
      return [key, await this.#responseTo(questionIn(method, params), call)] as const;
    });
    return Object.fromEntries(await Promise.all(responses));
  }

  /** There is no error among these responses: a call that cannot go on without one ends. */
  async #responseTo(question: UpstreamQuestion, call: OpenCall): Promise<JsonObject> {
    try {
      return await call.ask(question);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      const response = inPlaceOf(question.method);
      if (response) return response;
      throw new ToolError(this.#sentence(`cannot go on with this call: ${error.message}`));
    }
  }

  /** Up to 2025-11-25 a question does not say which call it belongs to. */
  async #asked(question: UpstreamQuestion): Promise<JsonObject> {
    const calls = [...this.#calls];
    const call = calls.at(-1);
    if (!call) {
      if (question.method === 'roots/list') return { roots: [] };
      throw new ProtocolError(-32_603, 'No call is under way, so that there is nobody to ask.');
    }
    if (!calls.every((one) => isSameClient(one.asker, call.asker))) {
      throw new ProtocolError(
        -32_603,
        'Calls of several clients are under way, and the question does not say whose it is.',
      );
    }
    try {
      return await call.ask(question);
    } catch (error) {
      if (error instanceof Unanswered) throw new ProtocolError(error.code, error.message);
      throw new ProtocolError(-32_603, 'The call has ended.');
    }
  }

  /** With several calls under way nobody knows whose log it is. */
  #log({ level, data }: JsonObject): void {
    const [call, another] = [...this.#calls];
    if (call && !another) call.log(level, data);
  }

  /** Listens for changes of the list, for as long as the connection is open. @see MCP 2026-07-28, subscriptions/listen */
  async #listen(): Promise<void> {
    if (!this.#client.getServerCapabilities()?.tools?.listChanged) return;
    const { onToolsChanged, signal } = this.#options;
    let waitMs = listenAgainMs.first;
    let isFirst = true;
    while (!this.isOver && !signal.aborted) {
      try {
        const subscription = await this.#client.listen({ toolsListChanged: true });
        // Meanwhile nobody would have said so.
        if (!isFirst) onToolsChanged();
        waitMs = listenAgainMs.first;
        if ((await subscription.closed) === 'local') return;
      } catch {
        // It is tried again.
      }
      isFirst = false;
      if (this.isOver) return;
      const pause = waitMs;
      await new Promise((resolve) => setTimeout(resolve, pause).unref());
      waitMs = Math.min(waitMs * 2, listenAgainMs.longest);
    }
  }

  #onError(error: Error): void {
    const isSse = error.name === 'SseError' || error.message.startsWith('SSE error');
    const isBroken = isSse || error.message.startsWith('Maximum reconnection attempts');
    if (isBroken && this.#client.getNegotiatedProtocolVersion() !== undefined) {
      this.#end('the connection broke');
      void this.close();
    }
  }

  #end(why: string): void {
    if (this.isOver) return;
    this.#over = why;
    this.#options.onOver(why);
  }

  #endWords(): string {
    const transport = this.#transport;
    if (!(transport instanceof Program)) return 'the connection was closed';
    if (transport.fault !== undefined) return transport.fault;
    const ending = transport.ending ?? { code: null, signal: null };
    return endingWords(ending, transport.stderr, this.#options.quote);
  }

  /** What of a failure the caller is told. */
  #explain(error: unknown): Error {
    if (error instanceof ToolError || error instanceof LinkError) return error;
    const { place, quote } = this.#options;
    const transport = this.#transport;
    if (transport instanceof Program && transport.pid === undefined && !('url' in place)) {
      return new LinkError(spawnWords(error, place));
    }
    if (transport instanceof Program && (transport.fault !== undefined || transport.ending)) {
      return new LinkError(this.#endWords());
    }
    const status = statusOf(error);
    if (status !== undefined) {
      const isSession = status === 404 && this.#client.getNegotiatedProtocolVersion() !== undefined;
      const gone = isSession ? new SessionGoneError('it no longer knows our session') : undefined;
      if (gone) this.#end(gone.message);
      return gone ?? new LinkError(statusWords(status));
    }
    if (error instanceof ProtocolError) {
      if (error.code === brokenCode && 'url' in place) return this.#lost(quote(error.message));
      if (error.code === unreadableCode) {
        return new ToolError(this.#sentence(`answers with what is no result: ${quote(error.message)}`));
      }
      return new ToolError(this.#sentence(`answers with an error: ${quote(error.message)} (${error.code})`));
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      return new LinkError('it does not answer');
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
      return new LinkError(this.#over ?? this.#endWords());
    }
    if (isUnreadable(error)) {
      return new ToolError(this.#sentence(`answers with what is no result: ${quote(messageOf(error))}`));
    }
    return 'url' in place ? this.#lost(quote(rootMessage(error))) : new LinkError(quote(messageOf(error)));
  }

  /** A server that cannot be reached any more is looked for anew by the next who asks. */
  #lost(why: string): LinkError {
    if (this.#client.getNegotiatedProtocolVersion() !== undefined) {
      this.#end(why);
      void this.close();
    }
    return new LinkError(why);
  }

  #sentence(text: string): string {
    return sentence(`The upstream server "${this.#options.name}" ${text}`);
  }

  /** Ends the connection, and the program if it is one. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const transport = this.#transport;
    if ('terminateSession' in transport) {
      const ended = (transport as { terminateSession(): Promise<void> }).terminateSession().catch(() => {});
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500).unref())]);
    }
    await this.#client.close().catch(() => {});
    // One that was never connected is not the client's to close.
    await transport.close().catch(() => {});
  }
}

/** How a server is asked, one way after the other: programs may end at a question that they do not know. */
function modesFor({ place, era, timeoutMs }: LinkOptions): readonly Negotiation[] {
  const legacy = { mode: 'legacy' } as const;
  if ('url' in place) return place.transport === 'sse' ? [legacy] : [{ mode: 'auto' }];
  if (era === 'legacy') return [legacy];
  const probe = { timeoutMs: Math.min(probeMs, timeoutMs / 2) };
  return era === 'modern' ? [{ mode: 'auto', probe }] : [{ mode: 'auto', probe }, legacy];
}

function isInputRequired(result: unknown): result is JsonObject {
  return isObject(result) && result.resultType === 'input_required';
}

function isSameClient(one: Asker | undefined, other: Asker | undefined): boolean {
  if (!one || !other) return one === other;
  if (one.connection === other.connection) return true;
  const owner = ownerOf(one.auth);
  return owner !== '' && owner === ownerOf(other.auth);
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (error.name === 'UnauthorizedError') return 401;
  return typeof code === 'number' && code >= 300 && code < 600 ? code : undefined;
}

function isUnreadable(error: unknown): boolean {
  const codes: readonly string[] = [SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType];
  return error instanceof SdkError && codes.includes(error.code);
}

/** What lies at the bottom of a failure: `fetch failed` says nothing. */
function rootMessage(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: unknown };
  if (cause instanceof AggregateError && cause.errors.length > 0) return rootMessage(cause.errors[0]);
  return cause instanceof Error ? rootMessage(cause) : messageOf(error);
}
