import { AgentToolsError } from '../base/errors.js';
import { watchFolder } from '../base/files/watch-folder.js';
import { isRecord } from '../base/value-checks.js';
import { type Answer, ChildSession, type Question } from '../preflight/child-session.js';
import type { ChildServer } from '../upstream/child-transport.js';
import { appCapability, chooseApp, toolAppUri } from './app-list.js';
import type {
  AppReport,
  DevState,
  InitialView,
  ListedApp,
  PreviewRequest,
  PreviewState,
  Theme,
} from './page-messages.js';
import { PageQuestions } from './page-questions.js';
import { type PreviewPages, servePages } from './pages.js';
import { parseAppContents } from './parse-app.js';
import { RestartableServer, type RestartableServerOptions } from './restartable-server.js';

export interface PreviewOptions extends HostPageOptions {
  /** The command that starts the server. */
  readonly child: ChildServer;
  /** The package folder that is watched for changes. Absent: nothing is watched. */
  readonly directory?: string;
  readonly asked: InitialViewArguments;
}

/** A page that is a host of the apps of a server. */
interface HostPageOptions {
  /** The server's name on the command line. */
  readonly reference: string;
  /** The built pages. */
  readonly pageFolder: string;
  readonly version: string;
  /** Zero: any free port. */
  readonly port: number;
  /** Longest wait for the server's first answer. */
  readonly timeoutMs: number;
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
  const { child, directory, asked } = options;
  let stopWatching = () => {};
  const page = await openHostPage({
    ...options,
    open: async (session) =>
      await ChildSession.open(child, {
        ...session,
        name: 'agenttools-preview',
        capabilities: appCapability,
      }),
    listsAll: false,
    choose: (live) => chooseInitialView(live, asked),
  });
  const close = async () => {
    stopWatching();
    await page.close();
  };
  try {
    if (directory !== undefined) stopWatching = await watchFolder(directory, () => void page.live.start());
  } catch (error) {
    await close();
    throw error;
  }
  return { url: page.url, server: page.live.server!.name, apps: page.live.apps, asked: page.asked, close };
}

/** Use of a host page beyond a preview. */
export interface HostPageUse extends HostPageOptions, Pick<RestartableServerOptions, 'open' | 'listsAll'> {
  /** Returns the initial view for the lists of the server. */
  readonly choose: (live: RestartableServer) => InitialView;
  /** Called for the button that restarts the server. Default: starts another session. */
  readonly onRestart?: () => void;
  /** Output before the page was opened. */
  readonly text?: string;
  /** The state of the files in development. */
  readonly dev?: () => Omit<DevState, 'prompts' | 'resources'>;
}

/** A page that is a host of the apps of a server. */
export interface HostPage {
  readonly url: string;
  readonly live: RestartableServer;
  readonly asked: InitialView;
  /** Shows output of the server. */
  print(text: string): void;
  /** Sends the state to the pages. */
  refresh(): void;
  /** Asks the user a question of the server. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** @throws AgentToolsError if the server does not answer. */
export async function openHostPage(options: HostPageUse): Promise<HostPage> {
  const {
    reference,
    open,
    listsAll,
    version,
    timeoutMs,
    dev,
    onText = () => {},
    onReport = () => {},
  } = options;
  let stderr = options.text ?? '';
  let pages: PreviewPages | undefined;
  let asked: InitialView | undefined;

  const state = (): PreviewState => {
    const { server, status, generation, tools, apps, prompts, resources } = live;
    const files = dev && { ...dev(), prompts, resources };
    return {
      reference,
      server,
      status,
      generation,
      tools,
      apps,
      asked: asked!,
      ...(files && { dev: files }),
    };
  };
  const print = (text: string) => {
    stderr = (stderr + text).slice(-keptText);
    pages?.send('stderr', text);
  };
  const questions = new PageQuestions((question) => pages?.send('question', question));
  const live = new RestartableServer({
    open,
    listsAll,
    version,
    timeoutMs,
    onText: (text) => {
      print(text);
      onText(text);
    },
    onChanged: (method) => pages?.send('changed', method),
    onState: () => pages?.send('state', state()),
  });
  const close = async () => {
    questions.close();
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
    asked = options.choose(live);
    pages = await servePages({
      folder: options.pageFolder,
      port: options.port,
      greet(send) {
        send('state', state());
        if (stderr !== '') send('stderr', stderr);
        if (questions.oldest) send('question', questions.oldest);
      },
      actions: {
        request: (body, signal) => live.answer(parsePreviewRequest(body), signal),
        async render({ uri }) {
          const app = parseAppContents(String(uri), await live.request('resources/read', { uri }));
          return { ...app, frame: pages!.addFrame(app.policy) };
        },
        async restart() {
          if (options.onRestart) options.onRestart();
          else void live.start();
        },
        async report(body) {
          onReport(body as unknown as AppReport);
        },
        async answer(body) {
          questions.answer(body);
        },
      },
    });
  } catch (error) {
    await close();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  return {
    url: pages.url,
    live,
    asked,
    print,
    refresh: () => pages?.send('state', state()),
    ask: async (question, signal) => await questions.ask(question, signal),
    close,
  };
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
