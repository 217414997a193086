import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill, pid } from 'node:process';

/** The process that owns a lock or a temporary file. */
export interface Holder {
  readonly host: string;
  /** PID namespace: containers may share a host name but not their processes. Known on Linux. */
  readonly namespace?: string;
  readonly pid: number;
  /** Start time in system clock ticks, since process ids are reused. Known on Linux. */
  readonly started?: string;
}

let own: Holder | undefined;

export function thisProcess(): Holder {
  if (own === undefined) {
    const namespace = namespaceOfProcesses();
    const started = readProcessState(pid)?.started;
    own = { host: hostname(), pid, ...(namespace && { namespace }), ...(started && { started }) };
  }
  return own;
}

/** True if a process has certainly ended; false for processes of other machines. */
export function isDead(holder: Holder): boolean {
  const { host, namespace } = thisProcess();
  if (holder.host !== host || holder.namespace !== namespace) return false;
  if (!isAnswering(holder.pid)) return true;
  const state = readProcessState(holder.pid);
  if (state === undefined) return false;
  return state.hasEnded || (holder.started !== undefined && holder.started !== state.started);
}

function isAnswering(number: number): boolean {
  try {
    kill(number, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A killed process still accepts signals until its parent reaps it. */
const endedStates = ['Z', 'X', 'x'];

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function readProcessState(
  number: number,
): { readonly hasEnded: boolean; readonly started: string } | undefined {
  try {
    const text = readFileSync(`/proc/${number}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { hasEnded: endedStates.includes(fields[0]!), started: fields[19]! };
  } catch {
    return undefined;
  }
}

function namespaceOfProcesses(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}
