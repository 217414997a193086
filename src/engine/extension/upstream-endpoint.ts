import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInScope, type PathScope, pathFault } from '../base/files/path-containment.js';
import { visibleLine } from '../base/visible-text.js';
import { endpointSource } from './check-upstream.js';
import { isRecord } from './definition-shapes.js';
import { isPackageName } from './names.js';
import { substituteVariables, UnsetVariableError } from './variables.js';

/** Where an existing MCP server is: a program that is started, or an address that is asked. */
export type UpstreamEndpoint = UpstreamProgram | UpstreamAddress;

/** A server that speaks over its own stdin and stdout. */
export interface UpstreamProgram {
  /** A name on the PATH, or an absolute path; `node` is the Node that runs us, wherever that is. */
  readonly command: string;
  readonly args: readonly string[];
  /** Besides what every program needs of ours. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

/** A server that is reached by HTTP. */
export interface UpstreamAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `sse`: the transport of 2024-11-05; else Streamable HTTP. */
  readonly transport: 'http' | 'sse';
}

/** A place that leads nowhere, and why; what it is said of stands before the message. */
export class EndpointError extends Error {
  override readonly name = 'PlaceError';
  /** `missing`: it may come to be there; `undeclared`: nobody has promised it; `outside`: it is not the package's. */
  readonly fault: 'missing' | 'undeclared' | 'outside' | 'variable' | 'form';
  /** The key of the place that is at fault. */
  readonly key: string;

  constructor(fault: EndpointError['fault'], key: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
    this.key = key;
  }
}

type Env = Readonly<Record<string, string | undefined>>;
type Written = Readonly<Record<string, unknown>>;

/** Whose paths and dependencies count. */
export interface EndpointScope extends PathScope {
  readonly packageJson: unknown;
}

export interface ReadEndpointOptions {
  readonly scope: EndpointScope;
  /** What variables are filled in from; absent: texts are taken as they are. */
  readonly env?: Env;
}

/**
 * Reads a place that has passed `checkPlace`.
 * @throws PlaceError if a variable is not set, or what it names is not there
 */
export async function readPlace(
  written: Written,
  { scope, env }: ReadEndpointOptions,
): Promise<UpstreamEndpoint> {
  const fill = (key: string, text: string) => (env ? fillVariables(key, text, env) : text);
  const filledEntries = (key: string) =>
    Object.entries(isRecord(written[key]) ? written[key] : {}).map(([name, text]): [string, string] => [
      name,
      fill(`${key}.${name}`, String(text)),
    ]);
  if (endpointSource(written) === 'url') {
    const headers = Object.fromEntries(filledEntries('headers'));
    return parseHttpEndpoint(fill('url', String(written.url)), headers, written.type === 'sse');
  }
  const args = (Array.isArray(written.args) ? written.args : []).map((one, index) =>
    fill(`args.${index}`, String(one)),
  );
  const cwd = await resolveFolder(written.cwd, fill, scope);
  const program = { env: Object.fromEntries(filledEntries('env')), cwd };
  if (typeof written.package === 'string') {
    const bin = typeof written.bin === 'string' ? written.bin : undefined;
    const file = await programOfPackage(written.package, bin, scope);
    return { command: 'node', args: [file, ...args], ...program };
  }
  const command = await commandAt(fill('command', String(written.command)), scope);
  return { command, args, ...program };
}

/** What cannot be had of a place, as far as that is known before any variable is. @throws PlaceError */
export async function requirePlace(written: Written, scope: EndpointScope): Promise<void> {
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
  // What the user put together names files of this very machine.
  const isHere = scope.allowsAbsolute && path.isAbsolute(command);
  if (!isHere || (await statIfPresent(command))?.isFile()) return;
  throw new EndpointError('missing', 'command', `needs ${command}, which is no file`);
}

/** What Node is given to run, where that is a file of the package: the file, from the package folder, and which argument it is. */
export function findPackageScript({
  command,
  args,
  cwd,
}: Written): { readonly file: string; readonly index: number } | undefined {
  if (command !== 'node' || !Array.isArray(args) || (cwd !== undefined && !isFixed(cwd))) return undefined;
  const index = args.findIndex((one, at) => !String(one).startsWith('-') && !takesNext.test(args[at - 1]));
  const script: unknown = args[index];
  if (!isFixed(script) || !/^\.\.?[\\/]/.test(script)) return undefined;
  if (args.slice(0, index).some((one) => takesProgram.test(String(one)))) return undefined;
  const folder = isFixed(cwd) ? cwd : '';
  const file = path.isAbsolute(folder) ? path.resolve(folder, script) : posixPath(folder, script);
  return { file, index };
}

/** Options of Node whose value is the next argument. */
const takesNext =
  /^(?:-r|-C|--(?:require|import|(?:experimental-)?loader|conditions|env-file(?:-if-exists)?|input-type|title))$/;

/** Options of Node by which no file is run, or another one than the first. */
const takesProgram = /^(?:-e|-p|-pe|--eval|--print|--run|--test|-)(?:=|$)/;

function posixPath(folder: string, file: string): string {
  return path.posix.join(folder.replaceAll('\\', '/'), file.replaceAll('\\', '/'));
}

async function requireScript(written: Written, scope: EndpointScope): Promise<void> {
  const script = findPackageScript(written);
  if (!script) return;
  const { file, index } = script;
  const key = `args.${index}`;
  if (pathFault(file, scope)) throw outside(file, key);
  if (!(await statIfPresent(path.resolve(scope.directory, file)))) {
    const where = scope.allowsAbsolute ? '' : ' of the package';
    throw new EndpointError('missing', key, `runs ${visibleLine(file)}, which is no file${where}`);
  }
  // Packages may be linked to wherever they really are.
  if (!isInstalledFile(file)) await requireInside(file, key, scope);
}

/** Whether a file, from the package folder, is one of another package that npm put there. */
export function isInstalledFile(file: string): boolean {
  return file.startsWith('node_modules/');
}

function isFixed(text: unknown): text is string {
  return typeof text === 'string' && !text.includes('${');
}

function fillVariables(key: string, text: string, env: Env): string {
  try {
    return substituteVariables(text, env);
  } catch (error) {
    if (!(error instanceof UnsetVariableError)) throw error;
    throw new EndpointError('variable', key, error.message);
  }
}

/** A name and a password before the host are sent as a header: no address of a request may have them. */
function parseHttpEndpoint(
  text: string,
  headers: Readonly<Record<string, string>>,
  isSse: boolean,
): UpstreamAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
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

/** A file of the package by its absolute path; names and absolute paths stay. */
async function commandAt(command: string, scope: EndpointScope): Promise<string> {
  const own = /^\.\.?[\\/]/.test(command);
  if (!own) {
    if (command !== '' && (path.isAbsolute(command) || !/[\\/]/.test(command))) return command;
    const message = `has the command "${visibleLine(command)}". Expected a name on the PATH, an absolute path, or "./…"`;
    throw new EndpointError('form', 'command', message);
  }
  const target = path.resolve(scope.directory, command);
  if (!(await statIfPresent(target))?.isFile()) {
    throw new EndpointError('missing', 'command', `needs ${command}, which is no file of the package`);
  }
  await requireInside(command, 'command', scope);
  return target;
}

/** A folder that begins with a variable is the user's own, wherever it is. */
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
    throw new EndpointError('missing', 'cwd', `runs in ${visibleLine(folder)}, which is no folder${where}`);
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

/** Where a package.json names what npm puts beside the package. */
const dependencyKeys = ['dependencies', 'peerDependencies', 'optionalDependencies'];

function isDependency(name: string, { packageJson }: EndpointScope): boolean {
  return dependencyKeys.some((key) => {
    const names = isRecord(packageJson) ? packageJson[key] : undefined;
    return isRecord(names) && Object.hasOwn(names, name);
  });
}

function undeclaredWords(name: string, isHere: boolean): string {
  const also = isHere ? ', though it is installed here' : ', and is not installed';
  return `needs the package ${visibleLine(name)}, which is no dependency of this one${also}. Add it to "dependencies" in package.json`;
}

/** The file of a dependency's program. */
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
    throw new EndpointError('missing', 'package', `needs ${file} of the package ${name}, which is not there`);
  }
  return target;
}

/** As Node finds packages: in `node_modules`, from a folder upwards. */
async function installedAt(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const directory = path.join(folder, 'node_modules', name);
    if ((await statIfPresent(path.join(directory, 'package.json')))?.isFile()) return directory;
    if (folder === path.dirname(folder)) return undefined;
  }
}

async function packageJsonAt(directory: string): Promise<Written> {
  try {
    const value: unknown = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** The program that is meant: the one that is named, else the only one, else the one that is called like the package. */
function binIn(
  packageJson: Written,
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
      ? `names the package ${name}, which has several programs. Say which as "bin": ${known}`
      : `needs the program "${meant}" of the package ${name}, which it does not have. It has: ${known}`;
  throw new EndpointError('undeclared', wanted === undefined ? 'package' : 'bin', message);
}
