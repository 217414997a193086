import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable that only one process and its descendants have. */
export interface TreeMark {
  readonly name: string;
  readonly value: string;
}

/**
 * Kills a process group leader and everything below it: its group, its descendants, and on Linux also orphans with its
 * mark. Returns when the signals are sent.
 */
export function endTree(leader: number, mark: TreeMark): void {
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

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
}

function findStartedProcesses(leader: number, mark: TreeMark): readonly number[] {
  const others = listProcesses().filter(({ pid }) => pid !== leader && pid !== process.pid);
  const found = new Set([leader]);
  for (const { pid } of others) if (isMarked(pid, mark)) found.add(pid);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of others) if (found.has(parent)) found.add(pid);
  }
  found.delete(leader);
  return [...found];
}

function listProcesses(): readonly ProcessRow[] {
  if (process.platform === 'linux') return listFromProc();
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8', timeout: 2000 });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    return pid && parent !== undefined ? [{ pid, parent }] : [];
  });
}

/**
 * Reads processes from `/proc`. The process name in `stat` is in parentheses and may contain any character, so fields
 * are counted from its end.
 * @see proc(5), /proc/pid/stat
 */
function listFromProc(): readonly ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? readText(`/proc/${name}/stat`) : undefined;
    if (stat === undefined) return [];
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid: Number(name), parent: Number(parent) }];
  });
}

function isMarked(pid: number, { name, value }: TreeMark): boolean {
  const environment = process.platform === 'linux' ? readText(`/proc/${pid}/environ`) : undefined;
  return environment !== undefined && `\0${environment}`.includes(`\0${name}=${value}\0`);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
