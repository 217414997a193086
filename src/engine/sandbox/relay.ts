// Runs in a sandbox with permitted hosts: connects its network to the proxy outside, then starts the program.
//
//   relay.js <unix socket> <number of descriptors> <hosts as JSON> <command> <args…>
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import process from 'node:process';
import { joinSockets } from './join-sockets.js';
import type { RelayedHost } from './relayed-hosts.js';

const [proxySocket = '', descriptors = '3', hosts = '[]', command = '', ...args] = process.argv.slice(2);

/** Longest answer of the proxy to `CONNECT`, in bytes. */
const maxHead = 4096;

/** Listens at an address of the sandbox. Resolves with the port; 0 if another host has taken it. */
async function listen(address: string, port: number, open: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, open);
  server.unref();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(0));
    server.listen(port, address, () => resolve((server.address() as { port: number }).port));
  });
}

/** Forwards a connection to the proxy, which gets requests of its protocol. */
function toProxy(socket: Socket): void {
  joinSockets(socket, connect({ path: proxySocket, allowHalfOpen: true }));
}

/** Forwards a connection to a host, for programs that use no proxy. */
function toHost(host: string, port: number): (socket: Socket) => void {
  return (socket) => {
    const proxy = connect({ path: proxySocket, allowHalfOpen: true });
    socket.on('error', () => proxy.destroy());
    proxy.on('error', () => socket.destroy());
    proxy.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`);
    let head = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1 && head.length < maxHead) return;
      proxy.off('data', read).pause();
      if (end === -1 || !head.toString('latin1').startsWith('HTTP/1.1 200')) {
        socket.destroy();
        proxy.destroy();
        return;
      }
      socket.write(head.subarray(end + 4));
      joinSockets(socket, proxy);
    };
    proxy.on('data', read);
  };
}

for (const { host, address, ports } of JSON.parse(hosts) as RelayedHost[]) {
  for (const port of ports) await listen(address, port, toHost(host, port));
}
const proxy = `http://127.0.0.1:${await listen('127.0.0.1', 0, toProxy)}`;
const child = spawn(command, args, {
  stdio: Array.from({ length: Number(descriptors) }, (_, index) => index),
  env: {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    ...process.env,
  },
});
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
