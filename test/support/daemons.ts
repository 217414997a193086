import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { afterFile } from './file-jobs.js';
import { bareEnvironment } from './program.js';

const children = new Set<ChildProcess>();

afterFile(() => {
  for (const child of children) endGroup(child, 'SIGKILL');
});

/** Where a program is that a package of the system brings; undefined where it is not installed. */
export function findDaemon(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

export interface DaemonOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where it listens once it is there. */
  readonly ports: readonly number[];
}

/** Starts a program that stays, with all that it starts, and waits until it listens. It is gone after the test file. */
export async function startDaemon(
  [name, ...args]: readonly [string, ...string[]],
  { cwd, env = {}, ports }: DaemonOptions,
): Promise<ChildProcess> {
  const child = spawn(findDaemon(name)!, args, {
    cwd,
    env: bareEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  children.add(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said += chunk;
  });
  const fault = new AbortController();
  child.once('close', (code) => {
    children.delete(child);
    fault.abort(new Error(`${name} ended with ${code}: ${said}`));
  });
  for (const port of ports) {
    await vi.waitUntil(
      async () => {
        fault.signal.throwIfAborted();
        return await isListening(port);
      },
      { timeout: 25_000 },
    );
  }
  return child;
}

/** Ends a program and all that it has started. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): void {
  if (pid !== undefined) process.kill(-pid, signal);
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Ports that nobody listens at. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Writes a certificate for a name as `<name>.pem`, its key as `<name>.key`, and both in one as `<name>.both.pem`. */
export function writeCertificate(folder: string, name: string): void {
  const script = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name} \
    -addext subjectAltName=DNS:${name} -keyout ${name}.key -out ${name}.pem && cat ${name}.pem ${name}.key > ${name}.both.pem`;
  execFileSync('sh', ['-c', script], { cwd: folder, stdio: 'ignore' });
}

/** Sends requests to a port of this machine, whatever name they are for, by TLS with that name's certificate. */
export function fetchByTls(port: number, certificate: string): (request: Request) => Promise<Response> {
  const ca = readFileSync(certificate);
  return async (asked) => {
    const { hostname, pathname } = new URL(asked.url);
    const onward = request({
      host: '127.0.0.1',
      port,
      servername: hostname,
      ca,
      method: asked.method,
      path: pathname,
      headers: { ...Object.fromEntries(asked.headers), host: hostname },
      signal: asked.signal,
    });
    onward.end(Buffer.from(await asked.arrayBuffer()));
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, {
      status: answer.statusCode!,
      headers,
    });
  };
}
