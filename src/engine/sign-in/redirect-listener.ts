import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deferred } from '../base/deferred.js';
import { parseUrl } from '../base/parse-url.js';

const path = '/callback';

/** The address on this machine to which the authorization server sends the browser back. */
export interface RedirectListener {
  readonly redirectUri: string;
  /** Parameters of the redirect with the expected state. Never rejects. */
  readonly received: Promise<URLSearchParams>;
  /** Shows the outcome in the browser, and closes the listener. */
  readonly finish: (isSignedIn: boolean) => Promise<void>;
}

/** Listens on 127.0.0.1, at the port of an earlier registration if it is free. */
export async function listenForRedirect(state: string, port: number | undefined): Promise<RedirectListener> {
  const received = deferred<URLSearchParams>();
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const params = readRedirect(request);
    // Any page and any program can call this address. Only the right state counts.
    if (params?.get('state') !== state) {
      send(response, params ? 400 : 404, pages.unknown);
      return;
    }
    waiting.push(response);
    received.resolve(params);
  });
  server.requestTimeout = 10_000;
  const listen = async (wanted: number) =>
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  if (port === undefined) await listen(0);
  else await listen(port).catch(async () => await listen(0));
  const { port: actual } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${actual}${path}`,
    received: received.promise,
    finish: async (isSignedIn) => {
      for (const response of waiting) send(response, 200, isSignedIn ? pages.done : pages.failed);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 1000).unref();
      await closed;
    },
  };
}

function readRedirect({ method, url = '' }: IncomingMessage): URLSearchParams | undefined {
  // A target such as `//` is no URL, also not with a base.
  const target = parseUrl(`http://127.0.0.1${url}`);
  return method === 'GET' && target?.pathname === path ? target.searchParams : undefined;
}

const pages = {
  done: 'You are signed in. You may close this page.',
  failed: 'The sign-in failed. The terminal shows the reason. You may close this page.',
  unknown: 'This page belongs to a sign-in that does not run any more. You may close it.',
} as const;

/** Sends a page without any text from outside. */
function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>AgentTools</title><p>${text}</p>\n`);
}
