import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { afterAll, describe } from 'vitest';
import { root } from './program.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Message = any;

/** What a host is told of the origins that an app may reach; the `csp` of its metadata. */
export interface DeclaredOrigins {
  readonly connectDomains?: readonly string[];
  readonly resourceDomains?: readonly string[];
  readonly frameDomains?: readonly string[];
  readonly baseUriDomains?: readonly string[];
}

export interface OpenOptions {
  readonly html: string;
  readonly csp?: DeclaredOrigins;
  /** Width of the window and of the app. */
  readonly width?: number;
  readonly hostContext?: object;
  /** Everything the official bridge can do, unless told. */
  readonly hostCapabilities?: object;
  /** What the host answers, by method; a request without one is answered `{}`. An answer that throws is an error. */
  readonly answers?: Readonly<Record<string, (params: Message) => unknown>>;
  /** The page that an outside address gives; the address is recorded in `requests` whatever comes of it. */
  readonly outside?: (url: string) => string | undefined;
  /** Of what type that is; a page unless told. */
  readonly outsideType?: string;
}

/** An app in a host, and what has been seen of it. */
export interface HostedApp {
  readonly page: Page;
  /** The frame of the app, for locators and scripts. */
  readonly frame: Frame;
  /** Every message between app and host, in order. */
  readonly messages: readonly { readonly from: 'app' | 'host'; readonly message: Message }[];
  /** What the CSP has blocked: `directive address`. A test takes out what it expects. */
  readonly violations: string[];
  /** Every address outside the test that was asked for. */
  readonly requests: readonly string[];
  /** What went wrong in the page: exceptions, and errors on its console. A test takes out what it expects. */
  readonly errors: string[];
  /** The first message of the app that fits, past or future; a text is the method. */
  heard(fits: string | ((message: Message) => boolean)): Promise<Message>;
  sendInput(args: object): Promise<void>;
  sendPartialInput(args: object): Promise<void>;
  sendResult(result: object): Promise<void>;
  sendCancelled(reason?: string): Promise<void>;
  /** Everything the host says of itself from now on; the bridge sends what has changed. */
  setContext(context: object): Promise<void>;
  /** Asks the app to end; its answer. */
  teardown(): Promise<unknown>;
  /** Sends a message as it is, past the official bridge. */
  post(message: unknown): Promise<void>;
  /** Puts a picture of the app into `test/browser/output`. */
  screenshot(name: string): Promise<void>;
  close(): Promise<void>;
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** A Chromium: the one `AGENTTOOLS_CHROMIUM` names, else one on the `PATH`. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const onPath = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [env.AGENTTOOLS_CHROMIUM, ...onPath].find((file) => file !== undefined && existsSync(file));
}

/** Tests that need a Chromium; skipped where there is none. */
export const describeInBrowser: typeof describe.skip = describe.skipIf(findChromium() === undefined);

/** Where pictures are kept. */
const outputFolder = path.join(root, 'test/browser/output');

let launched: Promise<Browser> | undefined;
let served: Promise<Served> | undefined;

/** Pages that no test uses at present; a new one takes longer than most tests. */
const idle: HostPage[] = [];

/** The browser of this test file. Names resolve to nothing, so that no test reaches the network. */
export function openBrowser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: findChromium()!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
  return launched;
}

afterAll(async () => {
  await (await launched)?.close();
  for (const server of (await served)?.servers ?? []) server.close();
});

/** What is seen of one app. */
interface Sight {
  readonly options: OpenOptions;
  readonly messages: { from: 'app' | 'host'; message: Message }[];
  readonly violations: string[];
  readonly requests: string[];
  readonly errors: string[];
  readonly waiting: Set<() => void>;
}

/** A page that hosts one app after the other, and whose sight it is at present. */
interface HostPage {
  readonly page: Page;
  sight: Sight | undefined;
}

async function createHostPage({ hostOrigin, appOrigin }: Served): Promise<HostPage> {
  const context = await (await openBrowser()).newContext();
  // Below the time a test has, so that what is waited for in vain is named.
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const host: HostPage = { page, sight: undefined };

  await context.route(
    (url) => ![hostOrigin, appOrigin].includes(url.origin) && /^https?:$/.test(url.protocol),
    async (route) => {
      const url = route.request().url();
      host.sight?.requests.push(url);
      const body = host.sight?.options.outside?.(url);
      if (body === undefined) await route.abort();
      else await route.fulfill({ contentType: host.sight?.options.outsideType ?? 'text/html', body });
    },
  );
  page.on('pageerror', (error) => host.sight?.errors.push(String(error)));
  page.on('console', (line) => {
    if (line.type() === 'error') host.sight?.errors.push(line.text());
  });
  await page.exposeFunction('record', (from: 'app' | 'host', message: Message) => {
    host.sight?.messages.push({ from, message });
    for (const look of host.sight?.waiting ?? []) look();
  });
  await page.exposeFunction('recordViolation', (text: string) => void host.sight?.violations.push(text));
  await page.exposeFunction('answerApp', async (method: string, params: Message) => {
    return (await host.sight?.options.answers?.[method]?.(params)) ?? {};
  });
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      window.recordViolation(effectiveDirective + ' ' + blockedURI))`,
  );
  return host;
}

/** Shows an app in a host made of the official bridge, in a sandboxed frame of another origin under the CSP it declares. */
export async function openApp(options: OpenOptions): Promise<HostedApp> {
  served ??= serve();
  const { hostOrigin, appOrigin, documents } = await served;
  const host = idle.pop() ?? (await createHostPage(await served));
  const { page } = host;
  const sight: Sight = {
    options,
    messages: [],
    violations: [],
    requests: [],
    errors: [],
    waiting: new Set(),
  };
  host.sight = sight;
  const { messages, violations, requests, errors, waiting } = sight;

  const document = `/app/${documents.size}`;
  documents.set(document, { html: options.html, policy: policyOf(options.csp) });
  await page.setViewportSize({ width: options.width ?? 800, height: 900 });
  await page.goto(`${hostOrigin}/host`);
  const hosting = {
    url: `${appOrigin}${document}`,
    sandbox: 'allow-scripts',
    hostContext: options.hostContext ?? {},
    hostCapabilities: options.hostCapabilities ?? everything,
  };
  await page.evaluate(`window.openApp(${JSON.stringify(hosting)})`);
  const frame = page.frame({ url: hosting.url })!;
  // A page that has not been painted yet may lose what is typed and clicked.
  await frame.evaluate(
    'new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))',
  );

  const tell = async (method: string, params: unknown) =>
    await page.evaluate(`window.tellApp(${JSON.stringify(method)}, ${JSON.stringify(params)})`);

  return {
    page,
    frame,
    messages,
    violations,
    requests,
    errors,
    heard: (wanted) =>
      new Promise((resolve) => {
        const fits = typeof wanted === 'string' ? ({ method }: Message) => method === wanted : wanted;
        const look = () => {
          const found = messages.find(({ from, message }) => from === 'app' && fits(message));
          if (!found) return;
          waiting.delete(look);
          resolve(found.message);
        };
        waiting.add(look);
        look();
      }),
    sendInput: async (args) => void (await tell('sendToolInput', { arguments: args })),
    sendPartialInput: async (args) => void (await tell('sendToolInputPartial', { arguments: args })),
    sendResult: async (result) => void (await tell('sendToolResult', result)),
    sendCancelled: async (reason) => void (await tell('sendToolCancelled', reason ? { reason } : {})),
    setContext: async (next) => void (await tell('setHostContext', next)),
    teardown: () => tell('teardownResource', {}),
    post: async (message) => void (await page.evaluate(`window.postToApp(${JSON.stringify(message)})`)),
    screenshot: async (name) => {
      await mkdir(outputFolder, { recursive: true });
      // What lies beyond the window is not always painted.
      const shown = await page.locator('iframe').boundingBox();
      const before = page.viewportSize()!;
      await page.setViewportSize({ width: before.width, height: Math.ceil(shown?.height ?? before.height) });
      await page.screenshot({ path: path.join(outputFolder, `${name}.png`) });
      await page.setViewportSize(before);
    },
    close: async () => {
      await page.mouse.move(0, 0);
      await page.goto('about:blank');
      host.sight = undefined;
      idle.push(host);
    },
  };
}

const everything = {
  openLinks: {},
  serverTools: {},
  serverResources: {},
  logging: {},
  message: { text: {} },
  updateModelContext: { text: {}, structuredContent: {} },
};

/** The policy a host makes of declared origins: nothing but what stands in the page, and these. */
function policyOf(csp: DeclaredOrigins = {}): string {
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = csp;
  const sources = (...all: readonly string[]) => (all.length > 0 ? all.join(' ') : "'none'");
  return [
    "default-src 'none'",
    `script-src ${sources("'self'", "'unsafe-inline'", ...resourceDomains)}`,
    `style-src ${sources("'self'", "'unsafe-inline'", ...resourceDomains)}`,
    `img-src ${sources("'self'", 'data:', ...resourceDomains)}`,
    `font-src ${sources(...resourceDomains)}`,
    `media-src ${sources("'self'", 'data:', ...resourceDomains)}`,
    `connect-src ${sources(...connectDomains)}`,
    `frame-src ${sources(...frameDomains)}`,
    "object-src 'none'",
    `base-uri ${sources(...(baseUriDomains.length > 0 ? baseUriDomains : ["'self'"]))}`,
  ].join('; ');
}

interface Served {
  readonly hostOrigin: string;
  readonly appOrigin: string;
  readonly documents: Map<string, { readonly html: string; readonly policy: string }>;
  readonly servers: readonly Server[];
}

/** Serves the host page and, from another origin, the apps. */
async function serve(): Promise<Served> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'host-page.js')],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const script = outputFiles[0]!.text.replaceAll('</script', '<\\/script');
  const hostPage = `<!doctype html><title>Host</title><body style="margin: 0"><script type="module">${script}</script>`;
  const documents: Served['documents'] = new Map();
  const host = await listen((url) => (url === '/host' ? { html: hostPage } : undefined));
  const app = await listen((url) => documents.get(url));
  return { hostOrigin: host.origin, appOrigin: app.origin, documents, servers: [host.server, app.server] };
}

type Document = { readonly html: string; readonly policy?: string };

async function listen(find: (url: string) => Document | undefined): Promise<{
  readonly server: Server;
  readonly origin: string;
}> {
  const server = createServer(({ url = '' }, response) => {
    const document = find(url);
    // A browser asks for the icon of every origin.
    if (!document) return void response.writeHead(204).end();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (document.policy) response.setHeader('content-security-policy', document.policy);
    response.end(document.html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { server, origin: `http://127.0.0.1:${address.port}` };
}
