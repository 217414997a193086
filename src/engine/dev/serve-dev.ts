import type { Host } from '../../host.js';
import { reporterOn } from '../base/line-reporter.js';
import { errorMessage } from '../base/thrown-value.js';
import { findTokenCounter } from '../compatibility/token-counter.js';
import type { HostPage } from '../preview/preview.js';
import { type HttpOptions, startHttpServer } from '../serve/http/start-http.js';
import type { Preparation, PreparedServer } from '../serve/prepare-server.js';
import { startServer } from '../serve/start-server.js';
import { buildOnce, findBuildScript, watchBuild } from './build-script.js';
import { DevOutput } from './dev-output.js';
import { type DevPageOptions, openDevPage } from './dev-page.js';
import { DevSession, type DevSessionOptions } from './dev-session.js';

export interface DevOptions extends Pick<Preparation, 'server' | 'project' | 'obtain' | 'debug'> {
  readonly host: Host;
  /** The package folder that is watched. Absolute. */
  readonly directory: string;
  /** Folder of the definitions, relative to the package folder. */
  readonly root: string;
  readonly validate: DevSessionOptions['validate'];
  /** False to leave the build of the package to the author. */
  readonly builds: boolean;
  /** Listens on 127.0.0.1. Absent: serves over stdio. */
  readonly http?: { readonly port: number } | undefined;
  /** Serves a page with the items of the server. Absent: no page. */
  readonly page?:
    | (Pick<DevPageOptions, 'pageFolder' | 'version'> & {
        /** Zero: any free port. */
        readonly port: number;
      })
    | undefined;
  /** Called once clients can connect over HTTP, and once the page is open. */
  readonly onListening: (urls: { readonly url?: string; readonly page?: string }) => void;
}

/**
 * Serves a server from files that change, over stdio until the client disconnects, or over HTTP until a signal. Then
 * ends the process.
 * @throws AgentToolsError before anything is served.
 */
export async function serveDev(options: DevOptions): Promise<never> {
  const { host, directory, root, http, server, project, obtain, debug } = options;
  const output = new DevOutput(host.stderr);
  const report = reporterOn(output.stream);
  const place = { directory, root, env: host.env };
  const build = options.builds ? await findBuildScript(place) : undefined;
  if (build) await buildOnce(build, { ...place, output: output.stream, report });
  const session = new DevSession({
    directory,
    root,
    cwd: host.cwd,
    watchesSources: !build,
    validate: options.validate,
    report,
    onStatus: () => page?.refresh(),
    onVersion: () => void page?.live.renew(),
  });
  let page: HostPage | undefined;
  const openPage = async (served: PreparedServer, signal: AbortSignal) => {
    if (!options.page) return;
    const opened = await openDevPage({
      ...options.page,
      served,
      reference: server ?? served.live.current.qualifiedName,
      status: () => session.status,
      counter: await findTokenCounter(directory),
      text: output.text,
      onRestart: () => void session.change(),
      report,
    });
    output.onText = (text) => opened.print(text);
    signal.addEventListener('abort', () => void opened.close(), { once: true });
    page = opened;
  };
  const onPrepared = (served: PreparedServer, signal: AbortSignal) => {
    if (build) watchBuild(build, { ...place, output: output.stream, report, signal });
    session.start(served, signal).catch((error: unknown) => {
      report(`The files cannot be checked: ${errorMessage(error)}`);
    });
    pageOpened = openPage(served, signal).catch((error: unknown) => {
      report(`There is no page: ${errorMessage(error)}`);
    });
    if (!http) void pageOpened.then(() => page && options.onListening({ page: page.url }));
  };
  let pageOpened: Promise<void> = Promise.resolve();
  const shared = {
    host: { ...host, stderr: output.stream },
    server,
    project: project ?? false,
    obtain,
    strict: false,
    sandbox: { use: 'declared' as const },
    isEdited: true,
    debug,
    judge: session.judge,
    onPrepared,
  };
  const serve = async () => {
    if (!http) return await startServer(shared);
    return await startHttpServer({
      ...shared,
      http: { ...localOnly, port: http.port },
      onListening: (url) =>
        void pageOpened.then(() => options.onListening({ url, ...(page && { page: page.url }) })),
    });
  };
  // A client may change files as soon as it is connected.
  await session.watch();
  try {
    return await serve();
  } catch (error) {
    session.close();
    throw error;
  }
}

const localOnly: Omit<HttpOptions, 'port'> = {
  host: '127.0.0.1',
  allowedHosts: [],
  allowedOrigins: [],
  insecure: false,
};
