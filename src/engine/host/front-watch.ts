import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import process from 'node:process';

/** `read` fails if the pipe ends without a line: the front is gone. */
const script = 'read -r line || kill -s KILL -- "-$1"';

/**
 * Kills the process group of a host when this process is gone, even if the host blocks its thread and this process was
 * killed. Returns a function that stops the watch.
 *
 * A shell waits for the end of a pipe. It takes 0.1 MiB; a thread in the host would take 8 MiB. On Windows the host is
 * in the job of this process and ends with it.
 */
export function watchFront(group: number): () => void {
  if (process.platform === 'win32') return () => {};
  try {
    const shell = spawn('/bin/sh', ['-c', script, 'agenttools-host-watch', String(group)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: {},
      // A signal to the group of the front must not end the watch.
      detached: true,
    });
    // Without a shell, a host that does not block still ends with the front.
    shell.on('error', () => {});
    shell.stdin.on('error', () => {});
    shell.unref();
    (shell.stdin as Socket).unref();
    return () => void shell.stdin.end('\n');
  } catch {
    return () => {};
  }
}
