import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A proxy on 127.0.0.1. It knows all host names: every connection goes to the same port of this machine. */
export interface TestProxy {
  readonly url: string;
  /** `CONNECT host:port`, or the method and the address of a plain request. */
  readonly requests: readonly string[];
  readonly authorizations: readonly (string | undefined)[];
  readonly close: () => void;
}

/** Starts a proxy that leads to a port. */
export async function startProxy(port: () => number): Promise<TestProxy> {
  const requests: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
    const { pathname, search } = new URL(request.url ?? '');
    const { method, headers } = request;
    const sent = forward({ port: port(), path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  });
  server.on('connect', (request, socket) => {
    requests.push(`CONNECT ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
    const target = connect(port(), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    authorizations,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
