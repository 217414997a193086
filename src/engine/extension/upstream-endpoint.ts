import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../base/environment.js';
import { isInScope, type PathScope, pathFault } from '../base/files/path-containment.js';
import { parseUrl } from '../base/parse-url.js';
import { findSecretReferences, hasSecretReference } from '../base/secret-reference.js';
import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import { visibleLine } from '../base/visible-text.js';
import { endpointSource } from './check-upstream.js';
import { isPackageName } from './names.js';
import { isOptionalVariable, substituteVariables, UnsetVariableError } from './variables.js';

/** Location of an existing MCP server: a program to start, or a URL. */
export type UpstreamEndpoint = UpstreamProgram | UpstreamAddress;

/** A server that communicates over its stdin and stdout. */
export interface UpstreamProgram {
  /** A name on the PATH, or an absolute path. `node` is the Node that runs AgentTools. */
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables, in addition to those that every program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path. */
  readonly cwd: string;
  /** Folders in which the arguments can name files for a sandbox. Absent: anywhere, since the user has written them. */
  readonly argumentFolders?: readonly string[];
}

/** A server that communicates over HTTP. */
export interface UpstreamAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `sse` is the transport of 2024-11-05; `http` is Streamable HTTP. */
  readonly transport: 'http' | 'sse';
}

/** An endpoint that cannot be used. The caller puts its subject before the message. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  /** `missing`: may become available; `undeclared`: not in package.json; `outside`: outside the package. */
  readonly fault: 'missing' | 'undeclared' | 'outside' | 'variable' | 'form';
  /** The faulty key of the endpoint. */
  readonly key: string;

  constructor(fault: EndpointError['fault'], key: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
    this.key = key;
  }
}

/** The package that resolves paths and dependencies. */
export interface EndpointScope extends PathScope {
  readonly packageJson: unknown;
}

export interface ReadEndpointOptions {
  readonly scope: EndpointScope;
  /** Environment for variables. If undefined, variables are not replaced. */
  readonly env?: Environment;
  /** Replaces references to stored secrets in a text. If undefined, a reference is an error. */
  readonly reveal?: ((text: string, place?: 'url' | 'header') => Promise<string>) | undefined;
}

/**
 * Resolves an endpoint that has passed `checkEndpoint`.
 * @throws EndpointError if a variable is not set, or a file or package is missing
 */
export async function readEndpoint(
  written: UnknownRecord,
  { scope, env, reveal }: ReadEndpointOptions,
): Promise<UpstreamEndpoint> {
  const fill = (key: string, text: string) => (env ? fillVariables(key, text, env) : text);
  const open = async (key: string, text: string, place?: 'url' | 'header') => {
    const filled = fill(key, text);
    if (!env || !hasSecretReference(text)) return filled;
    if (reveal) return await reveal(filled, place);
    const [name = ''] = findSecretReferences(text);
    const message = `names the secret ${name}, which only servers of create-server can do. Use a variable: \${${name}}`;
    throw new EndpointError('variable', key, message);
  };
  const openEntries = async (key: string, place?: 'header') => {
    const entries = Object.entries(isRecord(written[key]) ? written[key] : {}).map(
      async ([name, text]): Promise<[string, string][]> => {
        const filled = await open(`${key}.${name}`, String(text), place);
        return filled === '' && isOptionalVariable(String(text)) ? [] : [[name, filled]];
      },
    );
    return Object.fromEntries((await Promise.all(entries)).flat());
  };
  if (endpointSource(written) === 'url') {
    const headers = await openEntries('headers', 'header');
    const url = await open('url', String(written.url), 'url');
    return parseHttpEndpoint(url, headers, written.type === 'sse');
  }
  const words = Array.isArray(written.args) ? written.args : [];
  const args = await Promise.all(words.map((one, index) => open(`args.${index}`, String(one))));
  const cwd = await resolveFolder(written.cwd, fill, scope);
  const program = { env: await openEntries('env'), cwd };
  if (typeof written.package === 'string') {
    const bin = typeof written.bin === 'string' ? written.bin : undefined;
    const file = await programOfPackage(written.package, bin, scope);
    return { command: 'node', args: [file, ...args], ...program };
  }
  const command = await commandAt(fill('command', String(written.command)), scope);
  return { command, args, ...program };
}

/** Checks the parts of an endpoint that contain no variables. @throws EndpointError */
export async function requirePlace(written: UnknownRecord, scope: EndpointScope): Promise<void> {
  const { command, cwd, package: name, bin } = written;
  if (isFixed(cwd)) await resolveFolder(cwd, (_, text) => text, scope);
  if (typeof name === 'string') {
    if (!isDependency(name, scope)) {
      const isHere = isPackageName(name) && (await installedAt(name, scope.directory)) !== undefined;
      throw new EndpointError('undeclared', 'package', undeclaredWords(name, isHere));
    }
    await programOfPackage(name, typeof bin === 'string' ? bin : undefined, scope);
  }
  await requireScript(written, scope);
  if (!isFixed(command)) return;
  await commandAt(command, scope);
  // User extensions name files on this machine, so the file must exist.
  const isHere = scope.allowsAbsolute && path.isAbsolute(command);
  if (!isHere || (await statIfPresent(command))?.isFile()) return;
  throw new EndpointError('missing', 'command', `needs ${command}, which is not a file`);
}

/**
 * Returns the package file that `node` runs, relative to the package folder, and its argument index;
 * undefined if another program or file runs.
 */
export function findPackageScript({
  command,
  args,
  cwd,
}: UnknownRecord): { readonly file: string; readonly index: number } | undefined {
  if (command !== 'node' || !Array.isArray(args) || (cwd !== undefined && !isFixed(cwd))) return undefined;
  const index = args.findIndex((one, at) => !String(one).startsWith('-') && !takesNext.test(args[at - 1]));
  const script: unknown = args[index];
  if (!isFixed(script) || !/^\.\.?[\\/]/.test(script)) return undefined;
  if (args.slice(0, index).some((one) => takesProgram.test(String(one)))) return undefined;
  const folder = isFixed(cwd) ? cwd : '';
  const file = path.isAbsolute(folder) ? path.resolve(folder, script) : posixPath(folder, script);
  return { file, index };
}

/** Node options that take the next argument as their value. */
const takesNext =
  /^(?:-r|-C|--(?:require|import|(?:experimental-)?loader|conditions|env-file(?:-if-exists)?|input-type|title))$/;

/** Node options that run no file, or not the first one. */
const takesProgram = /^(?:-e|-p|-pe|--eval|--print|--run|--test|-)(?:=|$)/;

function posixPath(folder: string, file: string): string {
  return path.posix.join(folder.replaceAll('\\', '/'), file.replaceAll('\\', '/'));
}

async function requireScript(written: UnknownRecord, scope: EndpointScope): Promise<void> {
  const script = findPackageScript(written);
  if (!script) return;
  const { file, index } = script;
  const key = `args.${index}`;
  if (pathFault(file, scope)) throw outside(file, key);
  if (!(await statIfPresent(path.resolve(scope.directory, file)))) {
    const where = scope.allowsAbsolute ? '' : ' of the package';
    throw new EndpointError('missing', key, `runs ${visibleLine(file)}, which is not a file${where}`);
  }
  // Linked packages may be outside the package folder.
  if (!isInstalledFile(file)) await requireInside(file, key, scope);
}

/** True if a path, relative to the package folder, belongs to another package that npm installed. */
export function isInstalledFile(file: string): boolean {
  return file.startsWith('node_modules/');
}

function isFixed(text: unknown): text is string {
  return typeof text === 'string' && !text.includes('${');
}

function fillVariables(key: string, text: string, env: Environment): string {
  try {
    return substituteVariables(text, env);
  } catch (error) {
    if (!(error instanceof UnsetVariableError)) throw error;
    throw new EndpointError('variable', key, error.message);
  }
}

/** Parses a URL. Moves user name and password to a header, because request URLs must not contain them. */
function parseHttpEndpoint(
  text: string,
  headers: Readonly<Record<string, string>>,
  isSse: boolean,
): UpstreamAddress {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new EndpointError('form', 'url', 'has no http: or https: address as its "url"');
  }
  const transport = isSse ? 'sse' : 'http';
  if (url.username === '' && url.password === '') return { url: url.href, headers, transport };
  const said = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const Authorization = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(said)))}`;
  url.username = '';
  url.password = '';
  return { url: url.href, headers: isGiven ? headers : { ...headers, Authorization }, transport };
}

/** Returns the absolute path of a package file. Returns names and absolute paths unchanged. */
async function commandAt(command: string, scope: EndpointScope): Promise<string> {
  const own = /^\.\.?[\\/]/.test(command);
  if (!own) {
    if (command !== '' && (path.isAbsolute(command) || !/[\\/]/.test(command))) return command;
    const message = `has the command "${visibleLine(command)}". Expected a name on the PATH, an absolute path, or "./…"`;
    throw new EndpointError('form', 'command', message);
  }
  const target = path.resolve(scope.directory, command);
  if (!(await statIfPresent(target))?.isFile()) {
    throw new EndpointError('missing', 'command', `needs ${command}, which is not a file of the package`);
  }
  await requireInside(command, 'command', scope);
  return target;
}

/** A folder that begins with a variable belongs to the user and may be anywhere. */
async function resolveFolder(
  written: unknown,
  fill: (key: string, text: string) => string,
  scope: EndpointScope,
): Promise<string> {
  if (typeof written !== 'string') return scope.directory;
  const folder = fill('cwd', written);
  const isUsers = written.startsWith('${') && path.isAbsolute(folder);
  const target = path.resolve(scope.directory, folder);
  if (!isUsers && pathFault(folder, scope)) throw outside(folder, 'cwd');
  if (!(await statIfPresent(target))?.isDirectory()) {
    const where = path.isAbsolute(folder) ? '' : ' of the package';
    throw new EndpointError(
      'missing',
      'cwd',
      `runs in ${visibleLine(folder)}, which is not a folder${where}`,
    );
  }
  if (!isUsers) await requireInside(folder, 'cwd', scope);
  return target;
}

async function requireInside(file: string, key: string, scope: EndpointScope): Promise<void> {
  if (pathFault(file, scope) || !(await isInScope(scope, file))) throw outside(file, key);
}

function outside(file: string, key: string): EndpointError {
  return new EndpointError('outside', key, `names ${visibleLine(file)}, which leaves the package`);
}

async function statIfPresent(target: string) {
  return await stat(target).catch(() => undefined);
}

/** Fields of package.json with packages that npm installs next to this one. */
const dependencyKeys = ['dependencies', 'peerDependencies', 'optionalDependencies'];

function isDependency(name: string, { packageJson }: EndpointScope): boolean {
  return dependencyKeys.some((key) => {
    const names = isRecord(packageJson) ? packageJson[key] : undefined;
    return isRecord(names) && Object.hasOwn(names, name);
  });
}

function undeclaredWords(name: string, isHere: boolean): string {
  const also = isHere ? ', though it is installed' : ', and is not installed';
  return `needs the package ${visibleLine(name)}, which is not a dependency of this package${also}. Add it to "dependencies" in package.json`;
}

/** Returns the file of a dependency's program. */
async function programOfPackage(
  name: string,
  bin: string | undefined,
  scope: EndpointScope,
): Promise<string> {
  const directory = isPackageName(name) ? await installedAt(name, scope.directory) : undefined;
  if (directory === undefined) {
    if (!isDependency(name, scope))
      throw new EndpointError('undeclared', 'package', undeclaredWords(name, false));
    const message = `needs the package ${visibleLine(name)}, which is not installed. Run npm install`;
    throw new EndpointError('missing', 'package', message);
  }
  const file = binIn(await packageJsonAt(directory), { name, bin });
  const target = path.resolve(directory, file);
  if (pathFault(file) || !(await statIfPresent(target))?.isFile()) {
    throw new EndpointError('missing', 'package', `needs ${file} of the package ${name}, which is missing`);
  }
  return target;
}

/** Finds a package as Node does: in `node_modules`, from a folder upwards. */
async function installedAt(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const directory = path.join(folder, 'node_modules', name);
    if ((await statIfPresent(path.join(directory, 'package.json')))?.isFile()) return directory;
    if (folder === path.dirname(folder)) return undefined;
  }
}

async function packageJsonAt(directory: string): Promise<UnknownRecord> {
  try {
    const value: unknown = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Returns the program's file: the named one, else the only one, else the one with the name of the package.
 */
function binIn(
  packageJson: UnknownRecord,
  { name, bin: wanted }: { readonly name: string; readonly bin: string | undefined },
): string {
  const { bin } = packageJson;
  const short = name.slice(name.lastIndexOf('/') + 1);
  const programs = typeof bin === 'string' ? { [short]: bin } : isRecord(bin) ? bin : {};
  const names = Object.keys(programs);
  const meant = wanted ?? (names.length === 1 ? names[0]! : short);
  const file = Object.hasOwn(programs, meant) ? programs[meant] : undefined;
  if (typeof file === 'string') return file;
  const known = names.join(', ') || 'none';
  const message =
    wanted === undefined && names.length > 1
      ? `names the package ${name}, which has several programs. Choose one with "bin": ${known}`
      : `needs the program "${meant}" of the package ${name}, which it does not have. It has: ${known}`;
  throw new EndpointError('undeclared', wanted === undefined ? 'package' : 'bin', message);
}
