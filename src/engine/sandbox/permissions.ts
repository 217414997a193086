import path from 'node:path';
import type { WrittenSandbox } from '../extension/declared-sandbox.js';

/** The files, hosts, programs and variables that code in a sandbox can use. */
export interface SandboxPermissions {
  /** Absolute paths of files and folders. `write` includes reading. */
  readonly files: { readonly read: readonly string[]; readonly write: readonly string[] };
  /** Hosts: `api.acme.example`, `*.acme.example`, `localhost:8080`. */
  readonly network: readonly string[];
  /** Programs: names on the `PATH`, or absolute paths. */
  readonly run: readonly string[];
  /** Names of environment variables. */
  readonly env: readonly string[];
}

/** Permissions of nothing. */
export const noPermissions: SandboxPermissions = {
  files: { read: [], write: [] },
  network: [],
  run: [],
  env: [],
};

interface PathBase {
  /** Folder of relative paths. */
  readonly base: string;
  /** Home folder, for paths that begin with `~/`. */
  readonly home: string;
}

/** Permissions with absolute paths. */
export function readPermissions(
  { files = {}, network = [], run = [], env = [] }: WrittenSandbox,
  { base, home }: PathBase,
): SandboxPermissions {
  const absolute = (file: string) => path.resolve(base, file.replace(/^~(?=$|\/)/, home));
  return {
    files: { read: (files.read ?? []).map(absolute), write: (files.write ?? []).map(absolute) },
    network: network.map((host) => host.toLowerCase()),
    run,
    env,
  };
}

/** Everything that one of both permits. */
export function mergePermissions(one: SandboxPermissions, other: SandboxPermissions): SandboxPermissions {
  const union = (some: readonly string[], more: readonly string[]) => [...new Set([...some, ...more])];
  return {
    files: {
      read: union(one.files.read, other.files.read),
      write: union(one.files.write, other.files.write),
    },
    network: union(one.network, other.network),
    run: union(one.run, other.run),
    env: union(one.env, other.env),
  };
}

/** Variables that every program gets. `HOME` and `TMPDIR` are private. */
const minimum = ['PATH', 'LANG'];

/** The variables of an environment that programs get. */
export function permittedVariables(
  { env: names }: SandboxPermissions,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const values = [...minimum, ...names].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}
