import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { AgentToolsError } from '../base/errors.js';
import { toOneLine } from '../base/to-one-line.js';

const run = promisify(execFile);

/** Folders in which bubblewrap is looked for before the `PATH`. */
const usualFolders = ['/usr/bin', '/usr/local/bin', '/bin'];

/** Longest wait for the trial of bubblewrap, in milliseconds. */
const trialMs = 10_000;

/**
 * Namespaces of every sandbox: no processes, sockets, mounts or shared memory of the machine. A new session keeps
 * code from typing into the terminal, and the sandbox dies with its parent.
 */
export const isolation = [
  '--unshare-user',
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--new-session',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
  '--hostname',
  'sandbox',
];

/** The installed bubblewrap. */
export interface Bubblewrap {
  readonly file: string;
  /** Words that only newer versions know. */
  readonly extra: readonly string[];
}

/**
 * Finds bubblewrap, and tries that it can create namespaces here.
 * @throws AgentToolsError with the missing part and the command that installs it
 */
export async function findBubblewrap(searchPath: string, first = usualFolders): Promise<Bubblewrap> {
  const folders = [...first, ...searchPath.split(':').filter((folder) => path.isAbsolute(folder))];
  const file = folders.map((folder) => path.join(folder, 'bwrap')).find(canRun);
  if (file === undefined) throw missing();
  const extra = (await knowsDisableUserns(file)) ? ['--disable-userns'] : [];
  const trial = [...isolation, ...extra, '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  try {
    await run(file, [...trial, '/bin/sh', '-c', ':'], { timeout: trialMs, env: {} });
  } catch (error) {
    throw unusable(error);
  }
  return { file, extra };
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Version 0.8 and later can forbid further user namespaces, which have been a way to attack the kernel. */
async function knowsDisableUserns(file: string): Promise<boolean> {
  const { stdout } = await run(file, ['--version'], { timeout: trialMs, env: {} }).catch(() => ({
    stdout: '',
  }));
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 0 || Number(minor) >= 8;
}

function missing(): AgentToolsError {
  return new AgentToolsError(
    'refused',
    'The sandbox needs bubblewrap, which is not installed. Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), apk add bubblewrap (Alpine), pacman -S bubblewrap (Arch).',
  );
}

function unusable(error: unknown): AgentToolsError {
  const { stderr } = error as { readonly stderr?: string };
  const reason = toOneLine(stderr || String(error));
  return new AgentToolsError(
    'refused',
    `The sandbox needs user namespaces, and bubblewrap cannot create them here: ${reason} Ubuntu 24.04 and later allow them with: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0. Docker allows them with: --security-opt seccomp=unconfined --security-opt systempaths=unconfined.`,
  );
}
