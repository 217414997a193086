import { closeSync, openSync } from 'node:fs';
import process from 'node:process';
import { isEnvRecorder } from './env-reads.js';

// Kept before extension code loads.
const open = openSync;
const close = closeSync;
const { cwd, chdir, umask, execPath } = process;
// Undefined on Windows.
const { geteuid, getegid } = process as Partial<NodeJS.Process>;
const { apply, defineProperty, getPrototypeOf, setPrototypeOf } = Reflect;
const { keys } = Object;
const { env } = process;
const envPrototype = getPrototypeOf(env);

/** The last mask set with `process.umask`. Reading the mask would change it for a moment. */
let mask = umask();

process.umask = ((...args: [mask?: number]): number => {
  const before = apply(umask, process, args) as number;
  if (args.length > 0) mask = umask();
  return before;
}) as typeof process.umask;

/** Number of variables that a quick comparison reads. */
const quickCount = 4;

/** State of this process that all code shares, except built-ins. */
export interface Surroundings {
  /** The first change, as text. */
  difference(): string | undefined;
  /** Finds a changed working directory, umask, user or `process.env`, and some of the deleted variables. */
  quickDifference(): string | undefined;
  /** Undoes changes. Returns the first irreversible one as text. */
  heal(): string | undefined;
}

/** Captures the state of this process. Import this file before extension code loads. */
export function captureSurroundings(): Surroundings {
  const folder = folderNow();
  // A module may have replaced the object.
  const ownEnv = envNow();
  const isReplaced = () => {
    const now = envNow();
    return now !== env && now !== ownEnv && !isRecorder(now);
  };
  const firstMask = mask;
  const names = keys(env);
  const values: string[] = [];
  for (let index = 0; index < names.length; index += 1) values[index] = env[names[index]!]!;

  const user = geteuid?.();
  const group = getegid?.();

  const stateDifference = (): string | undefined => {
    if (folderNow() !== folder) return 'the working directory was changed';
    if (mask !== firstMask) return 'the umask was changed';
    if (geteuid?.() !== user || getegid?.() !== group) return 'the user of the process was changed';
    if (getPrototypeOf(env) !== envPrototype) return 'the prototype of process.env was replaced';
    return isReplaced() ? 'process.env was replaced' : undefined;
  };
  const difference = (): string | undefined => {
    const changed = stateDifference();
    if (changed !== undefined) return changed;
    for (let index = 0; index < names.length; index += 1) {
      if (env[names[index]!] === undefined) return 'environment variables were deleted';
    }
    return canOpen() ? undefined : 'the file descriptors were used up';
  };
  let next = 0;
  const quickDifference = (): string | undefined => {
    const changed = stateDifference();
    if (changed !== undefined) return changed;
    for (let count = 0; count < quickCount && names.length > 0; count += 1) {
      next = (next + 1) % names.length;
      if (env[names[next]!] === undefined) return 'environment variables were deleted';
    }
    return undefined;
  };
  const heal = (): string | undefined => {
    try {
      if (folder !== undefined) chdir(folder);
      setPrototypeOf(env, envPrototype);
      if (isReplaced()) putEnvBack();
      umask(firstMask);
      mask = firstMask;
      for (let index = 0; index < names.length; index += 1) env[names[index]!] ??= values[index]!;
    } catch {
      // `difference` reports the failure.
    }
    return difference();
  };
  return { difference, quickDifference, heal };
}

/** The value is untrusted: code can assign anything to `process.env`. */
function isRecorder(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isEnvRecorder(value);
}

/**
 * Puts the original `process.env` back if a module has replaced it by an object that throws. Returns false if this is
 * impossible, undefined if nothing was to do.
 */
export function repairEnv(): boolean | undefined {
  const now = envNow();
  setPrototypeOf(env, envPrototype);
  if (now === env || isRecorder(now)) return undefined;
  try {
    if ('PATH' in now! && keys(now).length >= 0 && typeof now.PATH !== 'symbol') return undefined;
  } catch {
    // It is replaced.
  }
  return putEnvBack();
}

function putEnvBack(): boolean {
  return defineProperty(process, 'env', { value: env, writable: true, enumerable: true, configurable: true });
}

/** Undefined if reading it throws. */
function envNow(): NodeJS.ProcessEnv | undefined {
  try {
    return process.env;
  } catch {
    return undefined;
  }
}

/** Undefined if the folder was deleted. */
function folderNow(): string | undefined {
  try {
    return cwd();
  } catch {
    return undefined;
  }
}

function canOpen(): boolean {
  try {
    close(open(execPath, 'r'));
    return true;
  } catch {
    return false;
  }
}
