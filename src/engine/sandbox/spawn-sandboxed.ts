import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { SandboxedLaunch } from './sandbox.js';
import { withSealedDescriptors } from './sealed-descriptors.js';

interface SandboxedSpawn extends Omit<SpawnOptions, 'env' | 'cwd' | 'stdio'> {
  readonly stdio: Exclude<StdioOptions, string>;
}

/** Starts a program in its sandbox. It gets these descriptors, and one more for its words, which the sandbox closes. */
export function spawnSandboxed(
  { command, args, cwd, env, words }: SandboxedLaunch,
  { stdio, ...options }: SandboxedSpawn,
): ChildProcess {
  const own = words === undefined ? stdio : [...stdio, 'pipe' as const];
  const child = withSealedDescriptors(own, (sealed) =>
    spawn(command, args, { ...options, cwd, env, stdio: sealed }),
  );
  if (words === undefined) return child;
  const channel = (child.stdio as readonly unknown[])[stdio.length] as Writable | undefined;
  // A sandbox that could not start has closed it.
  channel?.on('error', () => {}).end(words);
  return child;
}
