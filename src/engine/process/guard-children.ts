import childProcess from 'node:child_process';
import process from 'node:process';
import { readStart } from '../base/process-table.js';
import { isRecord } from '../base/value-checks.js';
import type { SpawnRegistry } from './exit-watch.js';
import type { Patches } from './object-patches.js';

/** Options of Node's internal `ChildProcess.spawn`, which `spawn`, `exec`, `execFile`, `fork` and `cluster` all call. */
interface SpawnOptions {
  stdio?: unknown;
  envPairs?: string[];
  detached?: boolean;
}

interface Spawner {
  readonly pid?: number;
  once(event: 'exit', listener: () => void): void;
}

/**
 * Keeps child processes off the protocol streams: an inherited stdout becomes stderr, an inherited stdin is empty.
 * Returns the registry of started processes, so that they can be ended.
 */
export function guardChildren(patches: Patches): SpawnRegistry {
  const marker = `AGENTTOOLS_TREE_${process.pid}_${process.hrtime.bigint()}`;
  const leaders = new Map<number, string | undefined>();
  const running = new Set<number>();
  let isEmpty = true;

  const note = (child: Spawner, isLeader: boolean): void => {
    const { pid } = child;
    if (pid === undefined) return;
    running.add(pid);
    child.once('exit', () => running.delete(pid));
    if (isLeader) leaders.set(pid, readStart(pid));
  };

  const { ChildProcess } = childProcess;
  patches.wrap(
    ChildProcess.prototype as unknown as { spawn: unknown },
    'spawn',
    (spawn) =>
      function (this: unknown, options, ...rest) {
        isEmpty = false;
        const given = options as SpawnOptions;
        const stdio = offThePipe(given.stdio);
        const envPairs = given.envPairs === undefined ? undefined : [...given.envPairs, `${marker}=1`];
        const result = spawn.call(this, { ...given, stdio, ...(envPairs && { envPairs }) }, ...rest);
        note(this as Spawner, given.detached === true);
        return result;
      },
  );

  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    patches.wrap(childProcess, name, (run) => (...args) => {
      isEmpty = false;
      const at = args.findIndex((arg, index) => index > 0 && isRecord(arg));
      const options = (at === -1 ? {} : args[at]) as { stdio?: unknown; env?: NodeJS.ProcessEnv };
      const guarded = {
        ...options,
        ...(options.stdio !== undefined && { stdio: offThePipe(options.stdio) }),
        env: { ...(options.env ?? process.env), [marker]: '1' },
      };
      return run(
        ...(at === -1 ? [...args.filter((arg) => arg !== undefined), guarded] : args.with(at, guarded)),
      );
    });
  }

  return {
    get isEmpty() {
      return isEmpty;
    },
    leaders,
    running,
    marker,
  };
}

/** Returns a `stdio` option with stdout redirected to stderr and stdin closed. */
function offThePipe(stdio: unknown): unknown {
  if (stdio === 'inherit') return ['ignore', 2, 2];
  if (!Array.isArray(stdio)) return stdio;
  return stdio.map((entry: unknown, index) => {
    const fd = toChildDescriptor(entry, index);
    if (fd === 0) return 'ignore';
    return fd === 1 ? 2 : entry;
  });
}

function toChildDescriptor(entry: unknown, index: number): unknown {
  if (entry === 'inherit') return index;
  if (entry === process.stdin) return 0;
  return isRecord(entry) ? entry.fd : entry;
}
