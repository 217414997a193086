import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { AgentToolsError } from '../base/errors.js';

/** Output and exit code of a program; `code` is null if a signal ended it. */
export interface ExitResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunToExitOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly signal: AbortSignal | undefined;
}

/** Time that a program has to exit after SIGTERM, and to close its pipes after exit, in milliseconds. */
const graceMs = 2000;

/**
 * Runs a program until it exits. The program and its child processes form a process group, if the system has
 * groups. The group ends when `signal` aborts, and when this process exits in any way except SIGKILL.
 * @throws AgentToolsError that names the program, if it cannot be run.
 */
export async function runToExit(
  command: string,
  args: readonly string[],
  { cwd, env, platform, signal }: RunToExitOptions,
): Promise<ExitResult> {
  signal?.throwIfAborted();
  const isLeader = platform !== 'win32';
  const send = isLeader ? sendToGroup : endOnWindows;
  // Registered before the spawn, since a signal can arrive as soon as the program runs.
  const started: { child?: ChildProcess } = {};
  const ours = onProcessExit(() => started.child && send(started.child, 'SIGKILL'));
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    detached: isLeader,
  });
  started.child = child;
  const timers: NodeJS.Timeout[] = [];
  const abort = () => {
    send(child, 'SIGTERM');
    timers.push(setTimeout(() => send(child, 'SIGKILL'), graceMs));
  };
  signal?.addEventListener('abort', abort, { once: true });
  child.once('exit', () => {
    // Remaining child processes are useless, and may hold the pipes.
    if (isLeader) send(child, 'SIGKILL');
    timers.push(setTimeout(() => closePipes(child), signal?.aborted ? 0 : graceMs));
  });
  try {
    return await collectUntilClose(child);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `${command} cannot be run (${code}). Check that it is a program that you may execute.`;
    throw new AgentToolsError('failed', message, { cause: error });
  } finally {
    signal?.removeEventListener('abort', abort);
    for (const timer of timers) clearTimeout(timer);
    ours.release();
  }
}

function collectUntilClose(child: ChildProcess): Promise<ExitResult> {
  return new Promise((resolve, reject) => {
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}

/** Processes that left the group may still hold the pipes. */
function closePipes({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

function sendToGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended.
  }
}

/** Windows has no polite termination signal. */
function endOnWindows({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  spawn('taskkill', ['/T', '/F', '/PID', `${pid}`], { stdio: 'ignore', windowsHide: true }).on(
    'error',
    () => {},
  );
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a callback when this process exits, also by a signal, which a terminal sends only to the group of this
 * process.
 */
function onProcessExit(end: () => void): { release(): void } {
  const release = () => {
    process.off('exit', end);
    for (const signal of signals) process.off(signal, obey);
  };
  const obey = (signal: NodeJS.Signals) => {
    end();
    release();
    // Without other listeners, the signal has its default effect.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.on('exit', end);
  for (const signal of signals) process.on(signal, obey);
  return { release };
}
