import {
  Client,
  type ProgressCallback,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { packageVersion } from '../base/folders.js';
import type { RequesterInfo } from '../live/connection.js';
import { isObject, type JsonObject } from '../protocol/envelope.js';
import { metaKey } from '../protocol/eras.js';
import type { Root } from '../runtime/context.js';
import { ToolError } from '../runtime/result-builders.js';
import type { UpstreamEndpoint } from '../runtime/upstream.js';
import { answerInputRequests, answerRequest } from './answer-input-requests.js';
import { type KnownEra, type Negotiation, waysToAsk } from './era-negotiation.js';
import { endingWords, type Quote, withFullStop } from './error-text.js';
import { createHttpTransport } from './http-transport.js';
import { askedMethods, readInputRequest } from './input-requests.js';
import { ProgramTransport } from './program-transport.js';
import { listenForTools } from './tool-list-watch.js';
import type { UpstreamCall } from './upstream-call.js';
import { ConnectionLostError, explainFailure, LinkError } from './upstream-errors.js';

type ProgressUpdate = Parameters<ProgressCallback>[0];

export interface LinkOptions {
  readonly place: UpstreamEndpoint;
  /** The upstream server in messages. */
  readonly name: string;
  readonly era: KnownEra;
  /** Longest wait until its tools are known. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly quote: Quote;
  /** Where clients work, for what is asked outside any call. */
  readonly roots: () => Promise<readonly Root[]>;
  /** Takes the end of a sentence about the upstream server, for stderr. */
  readonly note: (text: string) => void;
  readonly onToolsChanged: () => void;
  /** Told once it is over, unless it was closed from here. */
  readonly onOver: (why: string) => void;
}

/** Longer than this no timer runs; how long a call may take is for its own tool to say. */
const unlimitedMs = 2 ** 31 - 1;

/** A server that never stops is one with an endless list. */
const maxListedTools = 10_000;
const maxListPages = 1000;

/** How often one call may be asked for more. */
const maxCallRounds = 100;

/** How soon a call is sent again that was put off. @see MCP 2026-07-28, basic/patterns/mrtr */
const callRetryMs = 1000;

/** What comes is looked at here: what one tool has wrong must not cost all others. */
const permissiveSchema = {
  '~standard': { version: 1 as const, vendor: 'agenttools', validate: (value: unknown) => ({ value }) },
};

const toolsChanged = 'notifications/tools/list_changed';

/** One connection to an upstream server, from the handshake on. */
export class UpstreamLink {
  readonly #options: LinkOptions;
  readonly #client: Client;
  readonly #transport: Transport;
  /** In the order they were made. */
  readonly #calls = new Set<UpstreamCall>();
  /** The list that came last, in case the SDK refuses all of it for one tool. */
  #lastList: JsonObject | undefined;
  #over: string | undefined;
  #isClosing = false;

  /** Opens a connection, in whichever era the server speaks. @throws LinkError, ToolError */
  static async open(options: LinkOptions): Promise<UpstreamLink> {
    const deadline = performance.now() + options.timeoutMs;
    let failure: unknown;
    for (const mode of waysToAsk(options)) {
      const link = new UpstreamLink(options, mode);
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
        ? createHttpTransport(place)
        : new ProgramTransport({
            ...place,
            onImpure: (line) => note(`writes to stdout what is no message: ${quote(line)}`),
          });
    this.#client = new Client(
      { name: 'agenttools', version: packageVersion() },
      {
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
        versionNegotiation,
      },
    );
    this.#listenTo(this.#client);
  }

  #listenTo(client: Client): void {
    const { onToolsChanged, roots } = this.#options;
    client.setNotificationHandler(toolsChanged, () => onToolsChanged());
    client.setNotificationHandler('notifications/message', ({ params }) => this.#log(params));
    for (const method of askedMethods) {
      client.setRequestHandler(method, { params: permissiveSchema }, async (params) => {
        return (await answerRequest(readInputRequest(method, params), this.#calls, roots)) as never;
      });
    }
    client.onclose = () => this.#end(this.#endWords());
    client.onerror = (error) => this.#onError(error);
  }

  async #connect(timeout: number): Promise<void> {
    const { signal } = this.#options;
    // The SDK goes on asking in the newest way, whatever the signal says.
    const giveUp = () => void this.close();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await this.#client.connect(this.#transport, { timeout: Math.max(1, timeout), signal });
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    // The SDK looks at messages itself; what it refuses is looked at once more.
    const { onmessage } = this.#transport;
    this.#transport.onmessage = (message, extra) => {
      if ('result' in message && isObject(message.result) && Array.isArray(message.result.tools)) {
        this.#lastList = message.result;
      }
      onmessage?.(message, extra);
    };
    if (this.isModern)
      void listenForTools(this.#client, {
        isOver: () => this.isOver,
        onToolsChanged: this.#options.onToolsChanged,
      });
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
    return (
      transport instanceof ProgramTransport && transport.ending !== undefined && transport.fault === undefined
    );
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
      if (cursors.has(cursor) || cursors.size === maxListPages || tools.length > maxListedTools) {
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
      const page = await this.#client.request({ method: 'tools/list', params }, permissiveSchema, options);
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
    call: UpstreamCall,
  ): Promise<unknown> {
    this.#calls.add(call);
    try {
      let params: JsonObject = { name: tool, arguments: args };
      for (let round = 1; round <= maxCallRounds; round += 1) {
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
      throw new ToolError(this.#sentence(`asks for more than ${maxCallRounds} times in one call`));
    } finally {
      this.#calls.delete(call);
    }
  }

  async #request(params: JsonObject, inputSchema: unknown, call: UpstreamCall): Promise<unknown> {
    const { asker, signal } = call;
    const options = {
      signal,
      timeout: unlimitedMs,
      allowInputRequired: true,
      ...((asker === undefined || asker.wantsProgress) && {
        onprogress: ({ progress, ...more }: ProgressUpdate) => call.progress(progress, more),
      }),
    };
    const sent = { ...params, ...this.#wantsLogs(asker) } as { name: string };
    try {
      // The SDK mirrors arguments in headers where a schema says so, and only in its own way of calling.
      if (this.isModern && JSON.stringify(inputSchema)?.includes('"x-mcp-header"')) {
        const toolDefinition = { name: sent.name, inputSchema: inputSchema as { type: 'object' } };
        return await this.#client.callTool(sent, { ...options, toolDefinition });
      }
      return await this.#client.request({ method: 'tools/call', params: sent }, permissiveSchema, options);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#explain(error);
    }
  }

  /** On 2026-07-28 log messages come for whoever asks for them. */
  #wantsLogs(asker: RequesterInfo | undefined): JsonObject {
    if (!this.isModern || !this.#client.getServerCapabilities()?.logging) return {};
    const level = asker ? asker.logLevel : 'info';
    return level === undefined ? {} : { _meta: { [metaKey.logLevel]: level } };
  }

  async #responses({ inputRequests }: JsonObject, call: UpstreamCall): Promise<JsonObject | undefined> {
    if (isObject(inputRequests) && Object.keys(inputRequests).length > 0)
      return await answerInputRequests(inputRequests, call, (text) => this.#sentence(text));
    await new Promise((resolve) => setTimeout(resolve, callRetryMs));
    return undefined;
  }

  /** With several calls under way nobody knows whose log it is. */
  #log({ level, data }: JsonObject): void {
    const [call, another] = [...this.#calls];
    if (call && !another) call.log(level, data);
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
    if (!(transport instanceof ProgramTransport)) return 'the connection was closed';
    if (transport.fault !== undefined) return transport.fault;
    const ending = transport.ending ?? { code: null, signal: null };
    return endingWords(ending, transport.stderr, this.#options.quote);
  }

  /** What the caller is told of a failure. What shows that the connection is lost ends it. */
  #explain(error: unknown): Error {
    const { place, name, quote, timeoutMs } = this.#options;
    const isOpen = this.#client.getNegotiatedProtocolVersion() !== undefined;
    const transport = this.#transport;
    const program = transport instanceof ProgramTransport ? transport : undefined;
    const hasClosed = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
    const isOver = program ? hasEnded(program) : hasClosed;
    const over = isOver ? (this.#over ?? this.#endWords()) : undefined;
    const explained = explainFailure(error, {
      place,
      name,
      quote,
      isOpen,
      isStarted: program?.pid !== undefined,
      over,
      waitedMs: timeoutMs,
      impure: program?.impure,
    });
    if (isOpen && explained instanceof ConnectionLostError) {
      this.#end(explained.message);
      void this.close();
    }
    return explained;
  }

  /** Has it ask again where clients work. On 2026-07-28 it asks within calls, of whoever made them. */
  tellRoots(): void {
    if (!this.isModern && !this.isOver) void this.#client.sendRootsListChanged().catch(() => {});
  }

  #sentence(text: string): string {
    return withFullStop(`The upstream server "${this.#options.name}" ${text}`);
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

function isInputRequired(result: unknown): result is JsonObject {
  return isObject(result) && result.resultType === 'input_required';
}

function hasEnded({ ending, fault }: ProgramTransport): boolean {
  return ending !== undefined || fault !== undefined;
}
