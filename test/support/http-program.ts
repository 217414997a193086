import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterFile } from './file-jobs.js';
import { bareEnvironment, programFile, root } from './program.js';
import { hostFlags, runHere } from './serving-here.js';

/** `agenttools start --http` in a process of its own. */
export interface HttpProgram {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  stderr(): string;
  /** Sends a signal; the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface HttpProgramOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const children = new Set<ChildProcess>();
const servers = new Set<Server>();

afterFile(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts the built program on any port and waits until it serves. It is gone after the test file. */
export async function startHttp(
  server: string,
  { flags = [], env = {} }: HttpProgramOptions = {},
): Promise<HttpProgram> {
  return await waitUntilListening(spawnProgram(httpWords(server, flags), env));
}

/** The same in this process. Nothing in it is guarded. */
export async function serveHttpHere(
  server: string,
  { flags = [], env = {} }: HttpProgramOptions = {},
): Promise<HttpProgram> {
  const words = httpWords(server, [...hostFlags, ...flags]);
  return await waitUntilListening(watchOutput(runHere(words, { env })));
}

const httpWords = (server: string, flags: readonly string[]) => [
  ...['start', server, '--http', '--port', '0', '--json'],
  ...flags,
];

async function waitUntilListening({ child, stderr, exit }: Watched): Promise<HttpProgram> {
  const first = await Promise.race([once(child.stdout!, 'data'), exit]);
  if (!Array.isArray(first)) throw new Error(`It ended with ${first}: ${stderr()}`);
  const { url } = JSON.parse(String(first[0]));
  return {
    url,
    port: Number(new URL(url).port),
    child,
    stderr,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return await exit;
    },
  };
}

function spawnProgram(args: readonly string[], env: Readonly<Record<string, string>>): Watched {
  const child = spawn(process.execPath, [programFile, ...args], {
    cwd: root,
    env: bareEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return watchOutput(child);
}

interface Watched {
  readonly child: ChildProcess;
  stderr(): string;
  readonly exit: Promise<number | null>;
}

function watchOutput(child: ChildProcess): Watched {
  children.add(child);
  let printed = '';
  child.stderr!.setEncoding('utf8').on('data', (chunk) => {
    printed += chunk;
  });
  const exit = once(child, 'close').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  return { child, stderr: () => printed, exit };
}

/** A proxy on this machine that says for each request which of the ports it goes to. Counts what each got. */
export interface Proxy {
  readonly url: string;
  readonly counts: ReadonlyMap<number, number>;
}

/** Where a request goes; `answered` is told what came back, before its body. */
export interface Route {
  readonly port: number;
  readonly answered?: (answer: IncomingMessage) => void;
}

export async function startProxy(route: (asked: IncomingMessage) => Route): Promise<Proxy> {
  const counts = new Map<number, number>();
  const server = createServer((asked, answer) => {
    const { port, answered } = route(asked);
    counts.set(port, (counts.get(port) ?? 0) + 1);
    pass(asked, answer, port, answered);
  });
  servers.add(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, counts };
}

function pass(
  asked: IncomingMessage,
  answer: ServerResponse,
  port: number,
  answered: Route['answered'],
): void {
  const { method, url: path, headers } = asked;
  const onward = request({ host: '127.0.0.1', port, method, path, headers }, (got) => {
    answered?.(got);
    answer.writeHead(got.statusCode ?? 502, got.headers);
    answer.flushHeaders();
    got.pipe(answer);
  });
  onward.on('error', () => answer.destroy());
  answer.on('close', () => onward.destroy());
  asked.pipe(onward);
}
