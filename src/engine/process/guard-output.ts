import fs from 'node:fs';
import net from 'node:net';
import { devNull } from 'node:os';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import tty from 'node:tty';
import { isRecord } from '../base/value-checks.js';
import type { Patches } from './object-patches.js';

const descriptor = { in: 0, out: 1, err: 2 } as const;

/** Terminal properties that the replacement for stdout takes from stderr. */
const terminalKeys = [
  'isTTY',
  'columns',
  'rows',
  'getColorDepth',
  'hasColors',
  'getWindowSize',
  'cursorTo',
  'moveCursor',
  'clearLine',
  'clearScreenDown',
];

/** Functions of `fs` that accept a descriptor as the first argument and write to it. */
const writers = [
  'write',
  'writeSync',
  'writev',
  'writevSync',
  'writeFile',
  'writeFileSync',
  'appendFile',
  'appendFileSync',
] as const;

/**
 * Functions of `fs` that accept a descriptor as the first argument and read from it. Without `fs.read`: if stdin is a
 * file, the real stdin reads through it.
 */
const descriptorReaders = ['readSync', 'readvSync', 'readFile', 'readFileSync'] as const;

/** Replaces `process.stdout`. Writes everything to stderr; code cannot end it. */
class StdoutStandIn extends Writable {
  /** Code that writes to the descriptor by other means reaches stderr too. */
  readonly fd = descriptor.err;
  readonly #stderr: Writable;

  constructor(stderr: Writable) {
    super({ decodeStrings: false });
    this.#stderr = stderr;
    for (const key of terminalKeys) {
      const get = (): unknown => {
        const value: unknown = Reflect.get(stderr, key);
        return typeof value === 'function' ? value.bind(stderr) : value;
      };
      Object.defineProperty(this, key, { configurable: true, enumerable: true, get });
    }
  }

  override _write(chunk: unknown, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#stderr.write(chunk, encoding, () => callback());
  }

  override end(...args: unknown[]): this {
    const callback = args.find((arg): arg is () => void => typeof arg === 'function');
    const [chunk, encoding] = args;
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') {
      this.write(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
    }
    if (callback !== undefined) queueMicrotask(callback);
    return this;
  }

  override destroy(): this {
    return this;
  }
}

/**
 * Redirects all output of JavaScript in this process from stdout to stderr: through the stream, the console or the
 * descriptor. Replaces stdin by an ended stream.
 * @see MCP transports/stdio: stdout carries only protocol messages
 */
export function redirectOutput(stderr: Writable, patches: Patches): void {
  const { stdout } = process;
  const standIn = new StdoutStandIn(stderr);
  patches.define(process, 'stdout', { configurable: true, enumerable: true, get: () => standIn });
  patches.define(process, 'stdin', { configurable: true, enumerable: true, get: once(makeEndedStdin) });

  // The console keeps the stream of its first output.
  const bound = console as unknown as { _stdout: Writable };
  bound._stdout = standIn;
  patches.onRestore(() => {
    bound._stdout = stdout;
  });

  for (const name of writers) {
    patches.wrap(
      fs,
      name,
      (write) =>
        (fd, ...rest) =>
          write(fd === descriptor.out ? descriptor.err : fd, ...rest),
    );
  }
  redirectClass(tty, 'WriteStream', patches);
  redirectClass(net, 'Socket', patches);
  redirectClass(net, 'Stream', patches);

  const openNothing = once(() => fs.openSync(devNull, 'r'));
  for (const name of descriptorReaders) {
    patches.wrap(
      fs,
      name,
      (read) =>
        (fd, ...rest) =>
          read(fd === descriptor.in ? openNothing() : fd, ...rest),
    );
  }
  patches.wrap(fs, 'closeSync', (close) => (fd) => (isStandard(fd) ? undefined : close(fd)));
  patches.wrap(fs, 'close', (close) => (fd, callback) => {
    if (!isStandard(fd)) return close(fd, callback);
    if (typeof callback === 'function') setImmediate(() => callback(null));
    return undefined;
  });
}

/**
 * Redirects streams that code creates on the stdout descriptor to stderr. The class keeps its behaviour, including
 * `instanceof`.
 */
function redirectClass(owner: object, key: string, patches: Patches): void {
  const original = Reflect.get(owner, key) as {
    new (...args: unknown[]): object;
    (...args: unknown[]): unknown;
  };
  const value = new Proxy(original, {
    apply: (target, self, args) => Reflect.apply(target, self, args.map(offStdout)),
    construct: (target, args, newTarget) => Reflect.construct(target, args.map(offStdout), newTarget),
  });
  patches.define(owner, key, { configurable: true, enumerable: true, writable: true, value });
}

/** Replaces the stdout descriptor, or options that name it. A given handle takes precedence over the descriptor. */
function offStdout(arg: unknown): unknown {
  if (arg === descriptor.out) return descriptor.err;
  return isRecord(arg) && arg.fd === descriptor.out && !arg.handle ? { ...arg, fd: descriptor.err } : arg;
}

/** True for stdin, stdout and stderr, which extensions must not close. */
function isStandard(fd: unknown): boolean {
  return fd === descriptor.in || fd === descriptor.out || fd === descriptor.err;
}

function makeEndedStdin(): Readable {
  const stdin = new Readable({
    read() {
      this.push(null);
    },
  });
  return Object.assign(stdin, { isTTY: false });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
