import { spawnSync } from 'node:child_process';
import process from 'node:process';

import { hasChildren, hasVariable, listProcesses, type ProcessEntry } from '../base/process-table.js';

export type ExitReason = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'parent-gone';

export interface WatchExitOptions {
  /** May be called again: a second signal can arrive while the first is handled. */
  readonly onEnd: (reason: ExitReason) => void;
  /** Interval between checks of the parent process, in milliseconds. Default: 1000. */
  readonly intervalMs?: number;
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Reports the end of the session for reasons that the pipe does not show: a signal, or the end of the parent while
 * another process still holds the pipe open. Returns the function that stops the watch.
 */
export function watchExit({ onEnd, intervalMs = 1000 }: WatchExitOptions): () => void {
  const listeners = signals.map((signal) => ({ signal, listener: () => onEnd(signal) }));
  for (const { signal, listener } of listeners) process.on(signal, listener);

  const parent = process.ppid;
  const lookForParent = (): void => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onEnd('parent-gone');
  };
  const timer = process.platform === 'win32' ? undefined : setInterval(lookForParent, intervalMs).unref();

  return () => {
    clearInterval(timer);
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

/** Processes that this process has started. The guard keeps the registry. */
export interface SpawnRegistry {
  /** True if no process was ever started. */
  readonly isEmpty: boolean;
  /** Children in separate process groups, also ended ones: start time by pid. Undefined if the start time is unknown. */
  readonly leaders: ReadonlyMap<number, string | undefined>;
  /** Pids of the running children. */
  readonly running: ReadonlySet<number>;
  /** Environment variable that every child inherits and passes on. */
  readonly marker: string;
}

export interface KillTreeOptions {
  readonly spawned: SpawnRegistry;
  /** Time between SIGTERM and SIGKILL, in milliseconds. Default: 300. */
  readonly graceMs?: number;
}

/**
 * Ends every process below this one: descendants, groups that children led, and on Linux also orphans with the marker.
 * Costs next to nothing if no process was started.
 */
export async function killTree({ spawned, graceMs = 300 }: KillTreeOptions): Promise<void> {
  if (process.platform === 'win32') {
    for (const pid of spawned.running)
      spawnSync('taskkill', ['/T', '/F', '/PID', `${pid}`], { stdio: 'ignore' });
    return;
  }
  if (spawned.isEmpty && (process.platform !== 'linux' || hasChildren() === false)) return;

  const first = findTree(spawned);
  if (first.length === 0) return;
  for (const { pid } of first) sendSignal(pid, 'SIGTERM');
  const known = new Map(first.map((entry) => [entry.pid, entry.started]));
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    if (findTree(spawned, known).length === 0) return;
  }
  for (const { pid } of findTree(spawned, known)) sendSignal(pid, 'SIGKILL');
}

/**
 * Returns the processes below this one. `known`: processes of an earlier call. They still count if their parent has
 * ended, unless another process has reused their pid.
 */
function findTree(spawned: SpawnRegistry, known: ReadonlyMap<number, string> = new Map()): ProcessEntry[] {
  const table = listProcesses(process.platform);
  const self = table.find(({ pid }) => pid === process.pid);
  if (self === undefined) return [];

  const starts = new Map(table.map(({ pid, started }) => [pid, started]));
  const leads = (group: number): boolean => {
    if (!spawned.leaders.has(group)) return false;
    const started = spawned.leaders.get(group);
    return started === undefined || (starts.get(group) ?? started) === started;
  };
  const isRoot = ({ pid, group, started }: ProcessEntry): boolean =>
    known.get(pid) === started || leads(group) || isMarked(pid, started);
  const isMarked = (pid: number, started: string): boolean =>
    process.platform === 'linux' &&
    Number(started) >= Number(self.started) &&
    hasVariable(pid, spawned.marker);

  const found = new Set([process.pid]);
  const others = table.filter(({ pid }) => pid !== process.pid);
  const roots = others.filter(isRoot);
  for (const { pid } of roots) found.add(pid);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of others) if (found.has(parent)) found.add(pid);
  }
  return others.filter(({ pid }) => found.has(pid));
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended by itself.
  }
}
