import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { canonical } from '../base/canonical-json.js';
import { AgentToolsError } from '../base/errors.js';
import { packageRoot } from '../base/folders.js';
import { type Bubblewrap, findBubblewrap, isolation } from './bubblewrap.js';
import { everything } from './levels.js';
import type { NetworkProxy } from './network-proxy.js';
import { permittedVariables, type SandboxPermissions } from './permissions.js';
import { type Mount, permittedMounts, readable } from './permitted-mounts.js';
import {
  argumentFiles,
  codeOf,
  findProgram,
  isInOneOf,
  type NeededFile,
  programFiles,
} from './program-files.js';
import { hostsFile, relayedHosts } from './relayed-hosts.js';
import type { Sandbox, SandboxedLaunch, SandboxedProgram, SandboxRequest } from './sandbox.js';
import { contains, isSystemFile, systemWords } from './system-files.js';

/** The private folders of each sandbox. */
const privateTemporary = '/tmp';
const privateHome = `${privateTemporary}/home`;

/** The namespaces of bubblewrap: nothing but permitted files and programs exists in them. */
export class BubblewrapSandbox implements Sandbox {
  readonly means = 'bubblewrap';
  readonly permissions: SandboxPermissions;
  readonly key: string;
  readonly #request: SandboxRequest;
  readonly #mounts: readonly Mount[];
  readonly #bubblewrap: Bubblewrap;
  #proxy: NetworkProxy | undefined;
  /** Folder with the files that replace files of the system, and the socket of the proxy. */
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'agenttools-sandbox-'));

  /** @throws AgentToolsError if this system cannot enforce a permission */
  static async open(request: SandboxRequest): Promise<Sandbox> {
    if (request.permissions.run.includes(everything)) throw unnamedPrograms();
    const mounts = permittedMounts(request);
    const sandbox = new BubblewrapSandbox(request, mounts, await findBubblewrap(request.env.PATH ?? ''));
    await sandbox.#openNetwork();
    return sandbox;
  }

  private constructor(request: SandboxRequest, mounts: readonly Mount[], bubblewrap: Bubblewrap) {
    this.permissions = request.permissions;
    this.key = canonical(request.permissions);
    this.#request = request;
    this.#mounts = mounts;
    this.#bubblewrap = bubblewrap;
    for (const [name, text] of Object.entries(systemFiles)) {
      writeFileSync(path.join(this.#folder, name), text(request.permissions));
    }
  }

  /** Opens the proxy to permitted hosts. Without any, the sandbox has no network. */
  async #openNetwork(): Promise<void> {
    const { network } = this.permissions;
    if (network.length === 0) return;
    const { NetworkProxy } = await import('./network-proxy.js');
    this.#proxy = await NetworkProxy.open({ socket: this.#socket, network, report: this.#request.report });
  }

  get #socket(): string {
    return path.join(this.#folder, 'proxy.sock');
  }

  environment(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
    return { HOME: privateHome, TMPDIR: privateTemporary, ...permittedVariables(this.permissions, env) };
  }

  launch(program: SandboxedProgram, descriptor: number): SandboxedLaunch {
    const { args, cwd, env, argumentFolders } = program;
    const searchPath = env.PATH ?? '';
    const file = this.#fileOf(program, searchPath);
    const permitted = this.permissions.run.flatMap((name) => findProgram(name, searchPath, cwd) ?? []);
    const needed = [
      ...[process.execPath, file, ...permitted].flatMap((one) => programFiles(one, searchPath)),
      ...(program.isNamed ? argumentFiles(args, { cwd, folders: argumentFolders }) : []),
      ...(this.#proxy ? [this.#socket, relayFile(), path.join(packageRoot(), 'package.json')] : []).map(
        (source) => ({ source }),
      ),
    ];
    const words = [
      ...isolation,
      // The relay listens on the ports of permitted hosts.
      ...(this.#proxy ? ['--cap-add', 'CAP_NET_BIND_SERVICE'] : []),
      ...this.#bubblewrap.extra,
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', privateTemporary, '--dir', privateHome],
      ...systemWords(),
      ...Object.keys(systemFiles).flatMap((name) => [
        '--ro-bind',
        path.join(this.#folder, name),
        `/etc/${name}`,
      ]),
      ...this.#mountWords(needed),
      // The folder may be outside of everything that is permitted. It then is empty.
      ...['--dir', cwd, '--remount-ro', '/', '--chdir', cwd, '--clearenv'],
      ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ];
    return {
      command: this.#bubblewrap.file,
      cwd: '/',
      args: ['--args', String(descriptor), '--', ...this.#relayWords(descriptor), file, ...args],
      // Variables of the program could load libraries into bubblewrap itself.
      env: {},
      words: words.map((word) => `${word}\0`).join(''),
    };
  }

  /** The command that connects the sandbox with the proxy and starts the program. */
  #relayWords(descriptors: number): readonly string[] {
    if (!this.#proxy) return [];
    const hosts = JSON.stringify(relayedHosts(this.permissions.network));
    return [process.execPath, relayFile(), this.#socket, String(descriptors), hosts];
  }

  /** @throws AgentToolsError if the program is missing or not permitted */
  #fileOf({ command, cwd, isNamed, argumentFolders }: SandboxedProgram, searchPath: string): string {
    if (command === 'node' || command === process.execPath) return process.execPath;
    const file = findProgram(command, searchPath, cwd);
    if (file === undefined)
      throw new AgentToolsError('not-found', `The program ${command} is not on the PATH.`);
    const usualPath = this.#request.env.PATH ?? '';
    // The programs of the PATH are the choice of the user, and other files may be private.
    const isUsual = !argumentFolders || findProgram(path.basename(command), usualPath, cwd) === file;
    const isOwn = isUsual || isInOneOf(argumentFolders, file);
    const isPermitted = (isNamed && isOwn) || this.permissions.run.includes(command);
    if (isPermitted || isInOneOf(this.#request.code, file)) return file;
    throw new AgentToolsError(
      'refused',
      `The sandbox does not permit the program ${command}. Permit it with "run" in the sandbox of the server, or with --allow-run ${command}.`,
    );
  }

  #mountWords(needed: readonly NeededFile[]): readonly string[] {
    const files = codeOf(needed, this.#request).filter(({ source }) => !isSystemFile(source));
    const mounts = [...files.map(({ source }) => readable(source)), ...this.#mounts];
    const isVisible = (file: string) => mounts.some(({ target }) => contains(target, file));
    const links = new Map(
      needed.flatMap(({ link, source }) =>
        link === undefined || isSystemFile(link) || isVisible(link) ? [] : [[link, source] as const],
      ),
    );
    return [...sorted(mounts).flatMap(mountWords), ...[...links].flatMap(linkWords)];
  }

  async close(): Promise<void> {
    this.#proxy?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function unnamedPrograms(): AgentToolsError {
  const message =
    'bubblewrap permits programs by name only, and "*" permits all of them. Name each program: --allow-run git.';
  return new AgentToolsError('refused', message);
}

/** Contents of files in `/etc`. The real ones name users and hosts of the machine. */
const systemFiles: Readonly<Record<string, (permissions: SandboxPermissions) => string>> = {
  hosts: ({ network }) => hostsFile(network),
  passwd: () =>
    `user:x:${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}::${privateHome}:/bin/sh\n`,
  group: () => `user:x:${process.getgid?.() ?? 1000}:\n`,
};

/** Path of the relay, in the last build. */
function relayFile(): string {
  return path.join(packageRoot(), 'dist', 'sandbox-relay.js');
}

/** A folder comes before its content, and a read-only mount before a writable one at the same place. */
function sorted(mounts: readonly Mount[]): readonly Mount[] {
  const places = new Map<string, Mount>();
  for (const mount of mounts) if (!places.get(mount.target)?.isWritable) places.set(mount.target, mount);
  return [...places.values()].sort((one, other) => one.target.length - other.target.length);
}

function mountWords({ source, target, isWritable }: Mount): readonly string[] {
  return [isWritable ? '--bind' : '--ro-bind', source, target];
}

function linkWords([link, source]: readonly [string, string]): readonly string[] {
  return ['--symlink', source, link];
}
