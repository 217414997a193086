import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { hasValue, listProcesses } from './process-table.js';

/** Environment variable that only one process and its descendants have. */
export interface TreeMark {
  readonly name: string;
  readonly value: string;
}

/**
 * Kills a process group leader and everything below it: its group, its descendants, and on Linux also orphans with its
 * mark. Returns when the signals are sent.
 */
export function endTree(leader: number, mark?: TreeMark): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/T', '/F', '/PID', `${leader}`], { stdio: 'ignore', windowsHide: true });
    return;
  }
  for (const pid of findStartedProcesses(leader, mark)) kill(pid);
  // The group comes last: the caller may be its leader.
  kill(-leader);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself.
  }
}

function findStartedProcesses(leader: number, mark: TreeMark | undefined): readonly number[] {
  const others = listProcesses(process.platform).filter(({ pid }) => pid !== leader && pid !== process.pid);
  const found = new Set([leader]);
  if (mark) for (const { pid } of others) if (hasValue(pid, mark)) found.add(pid);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of others) if (found.has(parent)) found.add(pid);
  }
  found.delete(leader);
  return [...found];
}
