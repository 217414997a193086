import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Stream } from 'node:stream';
import {
  Client,
  type ClientCapabilities,
  type ClientOptions,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'vitest';
import { afterFile, afterTest } from './file-jobs.js';
import { bareEnvironment, eventually, type Message, programFile } from './program.js';
import { hostFlags, runHere } from './serving-here.js';
import { type Spoken, wireFaults } from './wire-schema.js';

/** The newest revision of each era, and how the official client is made to speak it. */
const eras = {
  '2025-11-25': { mode: 'legacy' },
  '2026-07-28': { mode: { pin: '2026-07-28' } },
} as const satisfies Record<string, ClientOptions['versionNegotiation']>;

export type Revision = keyof typeof eras;

/** Both, to run a suite in each. */
export const revisions = Object.keys(eras) as Revision[];

export interface ConnectOptions {
  readonly revision: Revision;
  readonly capabilities?: ClientCapabilities;
  /** Answers to what the server asks, by method; those of the capabilities. */
  readonly answers?: Readonly<Record<string, (params: Message) => unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Start a process, for what takes one: what only the program as a whole has, or what a `command` of ours has not. */
  readonly ownProcess?: boolean;
  /** Command line of the server, when it is not ours to make. */
  readonly command?: {
    readonly command: string;
    readonly args: string[];
    readonly env?: Readonly<Record<string, string>>;
  };
  /** More of how the client is made. */
  readonly client?: ClientOptions;
}

/** The official client, connected to a server over its streams. */
export interface Connected {
  readonly client: Client;
  readonly revision: Revision;
  /** Everything that went over the streams, in order. */
  readonly spoken: readonly Spoken[];
  /** What the server answered last, as it wrote it: the client leaves out what it does not know. */
  lastAnswer(): Message;
  /** Notifications of the server, in order. */
  heard(method: string): Message[];
  /** Waits until the server has sent a notification as often as told. */
  hears(method: string, times?: number): Promise<Message[]>;
  /** What the server printed on stderr. */
  stderr(): string;
  /** Calls a tool. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Message>;
  /** Calls a tool; the text of its first block. */
  textOf(name: string, args?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Names of the tools that are listed. */
  toolNames(): Promise<readonly string[]>;
  /** The tool as it is listed. */
  tool(name: string): Promise<Message>;
  close(): Promise<void>;
}

const connections: Connected[] = [];
const toldFaults = new Set<string>();

/** Nothing that a server has written may be against the schema of its revision; a fault is told once. */
afterTest(() => {
  const faults = connections.flatMap(({ revision, spoken }) => wireFaults(revision, spoken));
  const fresh = faults.filter((fault) => !toldFaults.has(fault));
  for (const fault of fresh) toldFaults.add(fault);
  expect(fresh).toEqual([]);
});

afterFile(async () => {
  await Promise.all(connections.splice(0).map(async ({ client }) => await client.close()));
});

/**
 * Serves `agenttools start <server>` in this process, or in one of its own, and connects to it. It is closed after the test
 * file at the latest.
 */
export async function connect(server: string, options: ConnectOptions): Promise<Connected> {
  const { revision, capabilities = {}, answers = {} } = options;
  const transport = transportTo(server, options);
  const printed: unknown[] = [];
  transport.stderr?.on('data', (chunk) => printed.push(chunk));
  const client = new Client(
    { name: 'official', version: '1.0.0' },
    { versionNegotiation: eras[revision], capabilities, ...options.client },
  );
  for (const [method, answer] of Object.entries(answers)) {
    client.setRequestHandler(method as 'elicitation/create', ({ params }) => answer(params) as never);
  }
  await client.connect(transport).catch((error) => {
    throw new Error(`no connection; stderr: ${printed.join('')}`, { cause: error });
  });
  const connected: Connected = {
    client,
    revision,
    spoken: transport.spoken,
    lastAnswer: () =>
      transport.spoken.findLast(({ by, message }) => by === 'server' && !('method' in message))?.message,
    heard: (method) =>
      transport.spoken.flatMap(({ by, message }) =>
        by === 'server' && message.method === method ? [message] : [],
      ),
    hears: async (method, times = 1) => {
      await eventually(() => connected.heard(method).length >= times, `${times} times ${method}`);
      return connected.heard(method);
    },
    stderr: () => printed.join(''),
    call: async (name, args = {}) => await client.callTool({ name, arguments: args }),
    textOf: async (name, args) => (await connected.call(name, args)).content[0]?.text,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    tool: async (wanted) => (await client.listTools()).tools.find(({ name }) => name === wanted),
    close: async () => await client.close(),
  };
  connections.push(connected);
  return connected;
}

interface Tapped extends Transport {
  readonly spoken: Spoken[];
  readonly stderr: Stream | null;
}

function transportTo(server: string, { command, env, ownProcess }: ConnectOptions): Tapped {
  const words = ['start', server];
  if (!ownProcess && !command)
    return new TransportHere(runHere([...words, ...hostFlags], { ...(env && { env }) }));
  const started = command ?? { command: process.execPath, args: [programFile, ...words], env: {} };
  return new TappedTransport({
    ...started,
    env: bareEnvironment({ ...started.env, ...env }),
    stderr: 'pipe',
  });
}

/** Cuts a stream into messages. */
class Tap {
  readonly #spoken: Spoken[];
  readonly #decoder = new TextDecoder();
  #partial = '';

  constructor(spoken: Spoken[]) {
    this.#spoken = spoken;
  }

  take(chunk: Buffer): void {
    const lines = (this.#partial + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) this.#spoken.push({ by: 'server', message: JSON.parse(line) });
  }
}

/** The transport of the official client, which also keeps what goes over the pipe, as it goes. */
class TappedTransport extends StdioClientTransport implements Tapped {
  readonly spoken: Spoken[] = [];

  override async start(): Promise<void> {
    await super.start();
    // The transport reads with a schema of its own, which may drop what does not fit; the pipe itself tells all.
    const { stdout } = (this as unknown as { _process: { stdout: NodeJS.ReadableStream } })._process;
    const tap = new Tap(this.spoken);
    stdout.prependListener('data', (chunk: Buffer) => tap.take(chunk));
  }

  override async send(message: Message): Promise<void> {
    this.spoken.push({ by: 'client', message });
    await super.send(message);
  }
}

/** The same on the streams of a server in this process, read and written by what the official transport does it by. */
class TransportHere implements Tapped {
  readonly spoken: Spoken[] = [];
  readonly stderr: Stream;
  onmessage?: (message: Message) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #server: ChildProcessWithoutNullStreams;

  constructor(server: ChildProcessWithoutNullStreams) {
    this.#server = server;
    this.stderr = server.stderr;
  }

  async start(): Promise<void> {
    const tap = new Tap(this.spoken);
    const buffer = new ReadBuffer();
    this.#server.stdout.on('data', (chunk: Buffer) => {
      tap.take(chunk);
      buffer.append(chunk);
      for (let message = buffer.readMessage(); message; message = buffer.readMessage()) {
        this.onmessage?.(message);
      }
    });
    this.#server.once('close', () => this.onclose?.());
  }

  async send(message: Message): Promise<void> {
    this.spoken.push({ by: 'client', message });
    this.#server.stdin.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    if (this.#server.exitCode !== null || this.#server.signalCode !== null) return;
    const closed = new Promise((resolve) => this.#server.once('close', resolve));
    this.#server.stdin.end();
    await closed;
  }
}
