import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { canonical } from '../base/canonical-json.js';
import { AgentToolsError } from '../base/errors.js';
import { everything } from './levels.js';
import { permittedVariables, type SandboxPermissions } from './permissions.js';
import { type Mount, permittedMounts } from './permitted-mounts.js';
import { argumentFiles, codeOf, findProgram, isInOneOf } from './program-files.js';
import type { Sandbox, SandboxedLaunch, SandboxedProgram, SandboxRequest } from './sandbox.js';

/** The Node that runs AgentTools, which also runs the code. */
export interface NodeFacts {
  readonly version: string;
  /** The flags that it knows. */
  readonly flags: Pick<ReadonlySet<string>, 'has'>;
}

const thisNode: NodeFacts = { version: process.version, flags: process.allowedNodeEnvironmentFlags };

/** The permission model of Node. It limits JavaScript that Node runs, and no other program. @see nodejs.org/api/permissions.html */
export class NodeSandbox implements Sandbox {
  readonly means: string;
  readonly permissions: SandboxPermissions;
  readonly key: string;
  readonly #request: SandboxRequest;
  readonly #node: NodeFacts;
  readonly #mounts: readonly Mount[];
  /** Private home and temporary folder of the code. */
  readonly #folder: string;

  /** @throws AgentToolsError if the Node cannot enforce a permission */
  static open(request: SandboxRequest, node = thisNode): NodeSandbox {
    requirePermissionModel(request, node);
    requireEnforceable(request.permissions, node);
    const mounts = permittedMounts(request);
    requireNameable(mounts.flatMap(placesOf));
    return new NodeSandbox(request, mounts, node);
  }

  private constructor(request: SandboxRequest, mounts: readonly Mount[], node: NodeFacts) {
    this.means = `the permission model of Node ${node.version}, which does not hold malicious code`;
    this.permissions = request.permissions;
    this.key = canonical({ level: 'node', ...request.permissions });
    this.#request = request;
    this.#mounts = mounts;
    this.#node = node;
    this.#folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'agenttools-sandbox-')));
    for (const name of ['home', 'tmp']) mkdirSync(path.join(this.#folder, name));
  }

  environment(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
    const folder = (name: string) => path.join(this.#folder, name);
    return { HOME: folder('home'), TMPDIR: folder('tmp'), ...permittedVariables(this.permissions, env) };
  }

  launch(program: SandboxedProgram): SandboxedLaunch {
    const { command, args, cwd, env } = program;
    if (!this.#isNode(command)) return this.#unlimited(program);
    const variable = Object.keys(env).find(changesNode);
    if (variable !== undefined) throw dangerousVariable(variable);
    if (!program.isHost) requireOwnFlags(args);
    const needed = program.isNamed ? argumentFiles(args, { cwd, folders: program.argumentFolders }) : [];
    const files = codeOf(needed, this.#request).flatMap(({ source, link }) => [source, link ?? source]);
    requireNameable(files);
    const readable = [this.#folder, ...openedByHost, ...this.#mounts.flatMap(placesOf), ...files];
    const writable = [
      this.#folder,
      ...this.#mounts.flatMap((mount) => (mount.isWritable ? placesOf(mount) : [])),
    ];
    const flags = [
      '--permission',
      ...fileFlags('--allow-fs-read', readable),
      ...fileFlags('--allow-fs-write', writable),
      ...(this.permissions.run.length > 0 ? ['--allow-child-process'] : []),
      ...(this.permissions.network.length > 0 && this.#node.flags.has('--allow-net') ? ['--allow-net'] : []),
      // SQLite opens files without asking the permission model.
      ...(this.#node.flags.has('--experimental-sqlite') ? ['--no-experimental-sqlite'] : []),
      // Node warns of permissions that the user has given.
      '--disable-warning=SecurityWarning',
    ];
    return { command: process.execPath, args: [...flags, ...args], cwd, env };
  }

  /** True for this Node, and for the one of the PATH: this one replaces it, since its permission model is known. */
  #isNode(command: string): boolean {
    const usual = findProgram('node', this.#request.env.PATH ?? '', '/');
    return ['node', process.execPath, usual].includes(command);
  }

  /** Programs of definitions, if all programs are permitted. @throws AgentToolsError otherwise */
  #unlimited({ command, args, cwd, env, isNamed }: SandboxedProgram): SandboxedLaunch {
    const file = findProgram(command, env.PATH ?? '', cwd);
    const isPermitted = this.permissions.run.includes(everything) && !isNamed;
    if (file !== undefined && isPermitted) return { command: file, args, cwd, env };
    const isCode = file !== undefined && isInOneOf(this.#request.code, file);
    throw new AgentToolsError(
      'refused',
      `The permission model of Node limits no program but Node, and ${command} is another one${isCode ? ' of the package' : ''}. Start it as "node <file>" if it is JavaScript, or use another level of the sandbox.`,
    );
  }

  async close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Files that the extension host opens. */
const openedByHost = [devNull, process.execPath];

function placesOf({ source, target }: Mount): readonly string[] {
  return [source, target];
}

/** @throws AgentToolsError for a path that Node would read as several */
function requireNameable(files: readonly string[]): void {
  const unnameable = files.find((file) => /[*,]/.test(file));
  if (unnameable === undefined) return;
  const message = `The permission model of Node cannot name ${unnameable}, which contains "*" or ",". Rename it, or use another level of the sandbox.`;
  throw new AgentToolsError('refused', message);
}

function fileFlags(flag: string, files: readonly string[]): readonly string[] {
  return [...new Set(files)].map((file) => `${flag}=${file}`);
}

/** @throws AgentToolsError without a permission model */
function requirePermissionModel({ platform }: SandboxRequest, { version, flags }: NodeFacts): void {
  if (platform === 'win32') {
    const message = 'The sandbox of Node is for Linux and macOS. It was never tried on Windows.';
    throw new AgentToolsError('refused', message);
  }
  if (flags.has('--permission')) return;
  throw new AgentToolsError(
    'refused',
    `The sandbox "node" needs the permission model of Node 22.13 or later, and AgentTools runs on Node ${version}. Run it with a newer Node, or use another level of the sandbox.`,
  );
}

/** @throws AgentToolsError for permissions that are narrower than the ones Node can give */
function requireEnforceable({ network, run, env }: SandboxPermissions, { version, flags }: NodeFacts): void {
  const variable = env.find(changesNode);
  if (variable !== undefined) throw dangerousVariable(variable);
  const program = run.includes(everything) ? undefined : run[0];
  if (program !== undefined) {
    const message = `Node cannot limit code to the program ${program}: it permits all programs or none, and programs have all your rights. Permit all of them with --allow-run "*", or use another level of the sandbox.`;
    throw new AgentToolsError('refused', message);
  }
  if (network.includes(everything)) return;
  const isLimiting = flags.has('--allow-net');
  if (isLimiting && network.length === 0) return;
  const reason = isLimiting
    ? `Node cannot limit code to the host ${network[0]}: it permits all hosts or none.`
    : `Node ${version} cannot limit the network, which needs Node 25 or later.`;
  throw new AgentToolsError(
    'refused',
    `${reason} Permit all hosts with --allow-net "*", or use another level of the sandbox.`,
  );
}

/** Variables of Node that change neither its flags nor the code or files that it uses. */
const harmlessVariables = [
  'NODE_DEBUG',
  'NODE_DISABLE_COLORS',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'NODE_NO_WARNINGS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_USE_ENV_PROXY',
];

/** True for variables that load native code into Node, or that change its flags or files. */
function changesNode(name: string): boolean {
  if (harmlessVariables.includes(name)) return false;
  return /^(?:NODE_|LD_|DYLD_|OPENSSL_|GCONV_PATH$)/.test(name);
}

function dangerousVariable(name: string): AgentToolsError {
  return new AgentToolsError(
    'refused',
    `The variable ${name} could lift the permission model of Node. Leave it out, or use another level of the sandbox.`,
  );
}

/** Flags of Node that lift no permission. */
const harmlessFlags =
  /^--(?:disable-proto=\w+|enable-source-maps|max-old-space-size=\d+|no-deprecation|no-warnings|stack-trace-limit=\d+)$/;

/** @throws AgentToolsError for a flag before the script that could lift a permission */
function requireOwnFlags(args: readonly string[]): void {
  for (const word of args) {
    if (!word.startsWith('-')) return;
    if (harmlessFlags.test(word)) continue;
    const message = `The flag ${word} of Node could lift its permission model. Leave it out, or use another level of the sandbox.`;
    throw new AgentToolsError('refused', message);
  }
}
