import {
  AppBridge,
  type McpUiDisplayMode,
  type McpUiHostContext,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import type { AppRendering, Violation } from '../engine/preview/page-messages.js';
import { buildAllow } from './permissions.js';

type Message = Parameters<PostMessageTransport['send']>[0];

/** Longest waits for an app: to initialize, and to answer the teardown request. */
const initializeTimeoutMs = 10_000;
const teardownTimeoutMs = 1000;

/** Receives the events of an app. */
export interface AppListener {
  message(from: 'app' | 'host', message: Message): void;
  violation(violation: Violation): void;
  size(size: { readonly width?: number | undefined; readonly height?: number | undefined }): void;
  /** A request to the host that the host only logs. */
  ask(what: string, details: unknown): void;
  /** Returns the display mode that the app gets for the requested one. */
  mode(wanted: McpUiDisplayMode): McpUiDisplayMode;
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  leave(): void;
}

/** One app in its frame. */
export class AppFrame {
  readonly element: HTMLIFrameElement;
  /** Resolves once the app has initialized; rejects after the time limit. */
  readonly initialized: Promise<void>;
  readonly #bridge: AppBridge;
  #isInitialized = false;

  constructor(
    rendering: AppRendering,
    place: HTMLElement,
    { context, listener }: { readonly context: McpUiHostContext; readonly listener: AppListener },
  ) {
    this.element = document.createElement('iframe');
    this.element.title = `App ${rendering.uri}`;
    this.element.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
    this.element.setAttribute('allow', buildAllow(rendering.permissions));
    place.replaceChildren(this.element);
    const { csp, permissions } = rendering;
    this.#bridge = new AppBridge(
      null,
      { name: 'agenttools-preview', version: '1.0.0' },
      {
        openLinks: {},
        downloadFile: {},
        serverTools: { listChanged: true },
        serverResources: { listChanged: true },
        logging: {},
        updateModelContext: { text: {}, image: {}, resource: {}, resourceLink: {}, structuredContent: {} },
        message: { text: {}, image: {}, resource: {}, resourceLink: {} },
        sandbox: { csp: csp as object, permissions: permissions as object },
      },
      { hostContext: context },
    );
    this.initialized = this.#start(rendering, listener);
    this.initialized.catch(() => {});
  }

  async #start(rendering: AppRendering, listener: AppListener): Promise<void> {
    const bridge = this.#bridge;
    const { html, frame } = rendering;
    connectBridge(bridge, listener);
    bridge.addEventListener('sandboxready', () => {
      void bridge.sendSandboxResourceReady({
        html,
        csp: rendering.csp as object,
        permissions: rendering.permissions as object,
      });
    });
    bridge.addEventListener('sizechange', (size) => listener.size(size));
    bridge.addEventListener('loggingmessage', (log) => listener.ask('Log', log));
    bridge.addEventListener('requestteardown', () => listener.leave());
    const initialized = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        const seconds = initializeTimeoutMs / 1000;
        reject(
          new Error(
            `The app ${rendering.uri} did not initialize within ${seconds} s: it has to send "ui/initialize", and "ui/notifications/initialized" after the answer.`,
          ),
        );
      }, initializeTimeoutMs);
      bridge.addEventListener('initialized', () => {
        clearTimeout(late);
        this.#isInitialized = true;
        resolve();
      });
    });
    await bridge.connect(new ObservedTransport(this.element.contentWindow!, listener));
    this.element.src = frame;
    await initialized;
  }

  /** The display modes that the app declares. Default: inline only. */
  get modes(): readonly McpUiDisplayMode[] {
    return this.#bridge.getAppCapabilities()?.availableDisplayModes ?? ['inline'];
  }

  setContext(context: McpUiHostContext): void {
    this.#bridge.setHostContext(context);
  }

  async sendInput(args: Record<string, unknown>): Promise<void> {
    await this.#bridge.sendToolInput({ arguments: args });
  }

  async sendResult(result: unknown): Promise<void> {
    await this.#bridge.sendToolResult(result as Parameters<AppBridge['sendToolResult']>[0]);
  }

  async sendCancelled(reason: string): Promise<void> {
    await this.#bridge.sendToolCancelled({ reason });
  }

  /** Notifies the app that a list of the server has changed. */
  async sendChanged(method: string): Promise<void> {
    if (method === 'notifications/tools/list_changed') await this.#bridge.sendToolListChanged();
    if (method === 'notifications/resources/list_changed') await this.#bridge.sendResourceListChanged();
  }

  /** Requests the app's teardown, then removes the app. */
  async close(): Promise<void> {
    if (this.#isInitialized) {
      await this.#bridge.teardownResource({}, { timeout: teardownTimeoutMs }).catch(() => {});
    }
    await this.#bridge.close().catch(() => {});
    this.element.remove();
  }
}

/** Passes requests for data to the server. Requests for actions of the host are only logged. */
function connectBridge(bridge: AppBridge, listener: AppListener): void {
  const pass =
    (method: string) =>
    async (params: object | undefined, { mcpReq }: { mcpReq: { signal: AbortSignal } }) =>
      // biome-ignore lint/suspicious/noExplicitAny: the server's client has checked it
      (await listener.request(method, params ?? {}, mcpReq.signal)) as any;
  bridge.oncalltool = pass('tools/call');
  bridge.onreadresource = pass('resources/read');
  bridge.onlistresources = pass('resources/list');
  bridge.onlistresourcetemplates = pass('resources/templates/list');
  bridge.onlistprompts = pass('prompts/list');
  const show = (what: string) => async (params: object) => {
    listener.ask(what, params);
    return {};
  };
  bridge.onopenlink = show('Open link');
  bridge.onmessage = show('Message to the model');
  bridge.onupdatemodelcontext = show('Context for the model');
  bridge.ondownloadfile = show('Download');
  bridge.onrequestdisplaymode = async ({ mode }) => ({ mode: listener.mode(mode) });
}

/**
 * The official transport, with each message reported to the listener. Sandbox messages are not for the
 * bridge.
 */
class ObservedTransport extends PostMessageTransport {
  readonly #listener: AppListener;

  constructor(frame: Window, listener: AppListener) {
    super(frame, frame);
    this.#listener = listener;
  }

  override async start(): Promise<void> {
    const deliver = this.onmessage;
    this.onmessage = (message, extra) => {
      const { method, params } = message as { method?: string; params?: unknown };
      if (method === 'ui/notifications/sandbox-violation')
        return this.#listener.violation(params as Violation);
      if (!method?.startsWith('ui/notifications/sandbox-')) this.#listener.message('app', message);
      deliver?.(message, extra);
    };
    await super.start();
  }

  override async send(message: Message): Promise<void> {
    const { method } = message as { method?: string };
    if (!method?.startsWith('ui/notifications/sandbox-')) this.#listener.message('host', message);
    await super.send(message);
  }
}
