import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A running process, from the process table of the system. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Start time in the format of the system. It differs if the pid was reused. */
  readonly started: string;
}

/** Lists all running processes. Empty on Windows, which would need to start a program for each call. */
export function listProcesses(platform: NodeJS.Platform): ProcessEntry[] {
  if (platform === 'win32') return [];
  return platform === 'linux' ? listFromProc() : listFromPs();
}

/**
 * Start time of a process; `undefined` if it has ended or the system has no cheap lookup (all except Linux).
 */
export function readStart(pid: number): string | undefined {
  return readStat(`${pid}`)?.started;
}

/** True if a process was started with a variable of this name in its environment (Linux). */
export function hasVariable(pid: number, name: string): boolean {
  return hasInEnvironment(pid, `\0${name}=`);
}

/** True if a process was started with this variable in its environment (Linux). */
export function hasValue(
  pid: number,
  { name, value }: { readonly name: string; readonly value: string },
): boolean {
  return hasInEnvironment(pid, `\0${name}=${value}\0`);
}

function hasInEnvironment(pid: number, text: string): boolean {
  const environment = readText(`/proc/${pid}/environ`);
  return environment !== undefined && `\0${environment}`.includes(text);
}

/** True if this process has children now; `undefined` if the kernel does not list them. */
export function hasChildren(): boolean | undefined {
  let threads: string[];
  try {
    threads = readdirSync('/proc/self/task');
  } catch {
    return undefined;
  }
  for (const thread of threads) {
    const children = readText(`/proc/self/task/${thread}/children`);
    if (children === undefined) return undefined;
    if (children.trim() !== '') return true;
  }
  return false;
}

/** Nothing if a sandbox hides the processes. */
function listFromProc(): ProcessEntry[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((entry) => entry !== undefined);
}

/**
 * proc(5), /proc/pid/stat: the name is in parentheses and may contain any character, so fields are counted
 * from its end.
 */
function readStat(pid: string): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), started: rest[16] ?? '' };
}

function listFromPs(): ProcessEntry[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,pgid=,lstart='], {
    encoding: 'utf8',
    timeout: 2000,
  });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, group, ...started] = line.trim().split(/\s+/);
    if (group === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started: started.join(' ') }];
  });
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
