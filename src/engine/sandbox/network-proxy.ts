import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { reachOfAddress } from '../base/address-reach.js';
import { parseUrl } from '../base/parse-url.js';
import { toOneLine } from '../base/to-one-line.js';
import { joinSockets } from './join-sockets.js';
import { type HostAddress, parseHost, permitsHost } from './permitted-hosts.js';

export interface NetworkProxyOptions {
  /** Path of its unix socket. */
  readonly socket: string;
  /** Permitted hosts. */
  readonly network: readonly string[];
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Addresses of a host name. Default: the resolver of the system. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** Longest wait for a connection, in milliseconds. */
const connectMs = 30_000;

/** Connects programs in a sandbox to permitted hosts, and to no others. It runs outside of the sandbox. */
export class NetworkProxy {
  readonly #options: NetworkProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #reported = new Set<string>();

  private constructor(options: NetworkProxyOptions) {
    this.#options = options;
    this.#server = createServer((asked, response) => void this.#forward(asked, response));
    this.#server.on('connect', (asked: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.#tunnel(asked.url ?? '', socket, head);
    });
    this.#server.on('clientError', (_, socket) => socket.destroy());
    this.#server.on('connection', (socket) => this.#keep(socket));
  }

  /** Listens on the unix socket. @throws the system error if it cannot */
  static async open(options: NetworkProxyOptions): Promise<NetworkProxy> {
    const proxy = new NetworkProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject).listen(options.socket, resolve);
    });
    // The server of AgentTools decides when the process ends.
    proxy.#server.unref();
    return proxy;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
  }

  /** Answers `CONNECT host:port`. */
  async #tunnel(target: string, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => {});
    const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(target) ?? [];
    try {
      const remote = await this.#connect({ host, port: Number(port) });
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      remote.write(head);
      joinSockets(socket, remote);
    } catch (error) {
      const { status, text } = this.#refusal(error);
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\n\r\n${text}\n`);
    }
  }

  /** Answers a request with an absolute `http:` URL. */
  async #forward(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = parseUrl(asked.url ?? '');
      if (url?.protocol !== 'http:') throw new RefusedHostError(`${asked.url} is not an http: URL`);
      const { hostname: host, pathname, search } = url;
      const socket = await this.#connect({ host, port: Number(url.port || 80) });
      const { 'proxy-connection': _, ...headers } = asked.headers;
      const sent = request({
        createConnection: () => socket,
        method: asked.method,
        path: pathname + search,
        headers: { ...headers, host: url.host },
      });
      sent.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      sent.on('error', () => response.destroy());
      asked.pipe(sent);
    } catch (error) {
      const { status, text } = this.#refusal(error);
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
    }
  }

  #refusal(error: unknown): { readonly status: number; readonly text: string } {
    const text = toOneLine(error instanceof Error ? error.message : String(error));
    if (!(error instanceof RefusedHostError)) return { status: 502, text };
    // The same line once: programs try again.
    if (this.#reported.size < 100 && !this.#reported.has(text)) {
      this.#reported.add(text);
      this.#options.report(`sandbox: ${text}`);
    }
    return { status: 403, text };
  }

  /** Connects to an address that was checked, so that a name cannot lead elsewhere afterwards. @throws RefusedHostError */
  async #connect(target: HostAddress): Promise<Socket> {
    const { host, port } = target;
    const { network, resolve = addressesOf } = this.#options;
    if (!permitsHost(network, target))
      throw new RefusedHostError(
        `the host ${host}:${port} is not permitted. Permit it with --allow-net ${host}`,
      );
    const name = host.replace(/^\[|\]$/g, '');
    const addresses = isIP(name) ? [name] : await resolve(name);
    const address = addresses.find((one) => this.#isReachable(one, name, port));
    if (address === undefined)
      throw new RefusedHostError(
        `the host ${host} leads to ${addresses.join(', ') || 'no address'}, which is not public. Permit this address, too, if it is meant: --allow-net ${addresses[0]}`,
      );
    return await new Promise((found, reject) => {
      const socket = connect({ host: address, port });
      this.#keep(socket);
      socket.setTimeout(connectMs, () => socket.destroy(new Error('The connection took too long.')));
      socket.once('error', reject).once('connect', () => {
        socket.setTimeout(0);
        found(socket);
      });
    });
  }

  /** Addresses inside of the network of this machine need a permission for the address, or for `localhost`. */
  #isReachable(address: string, name: string, port: number): boolean {
    const reach = reachOfAddress(address);
    if (reach === 'public') return true;
    if (reach === 'this machine' && name === 'localhost') return true;
    const isAddress = (permitted: string) => isIP(parseHost(permitted).name) !== 0;
    return permitsHost(this.#options.network.filter(isAddress), { host: address, port });
  }
}

/** A host that the sandbox does not permit. */
class RefusedHostError extends Error {
  override readonly name = 'RefusedHostError';
}

async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
