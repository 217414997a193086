import {
  Client,
  type ProgressCallback,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { packageVersion } from '../base/folders.js';
import { isRecord } from '../base/value-checks.js';
import type { RequesterInfo } from '../live/connection.js';
import type { JsonObject } from '../protocol/envelope.js';
import { metaKey } from '../protocol/eras.js';
import type { Root } from '../runtime/context.js';
import { ToolError } from '../runtime/result-builders.js';
import { listedKinds, type ServedKind } from '../runtime/served-kind.js';
import type { UpstreamEndpoint, UpstreamRequest } from '../runtime/upstream.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { answerInputRequests, answerRequest } from './answer-input-requests.js';
import { anyResult } from './any-result.js';
import { type KnownEra, type Negotiation, waysToAsk } from './era-negotiation.js';
import { createSecretFilter, endingWords, type Quote, quoteOutput, withFullStop } from './error-text.js';
import { createHttpTransport } from './http-transport.js';
import { askedMethods, readInputRequest } from './input-requests.js';
import { ListReader } from './list-reader.js';
import { listenForLists } from './list-watch.js';
import { ProgramTransport } from './program-transport.js';
import { ServerSignIn, type SignInSource } from './remote-sign-in.js';
import { ResourceSubscriptions } from './resource-subscriptions.js';
import type { UpstreamCall } from './upstream-call.js';
import { describeUpstream, type UpstreamDescription } from './upstream-description.js';
import { ConnectionLostError, explainFailure } from './upstream-errors.js';

type ProgressUpdate = Parameters<ProgressCallback>[0];

export interface LinkOptions extends SignInSource {
  readonly place: UpstreamEndpoint;
  /** Runs the program, if it is one. Default: it has the rights of this process. */
  readonly sandbox?: Sandbox | undefined;
  /** True if the user has named the server. Default: false. */
  readonly isNamed?: boolean;
  /** Name of the upstream server in messages. */
  readonly name: string;
  readonly era: KnownEra;
  /** `startTimeoutMs` of the server. Limits the handshake. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly quote: Quote;
  /** Returns the roots of the clients, for requests outside any call. */
  readonly roots: () => Promise<readonly Root[]>;
  /** Logs the end of a sentence about the upstream server to stderr. */
  readonly note: (text: string) => void;
  readonly events: LinkEvents;
  /** Called once when the connection ends, except by {@link UpstreamLink.close}. */
  readonly onOver: (why: string) => void;
}

/** Notifications of an upstream server. */
export interface LinkEvents {
  readonly onListChanged: (kind: ServedKind) => void;
  readonly onResourceUpdated: (uri: string) => void;
  /** Called with log messages that belong to no known call. */
  readonly onLog: (params: JsonObject) => void;
  readonly onElicitationComplete: (params: JsonObject) => void;
}

/** A request of a client to the upstream server. */
export interface LinkRequest extends UpstreamRequest {
  /** Input schema of a called tool, as listed. */
  readonly inputSchema?: unknown;
  /** The tool runs as a task. */
  readonly isTask?: boolean;
}

/** Longest delay of a timer, in milliseconds. The tool has its own timeout. */
const unlimitedMs = 2 ** 31 - 1;

/** Most `input_required` results of one call. */
const maxCallRounds = 100;

/** Delay before a retry without input requests, in milliseconds. @see MCP 2026-07-28, basic/patterns/mrtr */
const callRetryMs = 1000;

/** One connection to an upstream server. */
export class UpstreamLink {
  readonly #options: LinkOptions;
  readonly #client: Client;
  readonly #transport: Transport;
  /** Open calls, the oldest first. */
  readonly #calls = new Set<UpstreamCall>();
  /** Reads the lists of the server. */
  readonly lists: ListReader;
  readonly #subscriptions: ResourceSubscriptions;
  #over: string | undefined;
  #isClosing = false;
  readonly #signIn: ServerSignIn | undefined;

  /** Opens a connection in the era of the server. @throws LinkError, ToolError */
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
    this.#signIn = 'url' in place ? ServerSignIn.open(place.url, options) : undefined;
    this.#transport =
      'url' in place
        ? createHttpTransport(place, this.#signIn?.remote)
        : new ProgramTransport({
            ...place,
            sandbox: options.sandbox,
            isNamed: options.isNamed ?? false,
            onImpure: (line) => note(`writes to stdout what is no message: ${quoteOutput(line, quote)}`),
          });
    this.#client = new Client(
      { name: 'agenttools', version: packageVersion() },
      {
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
        versionNegotiation,
      },
    );
    const explain = (error: unknown) => this.#explain(error);
    this.lists = new ListReader(this.#client, { signal: options.signal, explain });
    this.#subscriptions = new ResourceSubscriptions(this.#client, () => this.isOver);
    this.#listenTo(this.#client);
  }

  #listenTo(client: Client): void {
    const { events, roots } = this.#options;
    for (const kind of listedKinds) {
      client.setNotificationHandler(`notifications/${kind}/list_changed`, () => events.onListChanged(kind));
    }
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      events.onResourceUpdated(params.uri),
    );
    client.setNotificationHandler('notifications/message', ({ params }) => this.#log(params));
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) =>
      events.onElicitationComplete(params),
    );
    for (const method of askedMethods) {
      client.setRequestHandler(method, { params: anyResult }, async (params) => {
        return (await answerRequest(readInputRequest(method, params), this.#calls, roots)) as never;
      });
    }
    client.onclose = () => this.#end(this.#endWords());
    client.onerror = (error) => this.#onError(error);
  }

  async #connect(timeout: number): Promise<void> {
    const { signal } = this.#options;
    // The probe of the SDK ignores the signal.
    const giveUp = () => void this.close();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await this.#client.connect(this.#transport, { timeout: Math.max(1, timeout), signal });
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    this.lists.watch(this.#transport);
    if (this.isModern) {
      const { onListChanged } = this.#options.events;
      void listenForLists(this.#client, { isOver: () => this.isOver, onListChanged });
    }
  }

  get isModern(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  get isOver(): boolean {
    return this.#over !== undefined || this.#isClosing;
  }

  /** True if the program exited by itself. */
  get #endedItself(): boolean {
    const transport = this.#transport;
    return (
      transport instanceof ProgramTransport && transport.ending !== undefined && transport.fault === undefined
    );
  }

  /** Title, instructions and capabilities of the server. */
  get description(): UpstreamDescription {
    const { name } = this.#options;
    return describeUpstream(this.#client, name, this.isModern);
  }

  /** Subscribes to these resources, and to no others. Never rejects. */
  async subscribeTo(uris: readonly string[]): Promise<void> {
    await this.#subscriptions.set(uris, this.isModern);
  }

  /** Sets the lowest level of log messages. On 2026-07-28 each request sets it. Never rejects. */
  async setLogLevel(level: string): Promise<void> {
    if (this.isModern || !this.#client.getServerCapabilities()?.logging) return;
    await this.ask('logging/setLevel', { level }).catch(() => {});
  }

  /** Sends a request that no client waits for. @throws any error of the SDK */
  async ask(method: string, params: JsonObject): Promise<unknown> {
    return await this.#client.request({ method, params }, anyResult, {
      signal: this.#options.signal,
    });
  }

  /**
   * Sends a request, and forwards input requests of the server to the client of the call.
   * @throws LinkError, ToolError; ProtocolError with the error of the server
   */
  async call({ params: asked, ...request }: LinkRequest, call: UpstreamCall): Promise<unknown> {
    this.#calls.add(call);
    try {
      if (request.isTask) return await this.#runTask(asked, call);
      let params: JsonObject = asked;
      for (let round = 1; round <= maxCallRounds; round += 1) {
        const result = await this.#request({ ...request, params }, call);
        if (!isInputRequired(result)) return result;
        const { requestState } = result;
        const inputResponses = await this.#responses(result, call);
        params = {
          ...asked,
          ...(inputResponses && { inputResponses }),
          ...(requestState !== undefined && { requestState }),
        };
      }
      throw new ToolError(this.#sentence(`asks for more than ${maxCallRounds} times in one call`));
    } finally {
      this.#calls.delete(call);
    }
  }

  async #runTask(params: JsonObject, call: UpstreamCall): Promise<unknown> {
    // Loaded on first use: few tools run as tasks.
    const { runUpstreamTask } = await import('./upstream-task.js');
    const request = async (method: string, more: JsonObject) =>
      await this.#request({ method, params: more }, call);
    return await runUpstreamTask(params, {
      request,
      cancel: (taskId) => void this.ask('tasks/cancel', { taskId }).catch(() => {}),
      signal: call.signal,
      say: (text) => this.#sentence(text),
    });
  }

  async #request(
    { method, params, inputSchema }: Omit<LinkRequest, 'method'> & { readonly method: string },
    call: UpstreamCall,
  ): Promise<unknown> {
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
      // Only `callTool` of the SDK mirrors arguments in headers as the schema requires.
      if (this.isModern && JSON.stringify(inputSchema)?.includes('"x-mcp-header"')) {
        const toolDefinition = { name: sent.name, inputSchema: inputSchema as { type: 'object' } };
        return await this.#client.callTool(sent, { ...options, toolDefinition });
      }
      return await this.#client.request({ method, params: sent }, anyResult, options);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#explain(error);
    }
  }

  /** Metadata that requests log messages on 2026-07-28. */
  #wantsLogs(asker: RequesterInfo | undefined): JsonObject {
    if (!this.isModern || !this.#client.getServerCapabilities()?.logging) return {};
    const level = asker ? asker.logLevel : 'info';
    return level === undefined ? {} : { _meta: { [metaKey.logLevel]: level } };
  }

  async #responses({ inputRequests }: JsonObject, call: UpstreamCall): Promise<JsonObject | undefined> {
    if (isRecord(inputRequests) && Object.keys(inputRequests).length > 0)
      return await answerInputRequests(inputRequests, call, (text) => this.#sentence(text));
    await new Promise((resolve) => setTimeout(resolve, callRetryMs));
    return undefined;
  }

  /** Forwards a log message to the client of the call if exactly one call is open. Otherwise its call is unknown. */
  #log(params: JsonObject): void {
    const [call, another] = [...this.#calls];
    if (call && !another) call.log(params);
    else this.#options.events.onLog(params);
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

  /** Converts a failure to an error for the caller. Closes the link if the connection is lost. */
  #explain(error: unknown): Error {
    const { place, name, timeoutMs } = this.#options;
    const conceal = (text: string) => this.#signIn?.hide(text) ?? text;
    const hideInPlace = createSecretFilter(place);
    const quote: Quote = (text) => this.#options.quote(conceal(text));
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
      hide: (text) => hideInPlace(conceal(text)),
      isOpen,
      isStarted: program?.pid !== undefined,
      over,
      waitedMs: timeoutMs,
      impure: program?.impure,
      refusal: this.#signIn?.refusal,
    });
    if (isOpen && explained instanceof ConnectionLostError) {
      this.#end(explained.message);
      void this.close();
    }
    return explained;
  }

  /** Notifies the server of changed roots. On 2026-07-28 it requests roots within calls instead. */
  tellRoots(): void {
    if (!this.isModern && !this.isOver) void this.#client.sendRootsListChanged().catch(() => {});
  }

  #sentence(text: string): string {
    return withFullStop(`The upstream server "${this.#options.name}" ${text}`);
  }

  /** Closes the connection, and the program if there is one. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const transport = this.#transport;
    if ('terminateSession' in transport) {
      const ended = (transport as { terminateSession(): Promise<void> }).terminateSession().catch(() => {});
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500).unref())]);
    }
    await this.#client.close().catch(() => {});
    // The client does not close a transport that never connected.
    await transport.close().catch(() => {});
  }
}

function isInputRequired(result: unknown): result is JsonObject {
  return isRecord(result) && result.resultType === 'input_required';
}

function hasEnded({ ending, fault }: ProgramTransport): boolean {
  return ending !== undefined || fault !== undefined;
}
