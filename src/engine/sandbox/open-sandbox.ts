import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { canonical } from '../base/canonical-json.js';
import { AgentToolsError } from '../base/errors.js';
import { packageRoot } from '../base/folders.js';
import { type Bubblewrap, findBubblewrap, isolation } from './bubblewrap.js';
import type { NetworkProxy } from './network-proxy.js';
import type { SandboxPermissions } from './permissions.js';
import { argumentFiles, findProgram, isInOneOf, type NeededFile, programFiles } from './program-files.js';
import { hostsFile, relayedHosts } from './relayed-hosts.js';
import type { Sandbox, SandboxedLaunch, SandboxedProgram } from './sandbox.js';
import { contains, isSystemFile, resolveFile, systemWords } from './system-files.js';

export interface SandboxRequest {
  readonly permissions: SandboxPermissions;
  /** Folders with code of the server and of AgentTools, which the programs can read. */
  readonly code: readonly string[];
  readonly home: string;
  /** Data folder of AgentTools, which no permission may include. */
  readonly dataFolder: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** Opens a sandbox with the means of this system. @throws AgentToolsError if it cannot enforce a permission */
export async function openSandbox(request: SandboxRequest): Promise<Sandbox> {
  const { platform, env } = request;
  if (platform !== 'linux') throw unsupported(platform);
  const mounts = permittedMounts(request);
  const sandbox = new BubblewrapSandbox(request, mounts, await findBubblewrap(env.PATH ?? ''));
  await sandbox.openNetwork();
  return sandbox;
}

function unsupported(platform: NodeJS.Platform): AgentToolsError {
  const name = platform === 'darwin' ? 'macOS' : platform === 'win32' ? 'Windows' : platform;
  return new AgentToolsError(
    'refused',
    `The sandbox needs bubblewrap, which ${name} does not have. Start the server in a Linux container or virtual machine, or without its sandbox: --no-sandbox`,
  );
}

/** A file or folder of this machine in the sandbox. */
interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isWritable: boolean;
}

/** The private home folder of each sandbox. */
const privateHome = '/tmp/home';

class BubblewrapSandbox implements Sandbox {
  readonly permissions: SandboxPermissions;
  readonly key: string;
  readonly #request: SandboxRequest;
  readonly #mounts: readonly Mount[];
  readonly #bubblewrap: Bubblewrap;
  #proxy: NetworkProxy | undefined;
  /** Folder with the files that replace files of the system, and the socket of the proxy. */
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'agenttools-sandbox-'));

  constructor(request: SandboxRequest, mounts: readonly Mount[], bubblewrap: Bubblewrap) {
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
  async openNetwork(): Promise<void> {
    const { network } = this.permissions;
    if (network.length === 0) return;
    const { NetworkProxy } = await import('./network-proxy.js');
    this.#proxy = await NetworkProxy.open({ socket: this.#socket, network, report: this.#request.report });
  }

  get #socket(): string {
    return path.join(this.#folder, 'proxy.sock');
  }

  environment(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
    const names = [...minimum, ...this.permissions.env];
    const values = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    return { HOME: privateHome, TMPDIR: '/tmp', ...Object.fromEntries(values) };
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
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--dir', privateHome],
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
    const { home, dataFolder } = this.#request;
    const isCode = ({ source }: NeededFile) =>
      !isSystemFile(source) && !contains(source, home) && !contains(source, dataFolder);
    const files = needed.filter(isCode);
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

/** Variables that every program gets. `HOME` and `TMPDIR` are private. */
const minimum = ['PATH', 'LANG'];

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

function readable(source: string): Mount {
  return { source, target: source, isWritable: false };
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

/** Folders of the kernel, which no permission may include. */
const kernelFolders = ['/proc', '/sys', '/dev'];

/** Mounts of the code and of the permitted files. @throws AgentToolsError for a permission that cannot be granted */
function permittedMounts({ permissions, code, home, dataFolder }: SandboxRequest): readonly Mount[] {
  const found: Mount[] = [];
  for (const folder of code) {
    const source = resolveFile(folder);
    if (source === undefined) continue;
    if (contains(source, resolveFile(home) ?? home)) throw tooWide(folder, 'your home folder');
    found.push(readable(source));
  }
  const { read, write } = permissions.files;
  for (const file of read) found.push(...mountsOf(file, false));
  for (const file of write) found.push(...mountsOf(file, true));
  return found;

  function mountsOf(file: string, isWritable: boolean): readonly Mount[] {
    const source = resolveFile(file);
    if (source === undefined) {
      if (!isWritable) return [];
      const message = `The sandbox permits writing to ${file}, which does not exist. Create it first.`;
      throw new AgentToolsError('not-found', message);
    }
    const data = resolveFile(dataFolder) ?? dataFolder;
    if (contains(source, data) || contains(data, source))
      throw tooWide(file, 'the data folder of AgentTools, with its records and secrets');
    const kernel = kernelFolders.find((folder) => contains(folder, source) || contains(source, folder));
    if (kernel !== undefined) throw tooWide(file, kernel);
    // Code in the sandbox could point the link elsewhere before the next start.
    const outer = source === file ? undefined : write.find((one) => one !== file && contains(one, file));
    if (outer !== undefined) throw tooWide(file, `a link in ${outer}, which the server can write`);
    const mount = { source, isWritable };
    return [...new Set([source, file])].map((target) => ({ ...mount, target }));
  }
}

function tooWide(file: string, part: string): AgentToolsError {
  const message = `The sandbox cannot permit ${file}, which includes ${part}. Permit narrower folders.`;
  return new AgentToolsError('refused', message);
}
