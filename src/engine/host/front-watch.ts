import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import process from 'node:process';
import type { TreeMark } from '../base/process-tree.js';

/**
 * `read` fails if the pipe ends without a line: the front is gone. On Linux, processes with the mark of the host in their
 * environment end too: they may have left its group.
 */
const script = `read -r line && exit
kill -s KILL -- "-$1"
for file in $(grep -Fals -e "$2" /proc/[0-9]*/environ); do
  pid=\${file#/proc/}
  kill -s KILL "\${pid%/environ}"
done`;

/**
 * Kills a host and its descendants when this process is gone, even if the host blocks its thread and this process was
 * killed. Returns a function that stops the watch. `group` is the process group of the host.
 *
 * A shell waits for the end of a pipe. It takes 0.1 MiB; a thread in the host would take 8 MiB. On Windows the host is
 * in the job of this process and ends with it.
 */
export function watchFront(group: number, mark: TreeMark): () => void {
  if (process.platform === 'win32') return () => {};
  try {
    const shell = spawn(
      '/bin/sh',
      ['-c', script, 'agenttools-host-watch', String(group), `${mark.name}=${mark.value}`],
      {
        stdio: ['pipe', 'ignore', 'ignore'],
        cwd: '/',
        // Without PATH, the shell would look for grep in its own default folders.
        env: { PATH: '/usr/bin:/bin' },
        // A signal to the group of the front must not end the watch.
        detached: true,
      },
    );
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
