import process from 'node:process';

/** Without what npm's processes end. */
export interface NpmProcessLimits {
  /** The process that npm works for. */
  readonly starter: number;
  /** How much memory one process may have. */
  readonly bytes: number;
}

/** npm takes up to about 1 GB for the largest trees; a registry's answer that does not end takes all there is. */
const ours: NpmProcessLimits = { starter: process.pid, bytes: 2 * 1024 ** 3 };

/**
 * Runs beside npm, in a thread, since npm may be at work on an answer without a pause. Nobody else can tell npm that who
 * started it was killed, and it bounds no answer of a registry. What npm started is of its group, or, on Windows, ends with
 * the pipes to it.
 */
function watch({ starter, bytes }: NpmProcessLimits): string {
  return `
const { writeSync } = require('node:fs');
const end = () => process.kill(process.platform === 'win32' ? process.pid : 0, 'SIGKILL');
const look = () => {
  try {
    process.kill(${starter}, 0);
  } catch ({ code }) {
    if (code === 'ESRCH') end();
  }
  if (process.memoryUsage.rss() < ${bytes}) return;
  try {
    writeSync(2, 'npm error code EMEMORY\\nnpm error It took more than ${bytes / 1024 ** 2} MB of memory: a package, or what a registry says of it, is too large.\\n');
  } finally {
    end();
  }
};
setInterval(look, 200);
`;
}

function inThread(program: string): string {
  return `
import { isMainThread, Worker } from 'node:worker_threads';
if (isMainThread) new Worker(${JSON.stringify(program)}, { eval: true, execArgv: [], env: {} }).unref();
`;
}

/** An environment in which npm, with all that it started, ends without who it works for, and when it has no bounds. */
export function guardedEnv(
  env: Readonly<Record<string, string | undefined>>,
  bounds: NpmProcessLimits = ours,
): Record<string, string | undefined> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(inThread(watch(bounds)))}`;
  return { ...env, NODE_OPTIONS: [env.NODE_OPTIONS, preload].filter(Boolean).join(' ') };
}
