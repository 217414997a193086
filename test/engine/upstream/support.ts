import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import type { Definition } from '../../../src/engine/extension/extension.js';
import { Workspace } from '../../../src/engine/extension/workspace.js';
import { LiveServer } from '../../../src/engine/live/live-server.js';
import type { ToolSpec } from '../../../src/engine/runtime/specs.js';
import type {
  ItemChoice,
  UpstreamEndpoint,
  UpstreamEntry,
  UpstreamSpec,
} from '../../../src/engine/runtime/upstream.js';
import { serveDefinition } from '../../../src/engine/serve/http/serve-definition.js';
import { openUpstreamsWith } from '../../../src/engine/server/open-upstreams.js';
import { type ConnectionOptions, createServer } from '../../../src/engine/server/running-server.js';
import { defaultPace, type RetryPolicy } from '../../../src/engine/upstream/upstream.js';
import { legacy, modern, openPipe, type Pipe } from '../support/pipe.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
export type Message = any;

export type Era = 'legacy' | 'modern';
export const eras: readonly Era[] = ['legacy', 'modern'];

/** Both eras on both sides: how a client speaks to us, and how we speak to the upstream server. */
export const pairs: readonly { readonly downstream: Era; readonly upstream: Era }[] = eras.flatMap(
  (downstream) => eras.map((upstream) => ({ downstream, upstream })),
);

const script = path.resolve(import.meta.dirname, '../../support/scripted-upstream.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'agenttools-upstream-'));
let files = 0;

export interface Scripted {
  readonly era?: Era | 'both';
  readonly [key: string]: unknown;
}

/** A scripted upstream server, and what it noted. */
export interface Script {
  readonly place: UpstreamEndpoint;
  readonly noted: () => readonly string[];
}

export function scripted(
  told: Scripted = {},
  { env = {}, cwd = folder }: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Script {
  files += 1;
  const logFile = path.join(folder, `noted-${files}`);
  const args = [script, JSON.stringify({ logFile, ...told })];
  return {
    place: { command: process.execPath, args, env, cwd },
    noted: () => {
      try {
        return readFileSync(logFile, 'utf8').trim().split('\n');
      } catch {
        return [];
      }
    },
  };
}

const everything: ItemChoice = { prefix: '', only: undefined, except: [], rename: {} };

const choiceOf = (given: Partial<ItemChoice> | false = {}): ItemChoice | undefined =>
  given === false ? undefined : { ...everything, ...given };

interface EntryOptions {
  readonly name?: string;
  readonly choice?: Partial<ItemChoice>;
  readonly prompts?: Partial<ItemChoice> | false;
  readonly resources?: Partial<ItemChoice> | false;
  readonly apps?: Partial<ItemChoice> | false;
  readonly position?: number;
  readonly changes?: UpstreamEntry['changes'];
  readonly startTimeoutMs?: number;
}

export interface Asked extends EntryOptions {
  readonly place: UpstreamEndpoint | (() => Promise<UpstreamEndpoint>);
}

function specOf({ place, name = 'far', startTimeoutMs = 20_000 }: Asked): UpstreamSpec {
  return {
    key: name,
    name,
    place: async () => (typeof place === 'function' ? await place() : place),
    startTimeoutMs,
  };
}

export interface BenchOptions {
  /** The tools that the server has itself. */
  readonly own?: readonly object[];
  readonly era?: Era;
  readonly pace?: Partial<RetryPolicy>;
  readonly waitMs?: number;
  readonly keeping?: { readonly keepMs: number; readonly most: number };
  readonly capabilities?: object;
  /** What a client up to 2025-11-25 answers when it is asked where it works; null: it does not. */
  readonly roots?: readonly object[] | null;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly protocolVersion?: string;
  readonly instructions?: string;
  /** Folder of records of earlier starts. */
  readonly dataFolder?: string;
}

/** A server with upstream servers, served over a pipe. */
export interface Bench {
  readonly pipe: Pipe;
  readonly reported: string[];
  /** Gives the result, or the error. */
  request(method: string, params?: object, meta?: object): Promise<Message>;
  call(name: string, args?: object, meta?: object): Promise<Message>;
  /** What the first block of a tool's result says. */
  says(name: string, args?: object): Promise<string>;
  names(): Promise<readonly string[]>;
  /** Another client of the same server. */
  another(options?: ConnectionOptions): Promise<Bench>;
  /** The first message that fits, now or later. */
  hears(method: string): Promise<Message>;
  close(): Promise<void>;
}

/** Serves `own` tools and those of upstream servers to a client of one era. */
export async function openBench(
  asked: readonly Asked[],
  { own = [], era = 'legacy', pace, waitMs = 20_000, keeping, capabilities = {}, ...more }: BenchOptions = {},
): Promise<Bench> {
  const { env = process.env, protocolVersion, roots = [], instructions, dataFolder } = more;
  const reported: string[] = [];
  const report = (line: string) => void reported.push(line);
  const workspace = new Workspace({
    cwd: folder,
    home: folder,
    env: {},
    platform: process.platform,
  } as never);
  const served = await serveDefinition({ name: 'kit', tools: own, instructions } as never, {
    workspace,
    env,
    report,
    directory: folder,
  });
  const spec = served.live.current as typeof served.live.current & { extension: Definition['extension'] };
  const definition = { kind: 'servers', item: 'kit', extension: spec.extension } as Definition;
  const upstreams = asked.map((one): UpstreamEntry => {
    const { choice, position = spec.registry.all('tools').length, changes = {} } = one;
    return {
      upstream: specOf(one),
      choice: { ...everything, ...choice },
      prompts: choiceOf(one.prompts),
      resources: choiceOf(one.resources),
      apps: choiceOf(one.apps),
      position,
      changes,
      definition,
      path: ['tools', position],
    };
  });
  const ending = new AbortController();
  const openUpstreams = openUpstreamsWith({
    env,
    report,
    signal: ending.signal,
    patience: { waitMs },
    pace: { ...defaultPace, ...pace },
    ...(keeping && { keeping }),
    ...(dataFolder && { dataFolder }),
  });
  const live = await LiveServer.open({ server: { ...spec, upstreams }, env, report, openUpstreams });
  const closeAll = async () => {
    ending.abort();
    await live.close();
  };
  const speak = async (options?: ConnectionOptions): Promise<Bench> => {
    const makeServer = (one: Era) => createServer({ ...served, live }, one, options);
    const pipe = openPipe({ createServer: makeServer, report });
    if (era === 'legacy') {
      await pipe.initialize(protocolVersion, capabilities);
      pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    }
    const bench = benchOn(pipe, { era, capabilities, reported, closeAll, another: speak });
    onTestFinished(async () => await bench.close());
    if (era === 'legacy' && 'roots' in capabilities && roots) {
      const { id } = await bench.hears('roots/list');
      pipe.send({ jsonrpc: '2.0', id, result: { roots } });
    }
    return bench;
  };
  return await speak();
}

interface Speaking extends Pick<Bench, 'another' | 'reported'> {
  readonly era: Era;
  readonly capabilities: object;
  readonly closeAll: () => Promise<void>;
}

function benchOn(pipe: Pipe, { era, capabilities, reported, closeAll, another }: Speaking): Bench {
  const declared = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
  let lastId = 0;
  const bench: Bench = {
    pipe,
    reported,
    another,
    request: async (method, params = {}, meta = {}) => {
      lastId += 1;
      const id = lastId;
      const withMeta = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
      pipe.send(
        era === 'legacy'
          ? legacy(id, method, withMeta)
          : modern(id, method, params, { ...declared, ...meta }),
      );
      const message = await find(pipe, (one) => one.id === id && one.method === undefined);
      return message.result ?? message.error;
    },
    call: async (name, args = {}, meta) => await bench.request('tools/call', { name, arguments: args }, meta),
    says: async (name, args) => {
      const result = await bench.call(name, args);
      return result.content?.[0]?.text ?? JSON.stringify(result);
    },
    names: async () => (await bench.request('tools/list')).tools.map(({ name }: ToolSpec) => name),
    hears: async (method) => await find(pipe, (one) => one.method === method),
    close: async () => {
      await closeAll();
      pipe.input.end();
      await pipe.session.ended;
    },
  };
  return bench;
}

/** Messages that somebody has looked at. */
export const taken = new WeakSet<object>();

async function find(pipe: Pipe, fits: (message: Message) => boolean): Promise<Message> {
  for (;;) {
    const found = pipe.received.find((message) => fits(message) && !taken.has(message));
    if (found) {
      taken.add(found);
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** AgentTools runs tasks itself, so lists do not show that a tool can be one. */
export function withoutTasks(items: readonly Message[] = []): readonly Message[] {
  return items.map(({ execution, ...item }: Message) => {
    const { taskSupport, ...others } = execution ?? {};
    const kept = taskSupport === 'forbidden' ? execution : others;
    return Object.keys(kept).length > 0 ? { ...item, execution: kept } : item;
  });
}

/** Waits until something holds. */
export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
