import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { statFile } from '../base/files/disk.js';
import { findProgram, isExecutable } from '../base/find-program.js';
import type { ArgumentTemplate, ExistingServer } from './existing-server.js';
import { imageName, shortServerName } from './server-name.js';
import { readServerReference, type ServerReference } from './server-reference.js';

export interface CommandLookup {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves a package that a runner names. */
  readonly resolve: (reference: ServerReference) => Promise<ExistingServer>;
}

type Words = readonly [string, ...string[]];

/**
 * Resolves a command. A package that `npx` or `uvx` would fetch becomes that package, so that nothing is fetched at the
 * start. Paths become absolute, since clients start programs in other folders.
 * @throws AgentToolsError if the program is missing
 */
export async function resolveCommand(words: Words, lookup: CommandLookup): Promise<ExistingServer> {
  const fetched = readFetchingRunner(words);
  if (fetched) {
    const server = await lookup.resolve(fetched.reference);
    return withArguments(server, fetched.args);
  }
  const [command, ...args] = words;
  const file = await locateProgram(command, lookup);
  const absolute = args.map((word) => absolutePath(word, lookup.cwd));
  const changed = args.filter((word, index) => word !== absolute[index]);
  return {
    source: 'command',
    reference: words.join(' '),
    name: nameOfCommand(words),
    inputs: [],
    template: {
      kind: 'program',
      runner: { by: 'command', command: file },
      args: fixedArguments(absolute),
      env: {},
    },
    notes: changed.map(
      (word) =>
        `${word} is written as ${path.resolve(lookup.cwd, word)}, since clients start servers in other folders.`,
    ),
  };
}

/** Adds fixed arguments to a program. */
function withArguments(server: ExistingServer, args: readonly string[]): ExistingServer {
  const { template } = server;
  if (template.kind !== 'program' || args.length === 0) return server;
  return { ...server, template: { ...template, args: [...template.args, ...fixedArguments(args)] } };
}

function fixedArguments(args: readonly string[]): readonly ArgumentTemplate[] {
  return args.map((word) => ({ words: [[word]] }));
}

interface FetchedPackage {
  readonly reference: ServerReference;
  readonly args: readonly string[];
}

/** Package of a runner that fetches packages; undefined for other commands, and for options that are not understood. */
function readFetchingRunner([command, ...words]: Words): FetchedPackage | undefined {
  const runner = /^(npx|uvx)(?:\.cmd|\.exe)?$/i.exec(path.basename(command))?.[1]?.toLowerCase();
  if (runner === undefined) return undefined;
  const rest = runner === 'npx' ? words.slice(words.findIndex((word) => !isYes(word))) : words;
  const [spec, ...args] = rest;
  if (spec === undefined || isYes(spec) || spec.startsWith('-')) return undefined;
  return { reference: readServerReference(`${runner === 'npx' ? 'npm' : 'pypi'}:${spec}`), args };
}

/** Options by which npx asks no question. */
function isYes(word: string): boolean {
  return word === '-y' || word === '--yes';
}

async function locateProgram(command: string, { cwd, env }: CommandLookup): Promise<string> {
  const isPath = /[\\/]/.test(command);
  const file = isPath ? path.resolve(cwd, command) : await findProgram(command, env);
  if (file !== undefined && (!isPath || (await isExecutable(file)))) return file;
  const why = isPath
    ? statFile(file!) === undefined
      ? 'does not exist'
      : 'is not executable'
    : 'is not on the PATH';
  throw new AgentToolsError('not-found', `The program ${command} ${why}. Give the path of the program.`);
}

/** An argument that names a file or folder in the current folder becomes absolute. */
function absolutePath(word: string, cwd: string): string {
  const looksLikePath = !word.startsWith('-') && /[./\\]/.test(word) && !path.isAbsolute(word);
  return looksLikePath && !/^[a-z]+:\/\//i.test(word) && statFile(path.resolve(cwd, word)) !== undefined
    ? path.resolve(cwd, word)
    : word;
}

/** The script of an interpreter, the image of a container, else the program. */
function nameOfCommand([command, ...args]: Words): string {
  const program = path.basename(command).replace(/\.\w+$/, '');
  const plain = args.filter((word) => !word.startsWith('-'));
  if (/^(?:docker|podman)$/.test(program)) {
    const image = plain.find((word) => word !== 'run' && /[/:]/.test(word));
    if (image !== undefined) return imageName(image);
  }
  const script = plain.find((word) => /\.(?:[cm]?[jt]s|py|rb|sh|php|jar|dll)$/.test(word));
  if (script === undefined) return shortServerName(program);
  const base = path.basename(script).replace(/\.\w+$/, '');
  const isGeneral = /^(?:index|main|server|cli|start|mcp)$/.test(base);
  return shortServerName(
    isGeneral ? path.basename(path.dirname(path.resolve('/server', script))) || base : base,
  );
}
