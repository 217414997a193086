import type { StdioOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

type Stdio = Exclude<StdioOptions, string>;

/** Flag of a descriptor that a new program does not get, in octal. @see fcntl(2) */
const closeOnExec = 0o2000000;

/**
 * Starts a process that gets no descriptors but these. The program that started this process may have left it others, such
 * as a folder, and new processes would inherit them. In their place the process gets an empty file.
 */
export function withSealedDescriptors<T>(stdio: Stdio, start: (stdio: Stdio) => T): T {
  const leaked = leakedDescriptors().filter((descriptor) => descriptor >= stdio.length);
  if (leaked.length === 0) return start(stdio);
  const empty = openSync('/dev/null', 'r');
  try {
    const length = Math.max(...leaked) + 1 - stdio.length;
    const more = Array.from({ length }, (_, index) =>
      leaked.includes(index + stdio.length) ? empty : ('ignore' as const),
    );
    return start([...stdio, ...more]);
  } finally {
    closeSync(empty);
  }
}

/** Descriptors of this process that its child processes inherit. Only Linux lists them. */
function leakedDescriptors(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').map(Number).filter(isInherited);
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = '0'] =
      /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor of the list itself is closed by now.
    return false;
  }
}
