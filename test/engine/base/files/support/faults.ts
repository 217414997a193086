import { ftruncateSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import fs, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Something that goes wrong at one step on the way to the disk. */
export interface Fault {
  /** Counted from 1. */
  readonly step: number;
  /** `die` is `kill -9` before the step, `die-halfway` when half of a text is written; `fail` is an error of the disk. */
  readonly kind: 'die' | 'die-halfway' | 'fail';
}

const calls = [
  'access',
  'link',
  'lstat',
  'mkdir',
  'open',
  'readFile',
  'readdir',
  'readlink',
  'realpath',
  'rename',
  'rm',
  'rmdir',
  'stat',
  'unlink',
  'writeFile',
] as const;
const handleCalls = ['chmod', 'chown', 'close', 'createReadStream', 'stat', 'sync', 'writeFile'] as const;

let steps: string[] = [];
let planned: Fault | undefined;
let look: ((name: string) => void) | undefined;
/** Each puts back one call that is watched. */
const undo: (() => void)[] = [];

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Watches every step to the disk from now on, until {@link disarm}; one of them goes wrong if a fault is planned. */
export async function arm(fault?: Fault): Promise<void> {
  if (undo.length === 0) await watch();
  steps = [];
  planned = fault;
}

/** Puts back what {@link arm} took the place of; gives the names of the steps that were taken. */
export function disarm(): readonly string[] {
  planned = undefined;
  look = undefined;
  for (const putBack of undo.splice(0)) putBack();
  syncBuiltinESMExports();
  return steps;
}

/** Calls back at each moment at which a process can die: before each step, and when half of a text is written. */
export async function watchMoments(onMoment: (name: string) => void): Promise<void> {
  await arm();
  look = onMoment;
}

async function watch(): Promise<void> {
  const handle = await open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(handle) as Record<string, Call>;
  await handle.close();
  for (const name of calls) wrap(fs as unknown as Record<string, Call>, name);
  for (const name of handleCalls) wrap(prototype, name);
  syncBuiltinESMExports();
}

function wrap(target: Record<string, Call>, name: string): void {
  const original = target[name]!;
  const held = Object.getOwnPropertyDescriptor(target, name);
  undo.push(() => (held ? Object.defineProperty(target, name, held) : Reflect.deleteProperty(target, name)));
  target[name] = function call(...args) {
    steps.push(name);
    look?.(name);
    if (look && name === 'writeFile') lookHalfway(this, args);
    if (planned?.step !== steps.length) return original.apply(this, args);
    const { kind } = planned;
    if (kind === 'die') return die();
    const half = halfOf(name, args);
    if (kind === 'die-halfway') return half ? Promise.resolve(original.apply(this, half)).then(die) : die();
    const error = Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO', syscall: name });
    if (name === 'createReadStream') throw error;
    const done = half ?? (name === 'close' ? args : undefined);
    return Promise.resolve(done && original.apply(this, done)).then(() => Promise.reject(error));
  };
}

/** Arguments that write half of what they should. */
function halfOf(name: string, args: readonly unknown[]): unknown[] | undefined {
  if (name !== 'writeFile') return undefined;
  return args.map((arg, index) => {
    const isContent = index === args.length - 1 ? Buffer.isBuffer(arg) : index === 1;
    const content = arg as Buffer | string;
    return isContent ? content.slice(0, content.length / 2) : arg;
  });
}

/** Leaves the file as it was, so that the step can still be taken. */
function lookHalfway(handle: unknown, args: readonly unknown[]): void {
  const half = halfOf('writeFile', args)!;
  const fd = (handle as { fd?: number } | undefined)?.fd;
  if (fd === undefined) {
    const [file, text, options] = half as Parameters<typeof writeFileSync>;
    try {
      writeFileSync(file, text, options);
    } catch {
      // Nothing is written where there is a file already.
      return;
    }
    look!('half of writeFile');
    rmSync(file as string);
    return;
  }
  writeSync(fd, half[0] as Buffer, 0, undefined, 0);
  look!('half of writeFile');
  ftruncateSync(fd);
}

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}
