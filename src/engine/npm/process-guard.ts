import process from 'node:process';

/** Limits that end npm's processes. */
export interface NpmProcessLimits {
  /** The process that npm works for. */
  readonly starter: number;
  /** Largest memory of one process, in bytes. */
  readonly bytes: number;
}

/**
 * npm takes up to about 1 GB for the largest trees; an endless response of a registry would take all memory.
 */
const ours: NpmProcessLimits = { starter: process.pid, bytes: 2 * 1024 ** 3 };

/**
 * Source of a thread inside npm, since npm may process a response without a pause. npm itself neither notices
 * that its parent was killed nor limits responses of a registry. Child processes of npm are in its group or,
 * on Windows, end with their pipes to it.
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
    writeSync(2, 'npm error code EMEMORY\\nnpm error It took more than ${bytes / 1024 ** 2} MB of memory: a package or its registry data is too large.\\n');
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

/**
 * Environment in which npm and all its child processes end with the process they work for, and at the memory
 * limit.
 */
export function guardedEnv(
  env: Readonly<Record<string, string | undefined>>,
  bounds: NpmProcessLimits = ours,
): Record<string, string | undefined> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(inThread(watch(bounds)))}`;
  return { ...env, NODE_OPTIONS: [env.NODE_OPTIONS, preload].filter(Boolean).join(' ') };
}
