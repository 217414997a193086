import { PassThrough } from 'node:stream';

import {
  type ServeStdioOptions,
  type StdioSession,
  serveStdio,
} from '../../../src/engine/serve/stdio/serve-stdio.js';
import { makeSampleServer, type Sightings } from './sample-server.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Message = any;

/** A session on two streams: lines go in, messages come out. */
export interface Pipe extends Sightings {
  readonly session: StdioSession;
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly reports: string[];
  /** Every line that has come out so far, parsed. */
  readonly received: Message[];
  /** Sends messages, or raw lines, one per line. */
  send(...messages: readonly unknown[]): void;
  /** The next `count` messages that nobody has taken yet. */
  take(count?: number): Promise<Message[]>;
  /** Sends one message and takes the next that comes out. */
  ask(message: unknown): Promise<Message>;
  /** Opens the legacy era and takes the answer. */
  initialize(protocolVersion?: string, capabilities?: object): Promise<Message>;
  /** Waits, and takes whatever has come out. */
  rest(ms?: number): Promise<Message[]>;
}

export const envelope = (version: unknown = '2026-07-28') => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
});

/** A request of the modern era. */
export const modern = (id: unknown, method: string, params: object = {}, meta: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params, _meta: { ...envelope(), ...meta } },
});

/** A request of the legacy era. */
export const legacy = (id: unknown, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});

export const call = (id: unknown, name: string, args: object = {}, meta?: object) =>
  legacy(id, 'tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });

export const cancel = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

export function openPipe(options: Partial<ServeStdioOptions> = {}): Pipe {
  const sightings: Sightings = { made: [], aborted: [] };
  const input = new PassThrough();
  const output = new PassThrough();
  const reports: string[] = [];
  const received: Message[] = [];
  let taken = 0;
  let notice = () => {};
  let partial = '';

  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (partial + chunk).split('\n');
    partial = lines.pop() ?? '';
    received.push(...lines.map((line) => JSON.parse(line)));
    notice();
  });

  const session = serveStdio({
    createServer: (era) => makeSampleServer(era, sightings),
    input,
    output,
    report: (line) => reports.push(line),
    ...options,
  });

  const pipe: Pipe = {
    ...sightings,
    session,
    input,
    output,
    reports,
    received,
    send: (...messages) => {
      for (const message of messages) {
        input.write(typeof message === 'string' ? `${message}\n` : `${JSON.stringify(message)}\n`);
      }
    },
    take: async (count = 1) => {
      while (received.length < taken + count) {
        await new Promise<void>((resolve) => {
          notice = resolve;
        });
      }
      taken += count;
      return received.slice(taken - count, taken);
    },
    ask: async (message) => {
      pipe.send(message);
      return (await pipe.take())[0];
    },
    initialize: async (protocolVersion = '2025-11-25', capabilities = {}) => {
      const clientInfo = { name: 'test', version: '1' };
      return pipe.ask(legacy('init', 'initialize', { protocolVersion, capabilities, clientInfo }));
    },
    rest: async (ms = 60) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      const rest = received.slice(taken);
      taken = received.length;
      return rest;
    },
  };
  return pipe;
}
