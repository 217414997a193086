import { errorMessage } from '../base/thrown-value.js';
import { withTimeLimit } from '../base/time-limit-signal.js';
import {
  type ChildSession,
  type ChildSessionOptions,
  isSessionMethod,
  type SessionMethod,
} from '../preflight/child-session.js';
import { listApps, mayAppsCall } from './app-list.js';
import type {
  ListedApp,
  ListedPrompt,
  ListedResource,
  ListedTool,
  PreviewRequest,
  PreviewResponse,
  ServerStatus,
} from './page-messages.js';

export interface RestartableServerOptions {
  /** Opens a session with the server. */
  readonly open: (options: Omit<ChildSessionOptions, 'name' | 'capabilities'>) => Promise<ChildSession>;
  /** True to list items without apps, too. */
  readonly listsAll: boolean;
  readonly version: string;
  readonly timeoutMs: number;
  readonly onText: (text: string) => void;
  readonly onChanged: (method: string) => void;
  /** Called after a change of the status or the lists. */
  readonly onState: () => void;
}

/** A server that can be restarted, with its tools and apps. */
export class RestartableServer {
  status: ServerStatus = { name: 'starting' };
  /** Counts the starts. */
  generation = 0;
  tools: readonly ListedTool[] = [];
  apps: readonly ListedApp[] = [];
  /** Empty unless all items are listed. */
  prompts: readonly ListedPrompt[] = [];
  /** Resources and templates without apps. Empty unless all items are listed. */
  resources: readonly ListedResource[] = [];
  server: { readonly name: string; readonly version: string } | undefined;
  readonly #options: RestartableServerOptions;
  #session: ChildSession | undefined;
  /** Starts and stops run one after the other. */
  #work: Promise<void> = Promise.resolve();
  /** True while a start is queued: it covers all changes until it begins. */
  #isAboutToStart = false;
  readonly #closing = new AbortController();

  constructor(options: RestartableServerOptions) {
    this.#options = options;
  }

  /** Stops the server if it runs, and starts it. A failed start sets the status. */
  async start(): Promise<void> {
    if (!this.#isAboutToStart) {
      this.#isAboutToStart = true;
      this.#work = this.#work.then(() => this.#start());
    }
    await this.#work;
  }

  /** Stops the server for good. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#work = this.#work.then(() => this.#end());
    await this.#work;
  }

  async #start(): Promise<void> {
    this.#isAboutToStart = false;
    await this.#end();
    if (this.#closing.signal.aborted) return;
    this.#become({ name: 'starting' });
    const { open, version, timeoutMs, onText, onChanged } = this.#options;
    try {
      const session = await open({
        version,
        timeoutMs,
        signal: this.#closing.signal,
        onText,
        onChanged: (method) => void this.#listAgain(method).then(() => onChanged(method)),
      });
      this.#session = session;
      void session.ended.then(() => {
        if (this.#session === session) this.#fail('The server has ended.');
      });
      this.server = session.server;
      await this.#list(session);
      this.generation += 1;
      this.#become({ name: 'ready' });
    } catch (error) {
      await this.#end();
      this.#fail(`The server does not answer: ${errorMessage(error)}.`);
    }
  }

  async #end(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  #fail(message: string): void {
    this.#session = undefined;
    this.#become({ name: 'failed', message });
  }

  #become(status: ServerStatus): void {
    this.status = status;
    this.#options.onState();
  }

  /** Lists the items again after a change of the server. */
  async renew(): Promise<void> {
    if (!this.#session) return;
    await this.#list(this.#session).catch(() => {});
    this.generation += 1;
    this.#options.onState();
  }

  async #list(session: ChildSession): Promise<void> {
    const signal = withTimeLimit(this.#closing.signal, this.#options.timeoutMs);
    const tools = await session.list<ListedTool>('tools/list', 'tools', signal);
    const resources = await session.list<ListedResource>('resources/list', 'resources', signal);
    this.tools = tools;
    this.apps = listApps(tools, resources);
    if (!this.#options.listsAll) return;
    this.prompts = await session.list<ListedPrompt>('prompts/list', 'prompts', signal);
    const templates = await session.list<ListedResource>(
      'resources/templates/list',
      'resourceTemplates',
      signal,
    );
    this.resources = [...resources.filter(({ uri }) => !uri?.startsWith('ui://')), ...templates];
  }

  async #listAgain(method: string): Promise<void> {
    const isShown = this.#options.listsAll || method !== 'notifications/prompts/list_changed';
    if (!this.#session || !isShown) return;
    await this.#list(this.#session).catch(() => {});
    this.#options.onState();
  }

  /** Passes a request on if its sender may make it. */
  async answer({ method, params, from }: PreviewRequest, signal: AbortSignal): Promise<PreviewResponse> {
    const isForwarded = isSessionMethod(method) && (from === 'page' || method !== 'prompts/get');
    if (!isForwarded) return errorResponse(-32601, `The host does not forward ${method}.`);
    const refused = from === 'app' && method === 'tools/call' ? this.#refusalOf(params.name) : undefined;
    if (refused !== undefined) return errorResponse(-32602, refused);
    if (!this.#session) return errorResponse(-32603, 'The server is not running.');
    try {
      return { result: await this.#session.request(method, params, signal) };
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      return errorResponse(typeof code === 'number' ? code : -32603, errorMessage(error));
    }
  }

  /** The reason why an app may not call a tool; undefined if it may. */
  #refusalOf(name: unknown): string | undefined {
    const tool = this.tools.find((one) => one.name === name);
    if (!tool) return `There is no tool "${String(name)}".`;
    return mayAppsCall(tool) ? undefined : `The tool "${tool.name}" is not for apps.`;
  }

  /** @throws the server's error; Error if the server does not run. */
  async request(
    method: SessionMethod,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (!this.#session) throw new Error('The server is not running');
    return await this.#session.request(method, params);
  }
}

function errorResponse(code: number, message: string): PreviewResponse {
  return { error: { code, message } };
}
