import process from 'node:process';

/** Without what npm's processes end. */
export interface Bounds {
  /** The process that npm works for. */
  readonly starter: number;
  /** How much memory one process may have. */
  readonly bytes: number;
}

/** npm takes up to about 1 GB for the largest trees; a registry's answer that does not end takes all there is. */
const ours: Bounds = { starter: process.pid, bytes: 2 * 1024 ** 3 };

/**
 * Runs in npm beside npm. Nobody else can tell it that who started it was killed, and it bounds no answer of a registry.
 * On Windows what it started ends with the pipes to it; elsewhere all of it is one group.
 */
function watch({ starter, bytes }: Bounds): string {
  return `
import { writeSync } from 'node:fs';
import process from 'node:process';
const end = () => process.kill(process.platform === 'win32' ? process.pid : 0, 'SIGKILL');
const look = () => {
  try {
    process.kill(${starter}, 0);
  } catch ({ code }) {
    if (code === 'ESRCH') end();
  }
  if (process.memoryUsage.rss() < ${bytes}) return;
  writeSync(2, 'npm error code EMEMORY\\nnpm error It took more than ${bytes / 1024 ** 2} MB of memory: a package, or what a registry says of it, is too large.\\n');
  end();
};
setInterval(look, 200).unref();
`;
}

/** An environment in which npm, with all that it started, ends without who it works for, and when it has no bounds. */
export function withinBounds(
  env: Readonly<Record<string, string | undefined>>,
  bounds: Bounds = ours,
): Record<string, string | undefined> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(watch(bounds))}`;
  return { ...env, NODE_OPTIONS: [env.NODE_OPTIONS, preload].filter(Boolean).join(' ') };
}
