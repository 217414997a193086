import { AgentToolsError } from '../base/errors.js';
import { isRecord } from '../base/value-checks.js';
import type { ChildServer } from '../upstream/child-transport.js';
import { chooseApp, toolAppUri } from './app-list.js';
import type {
  AppReport,
  InitialView,
  ListedApp,
  PreviewRequest,
  PreviewState,
  Theme,
} from './page-messages.js';
import { type PreviewPages, servePages } from './pages.js';
import { parseAppContents } from './parse-app.js';
import { RestartableServer } from './restartable-server.js';
import { watchFolder } from '../base/files/watch-folder.js';

export interface PreviewOptions {
  /** The server's name on the command line. */
  readonly reference: string;
  /** The command that starts the server. */
  readonly child: ChildServer;
  /** The package folder that is watched for changes. Absent: nothing is watched. */
  readonly directory?: string;
  /** The built pages. */
  readonly pageFolder: string;
  readonly version: string;
  /** Zero: any free port. */
  readonly port: number;
  /** Longest wait for the server's first answer. */
  readonly timeoutMs: number;
  readonly asked: InitialViewArguments;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
  /** Receives the server's output on stderr. */
  readonly onText?: (text: string) => void;
  readonly onReport?: (report: AppReport) => void;
}

/** The initial view, as given on the command line. */
export interface InitialViewArguments {
  readonly app?: string | undefined;
  readonly tool?: string | undefined;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly theme?: Theme | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** A running preview: a server, with its apps on a local page. */
export interface Preview {
  /** URL of the page. Any client that knows it can call the server's tools. */
  readonly url: string;
  readonly server: string;
  readonly apps: readonly ListedApp[];
  readonly asked: InitialView;
  /** Closes the page and stops the server. */
  close(): Promise<void>;
}

/** Characters of the server's stderr that a page gets if it opens late. */
const keptText = 20_000;

/**
 * Starts a server and serves a page that shows its apps as hosts do.
 * @throws AgentToolsError if the server does not answer, or has no such app or tool.
 */
export async function openPreview(options: PreviewOptions): Promise<Preview> {
  const { reference, child, directory, version, timeoutMs, onText = () => {}, onReport = () => {} } = options;
  let stderr = '';
  let pages: PreviewPages | undefined;
  let asked: InitialView | undefined;

  const state = (): PreviewState => {
    const { server, status, generation, tools, apps } = live;
    return { reference, server, status, generation, tools, apps, asked: asked! };
  };
  const live = new RestartableServer({
    child,
    version,
    timeoutMs,
    onText: (text) => {
      stderr = (stderr + text).slice(-keptText);
      pages?.send('stderr', text);
      onText(text);
    },
    onChanged: (method) => pages?.send('changed', method),
    onState: () => pages?.send('state', state()),
  });
  let stopWatching = () => {};
  const close = async () => {
    stopWatching();
    await pages?.close();
    await live.close();
  };

  const { signal } = options;
  const giveUp = () => void live.close();
  signal?.addEventListener('abort', giveUp);
  try {
    signal?.throwIfAborted();
    await live.start();
    if (live.status.name === 'failed')
      throw new AgentToolsError('failed', withText(live.status.message, stderr));
    asked = chooseInitialView(live, options.asked);
    pages = await servePages({
      folder: options.pageFolder,
      port: options.port,
      greet(send) {
        send('state', state());
        if (stderr !== '') send('stderr', stderr);
      },
      actions: {
        request: (body, signal) => live.answer(parsePreviewRequest(body), signal),
        async render({ uri }) {
          const app = parseAppContents(String(uri), await live.request('resources/read', { uri }));
          return { ...app, frame: pages!.addFrame(app.policy) };
        },
        async restart() {
          void live.start();
        },
        async report(body) {
          onReport(body as unknown as AppReport);
        },
      },
    });
    if (directory !== undefined) stopWatching = await watchFolder(directory, () => void live.start());
  } catch (error) {
    await close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  return { url: pages.url, server: live.server!.name, apps: live.apps, asked, close };
}

function chooseInitialView(live: RestartableServer, words: InitialViewArguments): InitialView {
  const { app, tool } = chooseApp(live, words);
  const { arguments: args, theme, width, height } = words;
  const isBound = live.tools.some((one) => one.name === tool && toolAppUri(one) === app);
  return {
    app,
    ...(tool !== undefined && { tool }),
    ...(args && { arguments: args }),
    // Tools have effects, so none is called without a request by the user.
    call: words.tool !== undefined || (args !== undefined && isBound),
    ...(theme && { theme }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}

function parsePreviewRequest({ method, params, from }: Readonly<Record<string, unknown>>): PreviewRequest {
  return {
    method: String(method),
    params: isRecord(params) ? params : {},
    from: from === 'page' ? 'page' : 'app',
  };
}

function withText(message: string, stderr: string): string {
  const said = stderr.trim();
  return said === '' ? message : `${message} It wrote to stderr:\n${said.replace(/^/gm, '  ')}`;
}
