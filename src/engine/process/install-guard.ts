import module from 'node:module';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';

import { describeThrown, reporterOn } from '../base/line-reporter.js';
import { ExitRequest, isExitRequest } from './exit-request.js';
import type { SpawnRegistry } from './exit-watch.js';
import { guardChildren } from './guard-children.js';
import { redirectOutput } from './guard-output.js';
import { Patches } from './object-patches.js';

export interface GuardOptions {
  /** Receives the output of extensions and the reports of the guard. */
  readonly stderr: Writable;
}

export interface ProcessGuard {
  /** The real stdin and stdout, for protocol messages only. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Processes started from this one, for `killTree`. */
  readonly spawned: SpawnRegistry;
  /** Ends the process, bypassing the guard. */
  exit(code: number): never;
  restore(): void;
}

/**
 * Protects the session from extension code that prints to stdout, reads stdin, exits, or throws uncaught errors. Install
 * it before extension code loads.
 *
 * Does not cover native code, worker threads that write to descriptor 1, and code that opens the descriptor by its path.
 */
export function installGuard({ stderr }: GuardOptions): ProcessGuard {
  const { stdin, stdout } = process;
  const patches = new Patches();
  const report = reporterOn(stderr);

  redirectOutput(stderr, patches);
  const spawned = guardChildren(patches);
  const exit = guardExit(patches);
  guardBindings(patches);
  surviveErrors(report, patches);
  stderr.on('error', ignore);
  patches.onRestore(() => stderr.off('error', ignore));

  module.syncBuiltinESMExports();
  const restore = (): void => {
    patches.restore();
    module.syncBuiltinESMExports();
  };
  return { stdin, stdout, spawned, exit, restore };
}

/** Returns copies of the internal objects that Node itself uses. A changed copy harms no other code. */
function guardBindings(patches: Patches): void {
  const owner = process as unknown as { readonly binding: unknown };
  patches.wrap(owner, 'binding', (binding) => (name) => ({ ...(binding(name) as object) }));
}

function guardExit(patches: Patches): ProcessGuard['exit'] {
  // Node's `exit` calls `reallyExit` and looks it up at that moment.
  const owner = process as unknown as Record<'exit' | 'reallyExit' | 'abort', unknown>;
  const exit = process.exit.bind(process);
  const reallyExit = (owner.reallyExit as (code: number) => never).bind(process);
  for (const name of ['exit', 'reallyExit', 'abort'] as const) {
    patches.wrap(owner, name, () => (code) => {
      throw new ExitRequest(`process.${name}()`, code);
    });
  }
  return (code) => {
    owner.reallyExit = reallyExit;
    try {
      return exit(code);
    } catch {
      return reallyExit(code);
    }
  };
}

/** Reports uncaught errors. An uncaught error fails at most one call and must not end the session. */
function surviveErrors(report: (line: string) => void, patches: Patches): void {
  const tell = (kind: string) => (error: unknown) => report(formatUncaught(kind, error));
  const listeners = {
    uncaughtException: tell('Uncaught exception'),
    unhandledRejection: tell('Unhandled rejection'),
  };
  for (const [event, listener] of Object.entries(listeners)) {
    process.on(event, listener);
    patches.onRestore(() => process.off(event, listener));
  }
}

/** Never throws: an error here would end the process. */
function formatUncaught(kind: string, error: unknown): string {
  try {
    if (isExitRequest(error)) return `${error.message} (outside a call)`;
  } catch {
    // A value that throws on inspection is not an exit request.
  }
  return `${kind}: ${describeThrown(error)}`;
}

function ignore(): void {}
