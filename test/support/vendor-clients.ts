import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { writeFolder } from './packages.js';
import { execute, type Ran } from './packed.js';
import { bareEnvironment, programFile } from './program.js';
import { SilentModel } from './silent-model.js';
import type { Seen, Vendor } from './vendors.js';

/** The longest that a vendor's program may run. */
const patienceMs = 60_000;

/** The folder that keeps vendors' programs between runs. */
const kept = process.env.AGENTTOOLS_VENDORS;

/** They are three quarters of a gigabyte to download, so they run where every test does, or where they are kept. */
export const areVendorsWanted: boolean = kept !== undefined || process.env.AGENTTOOLS_TEST_ALL === '1';

/** What starts a program. */
export type Command = readonly [string, ...string[]];

/** A vendor's program on this machine. */
export interface Installed {
  readonly command: Command;
  /** Takes it off the machine, unless it is kept. */
  readonly discard: () => void;
}

/** Brings a vendor's program onto this machine. Nothing that its package would run at that is run. */
export async function installVendor(vendor: Vendor): Promise<Installed> {
  const folder = path.join(kept ?? writeFolder(), vendor.client);
  const at = vendor.package.lastIndexOf('@');
  const place = path.join(folder, 'node_modules', vendor.package.slice(0, at));
  if (versionIn(place) !== vendor.package.slice(at + 1)) await download(folder, vendor.package);
  const file = unpacked(vendor.program.split('/').reduce(enter, place));
  return {
    command: /\.m?js$/.test(file) ? [process.execPath, file] : [file],
    discard: () => kept === undefined && rmSync(folder, { recursive: true, force: true }),
  };
}

async function download(folder: string, name: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--no-save'];
  const args = ['install', ...options, '--prefix', folder, name];
  await promisify(execFile)('npm', args, { cwd: folder, timeout: 280_000 });
}

function versionIn(place: string): string | undefined {
  const file = path.join(place, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

function enter(folder: string, name: string): string {
  return path.join(folder, name === '*' ? (readdirSync(folder)[0] ?? name) : name);
}

function unpacked(file: string): string {
  if (!file.endsWith('.br')) return file;
  const program = file.slice(0, -'.br'.length);
  if (!existsSync(program)) writeFileSync(program, brotliDecompressSync(readFileSync(file)), { mode: 0o755 });
  return program;
}

/** What a client reads while it runs, and what it is to print before its input ends. */
export interface Conversation {
  readonly lines: readonly object[];
  readonly until: RegExp;
}

/** A vendor's client in a home of its own, out of reach of any network. */
export class VendorClient {
  readonly model: SilentModel;
  readonly #vendor: Vendor;
  readonly #command: Command;
  readonly #home: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(vendor: Vendor, command: Command, model: SilentModel) {
    const { env = {}, files = {} } = vendor.surroundings?.(model.url) ?? {};
    const noProxy = 'http://127.0.0.1:9';
    this.model = model;
    this.#vendor = vendor;
    this.#command = command;
    this.#home = writeFolder({ ...files, 'work/README.md': 'Nothing here.\n' });
    this.#env = bareEnvironment({
      HOME: this.#home,
      TERM: 'dumb',
      NO_COLOR: '1',
      DO_NOT_TRACK: '1',
      HTTP_PROXY: noProxy,
      HTTPS_PROXY: noProxy,
      NO_PROXY: '127.0.0.1',
      ...env,
    });
  }

  /** Sets up a client whose program is there. Its home is gone after the test file. */
  static async open(vendor: Vendor, { command }: Installed): Promise<VendorClient> {
    return new VendorClient(vendor, command, await SilentModel.open());
  }

  /** The file with the client's servers. */
  get config(): string {
    return path.join(this.#home, this.#vendor.config);
  }

  /** What the client says of the servers it knows. */
  async look(): Promise<Seen> {
    return await this.#vendor.look(this);
  }

  /** Lets the client itself add a server, if it can. */
  async add(key: string, server: string): Promise<void> {
    const args = this.#vendor.add?.(key, [process.execPath, programFile, 'start', server]);
    if (args) await this.run(args);
  }

  /** Runs our program in the client's home. */
  async agenttools(...args: readonly string[]): Promise<Ran> {
    return await execute(process.execPath, [programFile, ...args], {
      cwd: this.#cwd,
      env: { HOME: this.#home },
    });
  }

  /** Runs the client to its end; gives what it printed. */
  async run(args: readonly string[], conversation?: Conversation): Promise<string> {
    const [program, ...first] = this.#command;
    const options = { cwd: this.#cwd, env: this.#env, detached: true };
    const child = spawn(program, [...first, ...args], options);
    const timer = setTimeout(() => endGroup(child.pid), patienceMs);
    let said = '';
    const hear = (part: string) => {
      said += part;
      if (conversation?.until.test(said)) child.stdin.end();
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.stdin.on('error', () => {});
    child.stdin.write((conversation?.lines ?? []).map((line) => `${JSON.stringify(line)}\n`).join(''));
    if (!conversation) child.stdin.end();
    try {
      const [code, signal] = await once(child, 'close');
      if (code !== 0) throw new Error(`\`${args.join(' ')}\` ended (${signal ?? code}):\n${said}`);
      return stripVTControlCharacters(said);
    } finally {
      clearTimeout(timer);
      endGroup(child.pid);
    }
  }

  get #cwd(): string {
    return path.join(this.#home, 'work');
  }
}

/** Ends a program and what it has left behind. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}
