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
  /** Where what extensions print goes, and what the guard has to say. */
  readonly stderr: Writable;
}

export interface ProcessGuard {
  /** The real stdin and stdout, for the protocol alone. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** What was started from here, for `killTree`. */
  readonly spawned: SpawnRegistry;
  /** Really ends the process. */
  exit(code: number): never;
  restore(): void;
}

/**
 * Keeps extension code from harming the session it runs in: from printing into the protocol, reading the client's
 * messages, exiting, and taking the process down with a stray error. To be installed before any of it loads.
 *
 * Not reached: native code, worker threads that write to descriptor 1, and who opens the descriptor by its path.
 */
export function installGuard({ stderr }: GuardOptions): ProcessGuard {
  const { stdin, stdout } = process;
  const patches = new Patches();
  const report = reporterOn(stderr);

  redirectOutput(stderr, patches);
  const spawned = guardChildren(patches);
  const exit = guardExit(patches);
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

function guardExit(patches: Patches): ProcessGuard['exit'] {
  // Node's own `exit` ends in `reallyExit`, which it looks up at that moment.
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

/** An error nobody caught is one call's misfortune, not the session's end. */
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

/** What fails here would end the process. */
function formatUncaught(kind: string, error: unknown): string {
  try {
    if (isExitRequest(error)) return `${error.message} (outside a call)`;
  } catch {
    // What throws when it is looked at is no request to end.
  }
  return `${kind}: ${describeThrown(error)}`;
}

function ignore(): void {}
